package dev.granary.tools.bench.operator;

import java.util.Map;

/**
 * What was measured with a number of resources.
 *
 * @param nodes nodes that there were
 * @param resources Granary resources that there were
 * @param created of these, how many were made in this step, all at once
 * @param readyP50Seconds from making a resource to its condition Ready, half of them
 * @param readyMaxSeconds the last of them
 * @param requestsPerReconcile requests of the operator to the API server until all were ready, by reconciles;
 *     watches left out
 * @param requestsPerIdleReconcile the same while nothing changed
 * @param requestsPerIdleHour requests in an hour in which nothing changes, from the idle time that was measured
 * @param idleRequests requests by verb in the idle time
 * @param idleSeconds how long that was
 * @param residentBytes memory of the operator's process at the end of the idle time
 * @param residentPeakBytes the most that it ever had
 */
record OperatorLine(
        int nodes,
        int resources,
        int created,
        double readyP50Seconds,
        double readyMaxSeconds,
        double requestsPerReconcile,
        double requestsPerIdleReconcile,
        long requestsPerIdleHour,
        Map<String, Long> idleRequests,
        double idleSeconds,
        long residentBytes,
        long residentPeakBytes) {}
