package dev.granary.bench.network;

/**
 * What a process with a client measures next.
 *
 * @param threads that wait for answers
 * @param batch objects in each request, 1 for single operations
 * @param getPercent how many of 100 requests are gets; the others are puts
 * @param millis how long
 * @param seed draws objects and kinds of requests
 */
public record LoopRequest(int threads, int batch, int getPercent, long millis, long seed) {}
