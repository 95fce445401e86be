package dev.granary.storage.data;

import dev.granary.net.message.MessageType;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The operations on chunks. */
public enum Operation {
    CREATE,
    GET,
    PUT,
    DELETE,
    /** Tokens of locks are shown to the owner. */
    FENCE;

    final String label = name().toLowerCase(Locale.ROOT);

    static @Nullable Operation of(int messageType) {
        return switch (messageType) {
            case MessageType.CREATE -> CREATE;
            case MessageType.GET -> GET;
            case MessageType.PUT -> PUT;
            case MessageType.DELETE -> DELETE;
            case MessageType.FENCE -> FENCE;
            default -> null;
        };
    }
}
