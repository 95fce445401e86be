package dev.granary.memory.dump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/** Writes the sections of a dump, each with its checksum behind it, and the trailer. Not thread-safe. */
public final class DumpOutput {

    /** Of the trailer: magic, bytes of the file, checksum of all checksums, own checksum. */
    public static final int TRAILER_BYTES = 24;

    /** Pieces that the processor's cache still has when they are written after they were summed up. */
    private static final int PIECE_BYTES = 1 << 20;

    private final WritableByteChannel channel;
    private final CRC32C sums = new CRC32C();
    private final ByteBuffer word = ByteBuffer.allocateDirect(4).order(ByteOrder.LITTLE_ENDIAN);
    private long writtenBytes;

    DumpOutput(WritableByteChannel channel) {
        this.channel = channel;
    }

    /** Writes bytes that carry their own checksum. */
    void header(ByteBuffer bytes) throws IOException {
        sums.update(bytes.duplicate());
        write(bytes);
    }

    /** Writes a section and its checksum. */
    void section(ByteBuffer bytes) throws IOException {
        CRC32C sum = new CRC32C();
        while (bytes.hasRemaining()) {
            int size = Math.min(PIECE_BYTES, bytes.remaining());
            ByteBuffer piece = bytes.slice(bytes.position(), size);
            sum.update(piece.duplicate());
            write(piece);
            bytes.position(bytes.position() + size);
        }
        word.clear().putInt((int) sum.getValue()).flip();
        sums.update(word.duplicate());
        write(word);
    }

    /** Writes the end. */
    void trailer() throws IOException {
        ByteBuffer out = ByteBuffer.allocate(TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(DumpHeader.END_MAGIC).putLong(writtenBytes + TRAILER_BYTES).putInt((int) sums.getValue());
        CRC32C own = new CRC32C();
        own.update(out.duplicate().flip());
        out.putInt((int) own.getValue());
        write(out.flip());
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            writtenBytes += channel.write(bytes);
        }
    }
}
