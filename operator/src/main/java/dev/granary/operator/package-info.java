/** The operator process: it watches Granary resources and makes and runs clusters of them. */
@NullMarked
package dev.granary.operator;

import org.jspecify.annotations.NullMarked;
