package dev.granary.memory.dump;

import dev.granary.memory.InvalidDumpException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads consecutive sections of a dump's file with as many threads as there are processors: what costs time beside the
 * disk, taking memory from the system, copying and checksums, is then shared. Returns when all threads have ended.
 */
final class ParallelSections {

    private static final int PIECE_BYTES = 1 << 20;
    private static final int SUM_BYTES = 4;

    private final FileChannel channel;
    private final List<DumpInput.Section> sections;
    private final long[] offsets;
    private final int[] sums;
    private final AtomicInteger next = new AtomicInteger();
    private volatile @Nullable Exception failure;

    private ParallelSections(FileChannel channel, List<DumpInput.Section> sections) throws IOException {
        this.channel = channel;
        this.sections = sections;
        this.sums = new int[sections.size()];
        this.offsets = new long[sections.size() + 1];
        offsets[0] = channel.position();
        for (int i = 0; i < sections.size(); i++) {
            offsets[i + 1] = offsets[i] + sections.get(i).target().remaining() + SUM_BYTES;
        }
    }

    /**
     * Fills the buffers from the channel's position on, and moves it behind them.
     *
     * @return the checksums in the file, which are right
     * @throws InvalidDumpException if one is wrong or the file ends too early
     */
    static int[] read(FileChannel channel, List<DumpInput.Section> sections) throws IOException {
        ParallelSections reading = new ParallelSections(channel, sections);
        reading.run();
        channel.position(reading.offsets[sections.size()]);
        return reading.sums;
    }

    private void run() throws IOException {
        List<Thread> others = new ArrayList<>();
        for (int i = 1; i < Math.min(Runtime.getRuntime().availableProcessors(), sections.size()); i++) {
            others.add(Thread.ofPlatform().daemon().name("granary-load-" + i).start(this::readSections));
        }
        readSections();
        boolean interrupted = false;
        for (Thread each : others) {
            while (each.isAlive()) {
                try {
                    each.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        switch (failure) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Exception e -> throw new IllegalStateException(e);
        }
    }

    private void readSections() {
        try {
            ByteBuffer word = ByteBuffer.allocateDirect(SUM_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = next.getAndIncrement(); i < sums.length && failure == null; i = next.getAndIncrement()) {
                readSection(i, word.clear());
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
        }
    }

    private void readSection(int index, ByteBuffer word) throws IOException {
        DumpInput.Section section = sections.get(index);
        ByteBuffer target = section.target();
        CRC32C sum = new CRC32C();
        long at = offsets[index];
        while (target.hasRemaining()) {
            int size = Math.min(PIECE_BYTES, target.remaining());
            ByteBuffer piece = target.slice(target.position(), size);
            read(piece, at, section);
            sum.update(piece.flip());
            target.position(target.position() + size);
            at += size;
        }
        read(word, at, section);
        sums[index] = word.getInt(0);
        if (sums[index] != (int) sum.getValue()) {
            throw DumpInput.wrongSum(section.what());
        }
    }

    private void read(ByteBuffer to, long from, DumpInput.Section section) throws IOException {
        long at = from;
        while (to.hasRemaining()) {
            int count = channel.read(to, at);
            if (count < 0) {
                throw DumpInput.cutOff(at, section.what());
            }
            at += count;
        }
    }
}
