package dev.granary.cli.keys;

import dev.granary.cli.base.UserException;
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
     */
    public static KeyOrCid of(String argument, boolean alwaysKey) {
        if (alwaysKey || !looksLikeCid(argument)) {
            return new KeyOrCid(argument, Cid.NONE);
        }
        try {
            return new KeyOrCid(null, Cid.parse(argument));
        } catch (IllegalArgumentException e) {
            throw new UserException(e.getMessage() + ". If it is a key, say --key.", e);
        }
    }

    /** Whether an argument is taken for a CID. */
    public static boolean looksLikeCid(String argument) {
        return argument.toLowerCase(Locale.ROOT).startsWith("0x");
    }
}
