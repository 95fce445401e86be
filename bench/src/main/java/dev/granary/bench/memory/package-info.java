/**
 * Measures chunk memory: loads, workloads, batches, latencies and bytes per chunk, beside a plain off-heap array in the
 * same run. {@code granary bench memory} starts {@link dev.granary.bench.memory.MemoryWorker} in a separate process.
 */
@NullMarked
package dev.granary.bench.memory;

import org.jspecify.annotations.NullMarked;
