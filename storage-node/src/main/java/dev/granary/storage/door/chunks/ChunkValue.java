package dev.granary.storage.door.chunks;

import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import org.jspecify.annotations.Nullable;

/** The value of a chunk that was read, or that there was no room for it. Read by one thread, then by another one. */
final class ChunkValue implements Importable {

    private final ChunkRoom.Share share;
    private byte @Nullable [] bytes;

    ChunkValue(ChunkRoom.Share share) {
        this.share = share;
    }

    @Override
    public void importFrom(Importer in) {
        int length = (int) in.remainingBytes();
        if (share.take(0, length)) {
            byte[] read = new byte[length];
            in.readBytes(read, 0, length);
            bytes = read;
        }
    }

    /** Returns how many bytes the value has here. */
    int sizeBytes() {
        return bytes == null ? 0 : bytes.length;
    }

    /** Returns the value; null if there was no room for it. */
    byte @Nullable [] bytes() {
        return bytes;
    }
}
