/** Decides the next steps for a cluster: pure functions of the wanted state and the observed state. */
@NullMarked
package dev.granary.operator.steer;

import org.jspecify.annotations.NullMarked;
