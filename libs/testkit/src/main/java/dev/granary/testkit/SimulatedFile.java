package dev.granary.testkit;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** The bytes of a file, and how many of them are safe. */
final class SimulatedFile {

    private byte[] bytes = new byte[64];
    private int sizeBytes;
    private int syncedBytes;
    private boolean everSynced;
    private boolean broken;

    long sizeBytes() {
        return sizeBytes;
    }

    SimulatedFile copy() {
        SimulatedFile copied = new SimulatedFile();
        copied.bytes = bytes.clone();
        copied.sizeBytes = sizeBytes;
        copied.syncedBytes = syncedBytes;
        copied.everSynced = everSynced;
        return copied;
    }

    byte[] read() {
        return Arrays.copyOf(bytes, sizeBytes);
    }

    void append(ByteBuffer from, int count) {
        if (sizeBytes + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, sizeBytes + count));
        }
        from.get(bytes, sizeBytes, count);
        sizeBytes += count;
    }

    void sync() {
        syncTo(sizeBytes);
    }

    /** Notes that {@code bytesSafe} bytes from the beginning are safe, unless the file was cut since. */
    void syncTo(long bytesSafe) {
        syncedBytes = (int) Math.max(syncedBytes, Math.min(bytesSafe, sizeBytes));
        everSynced = true;
    }

    /** Whether a loss of power would lose something. */
    boolean hasUnsynced() {
        return sizeBytes > syncedBytes;
    }

    /** What was appended since the last sync is not safe, and never will be. */
    void breakSync() {
        broken = true;
    }

    boolean isBroken() {
        return broken;
    }

    void truncate(int newSizeBytes) {
        if (newSizeBytes > sizeBytes) {
            throw new IllegalArgumentException("cannot cut " + sizeBytes + " bytes to " + newSizeBytes);
        }
        sizeBytes = newSizeBytes;
        syncedBytes = newSizeBytes;
        everSynced = true;
    }

    void flipBit(int byteOffset, int bit) {
        if (byteOffset >= sizeBytes) {
            throw new IllegalArgumentException("byte " + byteOffset + " is behind the end at " + sizeBytes);
        }
        bytes[byteOffset] ^= (byte) (1 << bit);
    }

    /** Loses what was not synced, wholly or in part; false when the whole file is gone. */
    boolean survivesPowerLoss(RandomGenerator random) {
        int unsafeBytes = sizeBytes - syncedBytes;
        broken = false;
        if (unsafeBytes > 0 && random.nextBoolean()) {
            int keptBytes = random.nextInt(unsafeBytes + 1);
            sizeBytes = syncedBytes + keptBytes;
            if (keptBytes > 0 && random.nextInt(4) == 0) {
                // A later block reached the disk, an earlier one did not.
                int hole = syncedBytes + random.nextInt(keptBytes);
                Arrays.fill(bytes, hole, hole + random.nextInt(sizeBytes - hole + 1), (byte) 0);
            }
        } else {
            sizeBytes = syncedBytes;
        }
        boolean exists = everSynced || random.nextBoolean();
        syncedBytes = sizeBytes;
        return exists;
    }
}
