/**
 * Who owns what: node and chunk identifiers, the ring of super-peers, placements, and CID ranges. Pure data structures
 * that know no clock, no network and no disk.
 */
@NullMarked
package dev.granary.overlay;

import org.jspecify.annotations.NullMarked;
