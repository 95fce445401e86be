/** Tests of the package with the same name. */
@NullMarked
package dev.granary.tools.bench.metrics;

import org.jspecify.annotations.NullMarked;
