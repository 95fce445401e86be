/**
 * The off-heap map measured beside maps on the heap. {@code granary bench map} starts {@link
 * dev.granary.bench.map.MapWorker} in a process of its own for each of them.
 */
@NullMarked
package dev.granary.bench.map;

import org.jspecify.annotations.NullMarked;
