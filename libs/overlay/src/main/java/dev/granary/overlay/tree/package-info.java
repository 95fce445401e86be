/**
 * The CID-tree: ranges of chunks with their placements, at most 16 bytes a range (CID ranges, section 3; ADR 0021,
 * ADR 0143).
 */
@NullMarked
package dev.granary.overlay.tree;

import org.jspecify.annotations.NullMarked;
