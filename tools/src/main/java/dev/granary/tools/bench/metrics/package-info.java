/** What metrics cost. */
@NullMarked
package dev.granary.tools.bench.metrics;

import org.jspecify.annotations.NullMarked;
