/**
 * The data path of a storage peer: requests that carry chunks, carried out on the I/O threads straight between network
 * buffers and chunk memory. Layouts: {@link dev.granary.net.message.ChunkLayouts}.
 *
 * <p>Threads (ADR 0189): what a request needs while it is carried out ({@code Scratch}, {@code ZoneGroups}, {@code
 * ChunkChanges}, the {@code Turn} of a creator) belongs to the thread that carries it out, one for each; all else is
 * shared by I/O threads and the scheduler, and thread-safe.
 */
@NullMarked
package dev.granary.storage.data;

import org.jspecify.annotations.NullMarked;
