/** Tests of the decisions about the next steps. */
@NullMarked
package dev.granary.operator.steer;

import org.jspecify.annotations.NullMarked;
