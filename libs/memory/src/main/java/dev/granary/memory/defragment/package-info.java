/** Moves chunks out of fragmented segments beside running operations (DXRAM section III-B; ADR 0015). */
@NullMarked
package dev.granary.memory.defragment;

import org.jspecify.annotations.NullMarked;
