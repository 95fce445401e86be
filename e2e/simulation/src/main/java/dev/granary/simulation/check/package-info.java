/** Checks of a simulated cluster at the end of a seed that clients cannot make. */
@NullMarked
package dev.granary.simulation.check;

import org.jspecify.annotations.NullMarked;
