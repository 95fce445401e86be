package dev.granary.bench.stores;

/**
 * What the process with a client of a store does next.
 *
 * @param workload the name of a {@link StoreWorkload}
 * @param load whether it writes the objects of the workload instead, unless it has done so already
 * @param objects how many objects there are at the beginning
 * @param threads that wait for answers
 * @param batch objects in each request of a multi-get, otherwise 1
 * @param millis how long
 * @param opsPerSecond how many operations begin in a second, all threads together, whether the last ones have been
 *     answered or not (an open loop); 0 when each thread begins the next one with the answer to the last one (closed)
 */
public record CaseRequest(
        String workload, boolean load, int objects, int threads, int batch, long millis, double opsPerSecond) {}
