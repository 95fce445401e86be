/** Replicated groups: one Raft group for the ring and one for each arc that this super-peer holds. */
@NullMarked
package dev.granary.superpeer.replicated;

import org.jspecify.annotations.NullMarked;
