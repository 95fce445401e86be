package dev.granary.bench.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The disk's own speed: a file written from end to end in large pieces, and synced. */
final class DiskSpeed {

    private static final int PIECE_BYTES = 1 << 20;

    private DiskSpeed() {}

    /** Bytes per second of writing so many bytes and syncing them. */
    static double writeBytesPerSecond(Path directory, long bytes) throws IOException {
        Path file = directory.resolve("plain");
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        long start = System.nanoTime();
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (long left = bytes; left > 0; ) {
                left -= channel.write(piece.clear().limit((int) Math.min(PIECE_BYTES, left)));
            }
            channel.force(true);
        }
        double speed = bytes * 1e9 / (System.nanoTime() - start);
        Files.delete(file);
        return speed;
    }
}
