/** Processes that benchmarks start and talk to. */
@NullMarked
package dev.granary.tools.bench.process;

import org.jspecify.annotations.NullMarked;
