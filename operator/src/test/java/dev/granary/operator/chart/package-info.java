/** Tests of the chart's texts. */
@NullMarked
package dev.granary.operator.chart;

import org.jspecify.annotations.NullMarked;
