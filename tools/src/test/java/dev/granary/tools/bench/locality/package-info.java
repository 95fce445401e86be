/** Tests of the benchmark of locality. */
@NullMarked
package dev.granary.tools.bench.locality;

import org.jspecify.annotations.NullMarked;
