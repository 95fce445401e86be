/** Benchmarks of logging and recovery. */
@NullMarked
package dev.granary.bench.recovery;

import org.jspecify.annotations.NullMarked;
