/** Chunks by the Redis protocol: the commands that begin with {@code CHUNK.} (docs/guides/redis-chunks.md). */
@NullMarked
package dev.granary.storage.door.chunks;

import org.jspecify.annotations.NullMarked;
