/**
 * The messages of the binary protocol. Control messages are records with a reader and a writer; messages that carry
 * many chunks are read and written in place ({@code Chunk*} classes). Formats: docs/formats/protocol.md.
 */
@NullMarked
package dev.granary.net.message;

import org.jspecify.annotations.NullMarked;
