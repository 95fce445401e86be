/**
 * Bugs that are planted on purpose: each breaks one of the rules that keep data safe, and runs of the simulator must
 * show it. Processes take clock, network, disk, random numbers and memory from outside, so a bug is planted by giving
 * them another world; their code stays as it is, and holds none of this.
 */
@NullMarked
package dev.granary.simulation.planted;

import org.jspecify.annotations.NullMarked;
