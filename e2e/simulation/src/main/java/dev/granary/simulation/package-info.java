/**
 * Whole clusters on virtual time: the classes of the processes and of the client, on the simulator of {@code
 * libs/testkit}, under work and faults that follow from a seed (ADR 0087).
 */
@NullMarked
package dev.granary.simulation;

import org.jspecify.annotations.NullMarked;
