/**
 * What a super-peer must not forget: the ring and the arcs, each a deterministic state machine that a Raft group
 * replicates (ADR 0087). Formats:
 * docs/formats/super-peer-commands.md.
 */
@NullMarked
package dev.granary.superpeer.state;

import org.jspecify.annotations.NullMarked;
