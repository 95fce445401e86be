/**
 * Measures the data structures of the overlay: CID-tree, range cache and names, beside maps with an entry for each
 * chunk.
 */
@NullMarked
package dev.granary.bench.overlay;

import org.jspecify.annotations.NullMarked;
