package dev.granary.cli.backup;

import dev.granary.client.GranaryException;
import dev.granary.client.admin.BackedUpKey;
import dev.granary.client.admin.KeyBackups;
import dev.granary.overlay.SlotGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Reads all keys of a cluster for a cluster backup (ADR 0306). Groups that nobody has used have none. */
final class KeyCollector {

    private static final int READERS = 4;
    private static final int BLOCK_BYTES = 4 << 20;

    private final KeyBackups calls;
    private final Consumer<KeyBlock> blocks;

    /** @param blocks takes keys, from several threads at once */
    KeyCollector(KeyBackups calls, Consumer<KeyBlock> blocks) {
        this.calls = calls;
        this.blocks = blocks;
    }

    /**
     * Reads the keys of all slot groups.
     *
     * @throws BackupException when those of a group cannot be read
     */
    void run() {
        Together.forEach(READERS, IntStream.range(0, SlotGroup.COUNT).boxed().toList(), this::read);
    }

    private void read(int group) {
        List<BackedUpKey> block = new ArrayList<>();
        long bytes = 0;
        KeyBackups.Position next = KeyBackups.Position.START;
        while (next != null) {
            KeyBackups.Page page = page(group, next);
            next = page.next();
            block.addAll(page.keys());
            bytes += page.keys().stream().mapToLong(BackedUpKey::sizeBytes).sum();
            if (!block.isEmpty() && (bytes >= BLOCK_BYTES || next == null)) {
                blocks.accept(new KeyBlock(group, block));
                block = new ArrayList<>();
                bytes = 0;
            }
        }
    }

    private KeyBackups.Page page(int group, KeyBackups.Position from) {
        try {
            return Together.await(calls.read(group, from));
        } catch (GranaryException e) {
            throw new BackupException(
                    "keys of slot group " + group + " cannot be read: " + e.getMessage()
                            + "; the backup is not finished, look at 'granary status' and make it again",
                    e);
        }
    }
}
