/**
 * Measures the off-heap map beside maps on the heap. {@code granary bench map} starts {@link
 * dev.granary.bench.map.MapWorker} in a separate process for each map.
 */
@NullMarked
package dev.granary.bench.map;

import org.jspecify.annotations.NullMarked;
