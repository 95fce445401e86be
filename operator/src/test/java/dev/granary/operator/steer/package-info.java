/** Tests of what is decided next. */
@NullMarked
package dev.granary.operator.steer;

import org.jspecify.annotations.NullMarked;
