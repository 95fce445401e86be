/** Clocks, random numbers and disks that are not what they seem, for planted bugs. */
@NullMarked
package dev.granary.simulation.planted.world;

import org.jspecify.annotations.NullMarked;
