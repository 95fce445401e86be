/**
 * Chunk memory: chunks of any size up to 2 GiB outside the Java heap, found by their CID. Objects write themselves
 * straight into them ({@code dev.granary.serialization}). {@link dev.granary.memory.ChunkMemory} is the whole
 * interface, and {@code ChunkMemories} in {@code paged} opens one. Chunks lie in pages (ADR 0090), which grew from the
 * papers' form (DXRAM sections III and IV, DXMem section V); {@code docs/formats/chunk-memory.md} draws them.
 */
@NullMarked
package dev.granary.memory;

import org.jspecify.annotations.NullMarked;
