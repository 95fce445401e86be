package dev.granary.memory.dump;

import dev.granary.memory.InvalidDumpException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.util.List;
import java.util.zip.CRC32C;

/** Reads what {@link DumpOutput} wrote, and checks it. Not thread-safe. */
public final class DumpInput {

    private static final int PIECE_BYTES = 1 << 20;

    private final ReadableByteChannel channel;
    private final CRC32C sums = new CRC32C();
    private final ByteBuffer word = ByteBuffer.allocateDirect(4).order(ByteOrder.LITTLE_ENDIAN);
    private long readBytes;

    public DumpInput(ReadableByteChannel channel) {
        this.channel = channel;
    }

    /** Reads bytes that carry their own checksum. */
    public ByteBuffer header(int sizeBytes) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(sizeBytes);
        read(bytes, "the header");
        sums.update(bytes.flip().duplicate());
        return bytes;
    }

    /**
     * Fills a buffer with a section.
     *
     * @param what names it in messages
     * @throws InvalidDumpException if it ends too early or its checksum is wrong
     */
    public void section(ByteBuffer to, String what) throws IOException {
        CRC32C sum = new CRC32C();
        while (to.hasRemaining()) {
            int size = Math.min(PIECE_BYTES, to.remaining());
            ByteBuffer piece = to.slice(to.position(), size);
            read(piece, what);
            sum.update(piece.flip());
            to.position(to.position() + size);
        }
        read(word.clear(), what);
        sums.update(word.flip().duplicate());
        if (word.getInt(0) != (int) sum.getValue()) {
            throw wrongSum(what);
        }
    }

    static InvalidDumpException wrongSum(String what) {
        return new InvalidDumpException("the dump is damaged: the checksum of " + what + " is wrong");
    }

    static InvalidDumpException cutOff(long sizeBytes, String what) {
        return new InvalidDumpException("the dump is cut off: it ends after " + sizeBytes + " B, in " + what);
    }

    /**
     * A section to be read.
     *
     * @param target is filled
     * @param what names it in messages
     */
    public record Section(ByteBuffer target, String what) {}

    /**
     * Fills the buffers of sections that follow each other, from a file with several threads.
     *
     * @throws InvalidDumpException if it ends too early or a checksum is wrong
     */
    public void sections(List<Section> sections) throws IOException {
        if (!(channel instanceof FileChannel file)) {
            for (Section each : sections) {
                section(each.target(), each.what());
            }
            return;
        }
        long start = file.position();
        for (int sum : ParallelSections.read(file, sections)) {
            sums.update(word.clear().putInt(0, sum));
        }
        readBytes += file.position() - start;
    }

    /** Reads the end, and checks that it belongs to all that was read before. */
    public void trailer() throws IOException {
        long before = readBytes;
        ByteBuffer in = ByteBuffer.allocate(DumpOutput.TRAILER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        read(in, "the trailer");
        CRC32C own = new CRC32C();
        own.update(in.duplicate().position(0).limit(DumpOutput.TRAILER_BYTES - 4));
        if (in.getLong(0) != DumpHeader.END_MAGIC
                || in.getInt(DumpOutput.TRAILER_BYTES - 4) != (int) own.getValue()
                || in.getLong(8) != before + DumpOutput.TRAILER_BYTES
                || in.getInt(16) != (int) sums.getValue()) {
            throw new InvalidDumpException("the dump is damaged: its trailer does not belong to what is before it");
        }
    }

    private void read(ByteBuffer to, String what) throws IOException {
        while (to.hasRemaining()) {
            int count = channel.read(to);
            if (count < 0) {
                throw cutOff(readBytes, what);
            }
            readBytes += count;
        }
    }
}
