/**
 * Bugs that are planted on purpose. Each breaks one of the safety rules, and runs of the simulator must show it.
 * Processes take clock, network, disk, random numbers and memory from outside, so a bug is planted by giving them
 * another world; their code stays as it is, and contains none of this.
 */
@NullMarked
package dev.granary.simulation.planted;

import org.jspecify.annotations.NullMarked;
