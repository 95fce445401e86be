/**
 * Chunk memory measured: loads, workloads, batches, latencies and bytes a chunk, beside a plain off-heap array in the
 * same run. {@code granary bench memory} starts {@link dev.granary.bench.memory.MemoryWorker} in a process of its own.
 */
@NullMarked
package dev.granary.bench.memory;

import org.jspecify.annotations.NullMarked;
