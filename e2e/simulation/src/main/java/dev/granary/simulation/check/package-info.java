/** Checks at the end of a seed that only the simulator can make, not clients. */
@NullMarked
package dev.granary.simulation.check;

import org.jspecify.annotations.NullMarked;
