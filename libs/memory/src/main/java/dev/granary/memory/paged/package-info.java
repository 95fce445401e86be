/**
 * The chunk memory itself: creates, changes and removes chunks in pages. {@link
 * dev.granary.memory.paged.ChunkMemories} opens one.
 */
@NullMarked
package dev.granary.memory.paged;

import org.jspecify.annotations.NullMarked;
