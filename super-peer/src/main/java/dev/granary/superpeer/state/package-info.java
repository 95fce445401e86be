/**
 * What a super-peer must not forget: the ring and its arc, each a deterministic state machine over a log of commands on
 * the super-peer's disk, so that a replicated log can take the place of the local one (ADR 0081). Formats:
 * docs/formats/super-peer-commands.md.
 */
@NullMarked
package dev.granary.superpeer.state;

import org.jspecify.annotations.NullMarked;
