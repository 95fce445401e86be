package dev.granary.storage.data;

import dev.granary.net.message.MessageType;
import java.util.Locale;

/** The operations on chunks. */
public enum Operation {
    CREATE(MessageType.CREATE),
    GET(MessageType.GET),
    PUT(MessageType.PUT),
    DELETE(MessageType.DELETE),
    /** Tokens of locks are shown to the owner. */
    FENCE(MessageType.FENCE);

    final int messageType;
    final String label = name().toLowerCase(Locale.ROOT);

    Operation(int messageType) {
        this.messageType = messageType;
    }

    /** The operation that a request of this type asks for. */
    static Operation of(int messageType) {
        return switch (messageType) {
            case MessageType.CREATE -> CREATE;
            case MessageType.GET -> GET;
            case MessageType.PUT -> PUT;
            case MessageType.DELETE -> DELETE;
            case MessageType.FENCE -> FENCE;
            default ->
                throw new IllegalArgumentException(
                        "'" + MessageType.nameOf(messageType) + "' is no operation on chunks");
        };
    }
}
