package dev.granary.cli.kubectl;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;

/**
 * Writes files of text into a .tar.gz, in the format ustar. An entry is a block of 512 bytes and the content, filled up
 * to whole blocks; two empty blocks end the archive.
 */
final class TarGz implements AutoCloseable {

    private static final int BLOCK = 512;
    private static final int MAX_NAME = 100;
    private static final int CHECKSUM_AT = 148;
    private static final int CHECKSUM_BYTES = 8;

    private final OutputStream out;
    private final long seconds;

    /** @param time of all files */
    TarGz(OutputStream file, Instant time) throws IOException {
        this.out = new GZIPOutputStream(file);
        this.seconds = time.getEpochSecond();
    }

    /**
     * Adds a file.
     *
     * @param name its path in the archive, at most 100 bytes
     */
    void add(String name, String text) throws IOException {
        byte[] content = text.getBytes(StandardCharsets.UTF_8);
        out.write(header(name, content.length));
        out.write(content);
        out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
    }

    private byte[] header(String name, int size) {
        byte[] header = new byte[BLOCK];
        if (name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME) {
            throw new IllegalArgumentException("longer than " + MAX_NAME + " bytes: " + name);
        }
        put(header, 0, name);
        put(header, 100, octal(0644, 7)); // mode
        put(header, 108, octal(0, 7)); // user
        put(header, 116, octal(0, 7)); // group
        put(header, 124, octal(size, 11));
        put(header, 136, octal(seconds, 11));
        put(header, CHECKSUM_AT, " ".repeat(CHECKSUM_BYTES));
        put(header, 156, "0"); // a file
        put(header, 257, "ustar\u000000");
        long sum = 0;
        for (byte each : header) {
            sum += each & 0xff;
        }
        put(header, CHECKSUM_AT, octal(sum, 6) + "\u0000 ");
        return header;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private static String octal(long number, int digits) {
        String text = Long.toOctalString(number);
        return "0".repeat(digits - text.length()) + text;
    }

    @Override
    public void close() throws IOException {
        try (out) {
            out.write(new byte[2 * BLOCK]);
        }
    }
}
