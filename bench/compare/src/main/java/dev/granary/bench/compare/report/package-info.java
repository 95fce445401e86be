/** Makes a page with plots from the results of {@code granary bench compare}. */
@NullMarked
package dev.granary.bench.compare.report;

import org.jspecify.annotations.NullMarked;
