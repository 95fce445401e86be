/** The probes of the client, which runs of the simulator must reach. */
@NullMarked
package dev.granary.client.probe;

import org.jspecify.annotations.NullMarked;
