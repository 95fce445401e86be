/**
 * The allocator: segments, free lists and blocks of exact size, with markers between them (DXMem section 4; ADR
 * 0016).
 */
@NullMarked
package dev.granary.memory.arena;

import org.jspecify.annotations.NullMarked;
