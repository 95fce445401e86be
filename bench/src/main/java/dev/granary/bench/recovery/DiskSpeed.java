package dev.granary.bench.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Measures the disk's own speed: writes a file sequentially in large pieces and syncs it, or reads it. */
final class DiskSpeed {

    private static final int PIECE_BYTES = 1 << 20;

    private DiskSpeed() {}

    /** Returns the bytes per second of writing {@code bytes} bytes and syncing them. */
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

    /** Returns the bytes per second of reading a file sequentially. */
    static double readBytesPerSecond(Path file) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
        long start = System.nanoTime();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (channel.read(piece.clear()) > 0) {
                // The content is not used.
            }
        }
        return Files.size(file) * 1e9 / (System.nanoTime() - start);
    }

    /** Drops a synced file from the page cache, with the advice that GNU dd gives. Returns whether it did. */
    static boolean dropFromCache(Path file) throws IOException {
        try {
            return new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
