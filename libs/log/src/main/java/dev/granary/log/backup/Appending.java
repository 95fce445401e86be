package dev.granary.log.backup;

import dev.granary.env.Disk;
import dev.granary.env.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Appends all of a buffer or nothing. */
final class Appending {

    private Appending() {}

    /**
     * Appends a buffer to a file of a known size. When the disk is full, what was written of it is cut off again.
     *
     * @throws DiskFullException when there is no room; the file is as it was
     */
    static void whole(Disk.AppendFile file, long sizeBytes, ByteBuffer bytes) throws IOException {
        try {
            file.append(bytes);
        } catch (DiskFullException e) {
            if (file.sizeBytes() > sizeBytes) {
                file.truncate(sizeBytes);
            }
            throw e;
        }
    }
}
