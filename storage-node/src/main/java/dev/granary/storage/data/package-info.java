/**
 * The data path of a storage peer: requests that carry chunks, carried out on the I/O threads straight between network
 * buffers and chunk memory. Layouts: {@link dev.granary.net.message.ChunkLayouts}.
 */
@NullMarked
package dev.granary.storage.data;

import org.jspecify.annotations.NullMarked;
