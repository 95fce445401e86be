package dev.granary.cli.backup;

import dev.granary.client.admin.BackedUpKey;
import java.util.List;

/**
 * Keys of one slot group.
 *
 * @param group 0..255
 */
public record KeyBlock(int group, List<BackedUpKey> keys) {

    public KeyBlock {
        keys = List.copyOf(keys);
    }

    /** The number of bytes in the keys and their values. */
    long payloadBytes() {
        return keys.stream().mapToLong(BackedUpKey::sizeBytes).sum();
    }
}
