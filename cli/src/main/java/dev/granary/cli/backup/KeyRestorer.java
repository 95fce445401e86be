package dev.granary.cli.backup;

import dev.granary.client.GranaryException;
import dev.granary.client.admin.BackedUpKey;
import dev.granary.client.admin.KeyBackups;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes the keys of a cluster backup into a cluster (ADR 0306). A key that is there already stays as it is.
 * Thread-safe.
 */
final class KeyRestorer {

    private final KeyBackups calls;
    private final boolean verify;
    private final AtomicLong kept = new AtomicLong();

    /** @param verify whether to read every key again */
    KeyRestorer(KeyBackups calls, boolean verify) {
        this.calls = calls;
        this.verify = verify;
    }

    /**
     * Writes keys.
     *
     * @throws BackupException when they cannot be written, or are not as they are in the backup
     */
    void restore(KeyBlock block) {
        int there;
        try {
            there = Together.await(calls.restore(block.group(), block.keys()));
        } catch (GranaryException e) {
            throw new BackupException(
                    "keys of slot group " + block.group() + " cannot be restored: " + e.getMessage()
                            + "; fix that, then run the restore again to continue it",
                    e);
        }
        kept.addAndGet(there);
        // Keys that were there already have values of their own; which ones they are is not told.
        if (verify && there == 0) {
            verify(block);
        }
    }

    private void verify(KeyBlock block) {
        Map<String, BackedUpKey> found = new HashMap<>();
        List<byte[]> keys = block.keys().stream().map(BackedUpKey::key).toList();
        Together.await(calls.get(block.group(), keys)).forEach(key -> found.put(textOf(key), key));
        for (BackedUpKey wanted : block.keys()) {
            BackedUpKey there = found.get(textOf(wanted));
            boolean same = there == null
                    ? wanted.expiresAtMillis() != 0 && wanted.expiresAtMillis() <= System.currentTimeMillis()
                    : there.expiresAtMillis() == wanted.expiresAtMillis()
                            && Arrays.equals(there.value(), wanted.value());
            if (!same) {
                throw new BackupException("key '" + new String(wanted.key(), StandardCharsets.UTF_8)
                        + "' is not in the cluster as it is in the backup");
            }
        }
    }

    private static String textOf(BackedUpKey key) {
        return new String(key.key(), StandardCharsets.ISO_8859_1);
    }

    /** How many keys were there already. */
    long kept() {
        return kept.get();
    }
}
