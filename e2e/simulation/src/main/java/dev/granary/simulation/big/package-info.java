/**
 * Clusters of hundreds of super-peers and tens of thousands of storage peers on virtual time, to plan for sizes that no
 * test machine has. Ring, NIDs, arcs, CID-trees and clients' caches are the real structures; processes, Raft groups and
 * the network are models that count messages and bytes.
 */
@NullMarked
package dev.granary.simulation.big;

import org.jspecify.annotations.NullMarked;
