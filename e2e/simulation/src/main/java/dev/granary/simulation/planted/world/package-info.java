/** Clocks, chance and disks that are not what they seem, for the bugs that are planted in them. */
@NullMarked
package dev.granary.simulation.planted.world;

import org.jspecify.annotations.NullMarked;
