/** Measurements that are too slow or too noisy for tests. Results are in {@code docs/benchmarks.md}. */
@NullMarked
package dev.granary.bench;

import org.jspecify.annotations.NullMarked;
