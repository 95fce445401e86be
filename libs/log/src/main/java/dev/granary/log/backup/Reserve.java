package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import java.io.IOException;

/**
 * A file that only takes room: when the disk is full it is deleted, so that the cleaner can write before it deletes,
 * and a seal is still durable. It is made with the first zone. The disk's thread only.
 */
final class Reserve {

    private static final String NAME = "reserve";
    private static final int MAX_BYTES = 1 << 20;

    private final Disk disk;
    private final int sizeBytes;

    Reserve(Disk disk, int sizeBytes) {
        this.disk = disk;
        this.sizeBytes = Math.min(MAX_BYTES, sizeBytes);
    }

    /**
     * Makes the file, if it is not there.
     *
     * @throws DiskFullException when there is no room for it
     */
    void make() throws IOException {
        if (!disk.exists(NAME)) {
            disk.writeAtomically(NAME, new byte[sizeBytes]);
        }
    }

    void release() throws IOException {
        disk.delete(NAME);
    }
}
