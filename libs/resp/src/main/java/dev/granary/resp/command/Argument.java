package dev.granary.resp.command;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An argument of a command, for people and for clients that complete what people type.
 *
 * @param type {@code string}, {@code key}, {@code oneof}, {@code block}, ...
 * @param keySpec which of the command's key specifications finds it; negative for none
 * @param token the word before it, or the word that it is
 * @param flags {@code optional}, {@code multiple}, {@code multiple_token}
 * @param parts of an argument that consists of others
 */
public record Argument(
        String name,
        String type,
        int keySpec,
        @Nullable String token,
        @Nullable String since,
        @Nullable String deprecatedSince,
        List<String> flags,
        List<Argument> parts) {

    public Argument {
        flags = List.copyOf(flags);
        parts = List.copyOf(parts);
    }

    /** Returns whether it consists of others. */
    public boolean hasParts() {
        return type.equals("oneof") || type.equals("block");
    }
}
