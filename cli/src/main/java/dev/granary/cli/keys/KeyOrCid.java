package dev.granary.cli.keys;

import dev.granary.overlay.Cid;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An argument that names a chunk or a key: what begins with {@code 0x} is a CID, all else is a key.
 *
 * @param key null for a chunk
 * @param cid 0 for a key
 */
public record KeyOrCid(@Nullable String key, long cid) {

    /**
     * Reads an argument.
     *
     * @param alwaysKey whether the command line says that it is a key in any case
     * @throws IllegalArgumentException when it looks like a CID and is none
     */
    public static KeyOrCid of(String argument, boolean alwaysKey) {
        return alwaysKey || !looksLikeCid(argument)
                ? new KeyOrCid(argument, Cid.NONE)
                : new KeyOrCid(null, Cid.parse(argument));
    }

    /** Whether an argument is taken for a CID. */
    public static boolean looksLikeCid(String argument) {
        return argument.toLowerCase(Locale.ROOT).startsWith("0x");
    }
}
