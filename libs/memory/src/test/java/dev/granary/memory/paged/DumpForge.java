package dev.granary.memory.paged;

import dev.granary.memory.dump.DumpHeader;
import dev.granary.memory.dump.DumpOutput;
import dev.granary.memory.dump.MemoryDumper;
import dev.granary.memory.page.Space;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Changes what is in a dump, and corrects all checksums. */
final class DumpForge {

    private static final int SUM_BYTES = 4;

    /** A part of the file with its checksum behind it; extents and the VMB's header are at an address, others at -1. */
    private record Section(int at, int sizeBytes, long address) {}

    private final ByteBuffer file;
    private final List<Section> sections = new ArrayList<>();
    private final int stripes;

    DumpForge(byte[] dump) {
        this.file = ByteBuffer.wrap(dump.clone()).order(ByteOrder.LITTLE_ENDIAN);
        this.stripes = file.get(15);
        long extentBytes = file.getLong(16);
        int segments = (int) file.getLong(32);
        add((stripes + 1) * MemoryDumper.STRIPE_BYTES, -1);
        add(segments * MemoryDumper.SEGMENT_BYTES, -1);
        int header = (int) Space.headerBytes(stripes);
        add(header, 0);
        for (int i = 0; i < segments; i++) {
            int row = segmentRow(i);
            for (long k = file.getInt(row); k < file.getInt(row) + file.getInt(row + 4); k++) {
                long start = k == 0 ? header : k * extentBytes;
                add((int) ((k + 1) * extentBytes - start), start);
            }
        }
    }

    private void add(int sizeBytes, long address) {
        Section last = sections.isEmpty() ? null : sections.getLast();
        int at = last == null ? DumpHeader.BYTES : last.at + last.sizeBytes + SUM_BYTES;
        sections.add(new Section(at, sizeBytes, address));
    }

    int stripes() {
        return stripes;
    }

    /** The file itself, for the header and the tables. */
    ByteBuffer file() {
        return file;
    }

    /** Where in the file the row of a segment is. */
    int segmentRow(int index) {
        return sections.get(1).at + index * MemoryDumper.SEGMENT_BYTES;
    }

    /** Where in the file the row of a stripe is. */
    int stripeRow(int index) {
        return sections.get(0).at + index * MemoryDumper.STRIPE_BYTES;
    }

    /** Where in the file the VMB's header begins: before it are only the header and tables. */
    int endOfTables() {
        return sections.get(2).at;
    }

    long getLong(long address) {
        return file.getLong(at(address));
    }

    void setLong(long address, long value) {
        file.putLong(at(address), value);
    }

    int getByte(long address) {
        return file.get(at(address)) & 0xff;
    }

    /** The lowest 6 bytes of a number. */
    void setPointer(long address, long value) {
        for (int i = 0; i < 6; i++) {
            file.put(at(address) + i, (byte) (value >>> (8 * i)));
        }
    }

    private int at(long address) {
        for (Section each : sections) {
            if (each.address >= 0 && address >= each.address && address < each.address + each.sizeBytes) {
                return each.at + (int) (address - each.address);
            }
        }
        throw new IllegalArgumentException("0x%x is not in the dump".formatted(address));
    }

    /** Corrects the checksums. */
    byte[] seal() {
        file.putInt(DumpHeader.BYTES - SUM_BYTES, sum(0, DumpHeader.BYTES - SUM_BYTES));
        CRC32C sums = new CRC32C();
        sums.update(file.array(), 0, DumpHeader.BYTES);
        for (Section each : sections) {
            file.putInt(each.at + each.sizeBytes, sum(each.at, each.sizeBytes));
            sums.update(file.array(), each.at + each.sizeBytes, SUM_BYTES);
        }
        int trailer = file.capacity() - DumpOutput.TRAILER_BYTES;
        file.putInt(trailer + 16, (int) sums.getValue());
        file.putInt(trailer + 20, sum(trailer, DumpOutput.TRAILER_BYTES - SUM_BYTES));
        return file.array().clone();
    }

    private int sum(int from, int sizeBytes) {
        CRC32C crc = new CRC32C();
        crc.update(file.array(), from, sizeBytes);
        return (int) crc.getValue();
    }
}
