package dev.granary.memory.dump;

import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.FreeCounts;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;

/**
 * Writes all of a chunk memory to a channel: the segments as they are, and what of them is known on the heap and cannot
 * be found by looking at the pages (ADR 0019).
 */
public final class MemoryDumper {

    /** What a segment takes in the table of segments. */
    public static final int SEGMENT_BYTES = 32;

    /** What a stripe takes in the table of stripes; the arena of nodes follows them. */
    public static final int STRIPE_BYTES = 8 + FreeCounts.CLASSES * 16;

    private final Space space;
    private final Stripes stripes;

    public MemoryDumper(Space space, Stripes stripes) {
        this.space = space;
        this.stripes = stripes;
    }

    /**
     * Writes the dump.
     *
     * @throws IllegalStateException if an operation is changing something
     */
    public void dump(WritableByteChannel channel) throws IOException {
        dump(channel, 0);
    }

    /** Takes the locks of all stripes, then writes: nothing is created or deleted meanwhile. */
    private void dump(WritableByteChannel channel, int locked) throws IOException {
        if (locked == stripes.count()) {
            requireQuiet();
            write(new DumpOutput(channel));
            return;
        }
        Stripe stripe = stripes.get(locked);
        stripe.lock.lock();
        try {
            stripe.prepare(false);
            dump(channel, locked + 1);
        } finally {
            stripe.lock.unlock();
        }
    }

    private void requireQuiet() {
        space.nids.forEach((nid, table) -> table.forEachPage(page -> {
            if (!Latch.isReadable(space.vmb.getAcquire(page + Page.LATCH))) {
                throw new IllegalStateException("a chunk is being changed: a dump needs all writers to have stopped");
            }
        }));
    }

    private void write(DumpOutput out) throws IOException {
        Vmb vmb = space.vmb;
        Extents extents = space.extents;
        out.header(header().encode());
        out.section(stripeTable());
        out.section(segmentTable());
        out.section(vmb.buffer(0, (int) Space.headerBytes(stripes.count())));
        for (int segment = 0; segment < extents.count(); segment++) {
            if (extents.span(segment) > 0) {
                writeSegment(out, segment);
            }
        }
        out.trailer();
    }

    private void writeSegment(DumpOutput out, int segment) throws IOException {
        Extents extents = space.extents;
        for (long at = extents.start(segment); at < extents.end(segment); ) {
            long end = (at / extents.extentBytes() + 1) * extents.extentBytes();
            out.section(space.vmb.buffer(at, (int) (end - at)));
            at = end;
        }
    }

    private DumpHeader header() {
        long chunks = 0;
        long payload = 0;
        for (int i = 0; i < stripes.count(); i++) {
            chunks += stripes.get(i).books().chunks();
            payload += stripes.get(i).books().payloadBytes();
        }
        Extents extents = space.extents;
        return new DumpHeader(
                space.nid,
                space.layout,
                stripes.count(),
                extents.extentBytes(),
                space.vmb.capacityBytes(),
                countSegments(),
                extents.takenExtents(),
                space.numbers.firstLid(),
                space.numbers.endLid(),
                space.numbers.next(),
                chunks,
                payload);
    }

    private int countSegments() {
        int count = 0;
        for (int i = 0; i < space.extents.count(); i++) {
            count += space.extents.span(i) > 0 ? 1 : 0;
        }
        return count;
    }

    private ByteBuffer stripeTable() {
        int arenas = stripes.count() + 1;
        ByteBuffer out = ByteBuffer.allocate(arenas * STRIPE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < arenas; i++) {
            BlockArena arena = stripes.arena(i);
            out.putLong(arena.allocatedBytes());
            for (int k = 0; k < FreeCounts.CLASSES; k++) {
                out.putLong(arena.freeCounts().blocks(k))
                        .putLong(arena.freeCounts().bytes(k));
            }
        }
        return out.flip();
    }

    private ByteBuffer segmentTable() {
        Extents extents = space.extents;
        Segments segments = extents.segments();
        ByteBuffer out = ByteBuffer.allocate(countSegments() * SEGMENT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < extents.count(); i++) {
            if (extents.span(i) > 0) {
                out.putInt(i).putInt(extents.span(i)).putInt(extents.owner(extents.start(i)));
                out.putInt(segments.freeBlocks(i))
                        .putInt(segments.smallFreeBlocks(i))
                        .putInt(segments.tailBytes(i));
                out.putLong(segments.freeBytes(i));
            }
        }
        return out.flip();
    }
}
