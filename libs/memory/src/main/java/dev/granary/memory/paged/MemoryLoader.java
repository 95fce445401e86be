package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.ReservationException;
import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.FreeCounts;
import dev.granary.memory.dump.DumpCheck;
import dev.granary.memory.dump.DumpHeader;
import dev.granary.memory.dump.DumpInput;
import dev.granary.memory.dump.MemoryDumper;
import dev.granary.memory.dump.Restorer;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes a chunk memory from what {@link MemoryDumper} wrote. Every block gets the address that it had; a walk over the
 * pages rebuilds what lies on the heap. A load that fails leaves no memory reserved.
 */
final class MemoryLoader {

    /**
     * As many as the largest memory has in extents of the largest size. More would take too much heap:
     * the dump is of a far smaller memory.
     */
    private static final long MOST_EXTENTS = (1L << EntryLayout.ADDRESS_BITS) / Extents.MAX_EXTENT_BYTES;

    private final ChunkMemoryConfig config;
    private final DumpInput in;

    private MemoryLoader(ChunkMemoryConfig config, ReadableByteChannel channel) {
        this.config = config;
        this.in = new DumpInput(channel);
    }

    /**
     * Loads a dump.
     *
     * @throws InvalidDumpException if it is damaged, of another version, or does not suit the configuration
     * @throws ReservationException if the operating system refuses the memory
     */
    static PagedChunkMemory load(ChunkMemoryConfig config, ReadableByteChannel channel) throws IOException {
        return new MemoryLoader(config, channel).load();
    }

    private PagedChunkMemory load() throws IOException {
        DumpHeader header = DumpHeader.decode(in.header(DumpHeader.BYTES));
        requireSuitable(header);
        Space space = Space.make(config, header.stripes(), header.extentBytes());
        boolean done = false;
        try {
            Stripes stripes = Stripes.make(space, header.stripes());
            DumpCheck check = new DumpCheck(space, header.stripes());
            read(header, space, stripes, check);
            new Restorer(space, stripes, check).restore(header);
            PagedChunkMemory memory = PagedChunkMemory.of(space, stripes);
            done = true;
            return memory;
        } finally {
            if (!done) {
                space.vmb.close();
            }
        }
    }

    private void requireSuitable(DumpHeader header) {
        require("NID", header.nid(), config.nid());
        require("layout", header.layout(), config.layout());
        long maxCapacityBytes = Math.max(config.capacityBytes(), config.system().maxCapacityBytes());
        if (header.extents() > config.capacityBytes() / header.extentBytes()) {
            throw new InvalidDumpException("the dump has " + header.extents() * header.extentBytes()
                    + " B, the configured capacity is " + config.capacityBytes() + " B: give it more");
        }
        if (config.capacityBytes() < header.extentBytes()
                || maxCapacityBytes / header.extentBytes() > MOST_EXTENTS
                || header.stripes() > Extents.MOST_ARENAS
                || Space.headerBytes(header.stripes()) > maxCapacityBytes) {
            throw new InvalidDumpException("the dump is of a memory of " + header.capacityBytes()
                    + " B in extents of " + header.extentBytes() + " B, which does not suit a capacity of "
                    + maxCapacityBytes + " B");
        }
    }

    private static void require(String what, Object dumped, Object configured) {
        if (!dumped.equals(configured)) {
            throw new InvalidDumpException(
                    "the dump is of a memory with " + what + " " + dumped + ", configured is " + configured);
        }
    }

    private void read(DumpHeader header, Space space, Stripes stripes, DumpCheck check) throws IOException {
        ByteBuffer stripeTable = table(header.stripes() + 1L, MemoryDumper.STRIPE_BYTES, "the table of stripes");
        ByteBuffer segmentTable = table(header.segments(), MemoryDumper.SEGMENT_BYTES, "the table of segments");
        in.section(space.vmb.buffer(0, (int) Space.headerBytes(header.stripes())), "the memory's header");
        List<DumpInput.Section> extents = new ArrayList<>();
        while (segmentTable.hasRemaining()) {
            restoreSegment(space, segmentTable, header.stripes(), check, extents);
        }
        in.sections(extents);
        in.trailer();
        for (int i = 0; i <= header.stripes(); i++) {
            BlockArena arena = stripes.arena(i);
            long allocatedBytes = stripeTable.getLong();
            for (int k = 0; k < FreeCounts.CLASSES; k++) {
                arena.freeCounts().restore(k, stripeTable.getLong(), stripeTable.getLong());
            }
            check.freeLists(arena);
            arena.restore(allocatedBytes);
        }
        check.segments();
    }

    private ByteBuffer table(long rows, int rowBytes, String what) throws IOException {
        ByteBuffer table = ByteBuffer.allocate(Math.toIntExact(rows * rowBytes)).order(ByteOrder.LITTLE_ENDIAN);
        in.section(table, what);
        return table.flip();
    }

    private void restoreSegment(
            Space space, ByteBuffer row, int stripeCount, DumpCheck check, List<DumpInput.Section> sections) {
        Extents extents = space.extents;
        int segment = row.getInt();
        int count = row.getInt();
        int arena = row.getInt();
        int freeBlocks = row.getInt();
        int smallFreeBlocks = row.getInt();
        int tailBytes = row.getInt();
        if (arena < 0 || arena > stripeCount || !extents.restore(segment, count, arena)) {
            throw new InvalidDumpException("the dump has a segment of " + count + " extents at " + segment
                    + ", for which there is no room in a capacity of " + config.capacityBytes()
                    + " B: give it at least as much as the dumped memory had");
        }
        extents.segments().restore(segment, freeBlocks, smallFreeBlocks, row.getLong(), tailBytes);
        check.segment(segment);
        for (long at = extents.start(segment); at < extents.end(segment); ) {
            long end = (at / extents.extentBytes() + 1) * extents.extentBytes();
            sections.add(new DumpInput.Section(
                    space.vmb.buffer(at, (int) (end - at)), "extent " + at / extents.extentBytes()));
            at = end;
        }
    }
}
