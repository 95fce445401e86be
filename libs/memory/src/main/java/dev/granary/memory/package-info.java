/**
 * Chunk memory: chunks of any size up to 2 GiB outside the Java heap, found by their CID, and the serialization that
 * writes objects straight into them. {@link dev.granary.memory.ChunkMemory} is the whole interface; what is behind it
 * is the papers' form (DXRAM sections III and IV, DXMem section V) and drawn in {@code docs/formats/chunk-memory.md}.
 */
@NullMarked
package dev.granary.memory;

import org.jspecify.annotations.NullMarked;
