/** Frames, connections and transports: how bytes get from one node to another. Formats: docs/formats/protocol.md. */
@NullMarked
package dev.granary.net;

import org.jspecify.annotations.NullMarked;
