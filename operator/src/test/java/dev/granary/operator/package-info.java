/** Helpers of the operator's tests. */
@NullMarked
package dev.granary.operator;

import org.jspecify.annotations.NullMarked;
