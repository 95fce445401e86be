/**
 * What comes from outside. Cluster protocols use nothing but these interfaces (and the network of {@code libs/net}),
 * so that the same code runs in a process and, seed by seed, in the simulator (ADR 0002, SAFETY rule "simulator and
 * disks").
 */
@NullMarked
package dev.granary.env;

import org.jspecify.annotations.NullMarked;
