package dev.granary.tools.bench.operator;

import java.util.Map;

/**
 * The measured figures for a number of resources.
 *
 * @param nodes number of Kubernetes nodes
 * @param resources number of Granary resources
 * @param created number of resources made in this step, all at once
 * @param readyP50Seconds median time from making a resource to its condition Ready
 * @param readyMaxSeconds longest time from making a resource to its condition Ready
 * @param requestsPerReconcile requests of the operator to the API server until all were ready, without watches, divided
 *     by the reconciles
 * @param requestsPerIdleReconcile the same while nothing changed
 * @param requestsPerIdleHour requests in an hour without changes, extrapolated from the measured idle time
 * @param idleRequests requests by verb in the idle time
 * @param idleSeconds length of the idle time
 * @param residentBytes memory of the operator's process at the end of the idle time
 * @param residentPeakBytes the most memory that the process ever had
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
