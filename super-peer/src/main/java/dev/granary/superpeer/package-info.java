/**
 * The super-peer: the ring, the arc that it is responsible for, leases, lookups and the status of the cluster. Nothing
 * here is static, and time, chance, network and disk come from outside, so that it runs unchanged in the simulator.
 */
@NullMarked
package dev.granary.superpeer;

import org.jspecify.annotations.NullMarked;
