/** Whole clusters on virtual time: the classes of the processes and of the client, on the simulator of libs/testkit. */
@NullMarked
package dev.granary.e2e.simulation;

import org.jspecify.annotations.NullMarked;
