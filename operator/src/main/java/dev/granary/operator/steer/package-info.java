/** Decides what is done next with a cluster: pure functions of what is asked for and what is seen. */
@NullMarked
package dev.granary.operator.steer;

import org.jspecify.annotations.NullMarked;
