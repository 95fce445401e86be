package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;

/**
 * The layout of a group: the entries of one place of the directory in one block. Columns grow from the front, keys and
 * values from the end, so that an entry is added without moving the others' bytes.
 *
 * <pre>
 * 0        8       8 or 16    +n          +n*kw         +n*vw          +n*ew     end-dataBytes               end
 * +--------+-------+----------+-----------+-------------+--------------+-------+---------+-----+---------+
 * | header | base  | n finger-| n key     | n value     | n times,     | slack | entry   | ... | entry 0 |
 * |        | of    | prints,  | codes,    | lengths,    | ew = 0 to 8  |       | n-1     |     | key,    |
 * |        | expiry| 1 B each | kw=0,1,2  | vw = 0,1,2  | B each       |       |         |     | value   |
 * +--------+-------+----------+-----------+-------------+--------------+-------+---------+-----+---------+
 *           only with expiry
 *
 * header
 * 63  59 58        42 41        30 29        18 17  15   14    13  12 11  10 9         2 1    0
 * +-----+------------+------------+------------+------+------+------+------+-----------+------+
 * |  0  | data bytes | value base | key base   |  ew  |expiry|  vw  |  kw  | entries n | kind |
 * +-----+------------+------------+------------+------+------+------+------+-----------+------+
 * </pre>
 *
 * A column's number is base plus what the column holds, so a column that is the same for all takes no byte an entry.
 * The key code is 1 plus the key's length; 0 marks a forward ({@link MapChains}): 16 B instead of key and value, with
 * 17 as value length, so that (key code - 1 + value length) is what any entry takes. Times are
 * described in {@link MapExpiries}.
 */
final class MapGroup {

    /** Lowest 2 bits of the first word of a block: free. */
    static final int KIND_FREE = 0;

    static final int KIND_GROUP = 1;

    /** A part of a large entry. */
    static final int KIND_PIECE = 2;

    static final int MAX_ENTRIES = 255;
    static final int HEADER_BYTES = 8;

    /** What a forward takes of the data, and what it says that it takes. */
    static final int FORWARD_BYTES = 16;

    static final int FORWARD_KEY_CODE = 0;
    static final int FORWARD_VALUE_BYTES = FORWARD_BYTES + 1;

    /** Key lengths and value lengths of entries in a group are smaller. */
    static final int BASE_LIMIT = 1 << 12;

    /** Instead of an entry: there is none. */
    static final long NONE = -1;

    /** Instead of an entry: what was read makes no sense, so somebody writes. */
    static final long TORN = -2;

    private static final long EXPIRY_FLAG = 1L << 14;

    private MapGroup() {}

    static long header(int entries, int keyWidth, int valueWidth, int keyBase, int valueBase, int dataBytes) {
        return KIND_GROUP
                | (long) entries << 2
                | (long) keyWidth << 10
                | (long) valueWidth << 12
                | (long) keyBase << 18
                | (long) valueBase << 30
                | (long) dataBytes << 42;
    }

    /** @param expiryCode says how wide the column of times is: {@link MapExpiries#code} */
    static long withExpiry(long header, int expiryCode) {
        return header | EXPIRY_FLAG | (long) expiryCode << 15;
    }

    /** Returns the header after one more entry with {@code dataBytes} of data. */
    static long plusEntry(long header, int dataBytes) {
        return header + (1L << 2) + ((long) dataBytes << 42);
    }

    /** The header with one entry less. */
    static long minusEntry(long header, int dataBytes) {
        return header - (1L << 2) - ((long) dataBytes << 42);
    }

    static int kind(long header) {
        return (int) header & 3;
    }

    static int entries(long header) {
        return (int) (header >>> 2) & 0xff;
    }

    static int keyWidth(long header) {
        return (int) (header >>> 10) & 3;
    }

    static int valueWidth(long header) {
        return (int) (header >>> 12) & 3;
    }

    static boolean hasExpiry(long header) {
        return (header & EXPIRY_FLAG) != 0;
    }

    static int expiryWidth(long header) {
        return MapExpiries.width((int) (header >>> 15) & 7);
    }

    static int keyBase(long header) {
        return (int) (header >>> 18) & 0xfff;
    }

    static int valueBase(long header) {
        return (int) (header >>> 30) & 0xfff;
    }

    static int dataBytes(long header) {
        return (int) (header >>> 42) & 0x1_ffff;
    }

    /** Where the fingerprints begin, counted from the block's start; the other columns likewise. */
    static int fingerprints(long header) {
        return hasExpiry(header) ? HEADER_BYTES + MapExpiries.BASE_BYTES : HEADER_BYTES;
    }

    static int keyCodes(long header) {
        return fingerprints(header) + entries(header);
    }

    static int valueLengths(long header) {
        return keyCodes(header) + entries(header) * keyWidth(header);
    }

    static int expiries(long header) {
        return valueLengths(header) + entries(header) * valueWidth(header);
    }

    /** The end of the columns. */
    static int columnsEnd(long header) {
        return expiries(header) + entries(header) * expiryWidth(header);
    }

    static int keyCode(MapMemory memory, long block, long header, int index) {
        int width = keyWidth(header);
        return keyBase(header) + (int) memory.number(block + keyCodes(header) + (long) index * width, width);
    }

    static int valueBytes(MapMemory memory, long block, long header, int index) {
        int width = valueWidth(header);
        return valueBase(header) + (int) memory.number(block + valueLengths(header) + (long) index * width, width);
    }

    /** Returns how many bytes of data the first {@code count} entries have. */
    static int dataBefore(MapMemory memory, long block, long header, int count) {
        int sum = count * (keyBase(header) - 1 + valueBase(header));
        sum += sum(memory, block + keyCodes(header), keyWidth(header), count);
        return sum + sum(memory, block + valueLengths(header), valueWidth(header), count);
    }

    private static int sum(MapMemory memory, long address, int width, int count) {
        return switch (width) {
            case 0 -> 0;
            case 1 -> memory.sumOfBytes(address, count);
            default -> memory.sumOfShorts(address, count);
        };
    }

    /**
     * Finds a key.
     *
     * @param blockBytes the block's size
     * @return an entry for the {@code found...} methods, {@link #NONE} or {@link #TORN}; without the group's latch any
     *     of them may be wrong, but all that a found entry names lies in the block
     */
    static long find(
            MapMemory memory,
            long block,
            int blockBytes,
            long header,
            long hash,
            MemorySegment key,
            long keyOffset,
            int keyBytes) {
        int entries = entries(header);
        if (kind(header) != KIND_GROUP || columnsEnd(header) + dataBytes(header) > blockBytes) {
            return TORN;
        }
        long column = block + fingerprints(header);
        long pattern = MapHash.fingerprint(hash) * 0x0101_0101_0101_0101L;
        for (int i = 0; i < entries; i += 8) {
            for (long hits = hits(memory, column, i, entries, pattern); hits != 0; hits &= hits - 1) {
                int index = i + (Long.numberOfTrailingZeros(hits) >>> 3);
                int keyCode = keyCode(memory, block, header, index);
                boolean forward = keyCode == FORWARD_KEY_CODE;
                if (!forward && keyCode != keyBytes + 1) {
                    continue;
                }
                long found = locate(memory, block, blockBytes, header, index, keyCode);
                if (found == TORN) {
                    return TORN;
                }
                long position = block + foundPosition(found);
                boolean same = forward
                        ? MapChains.isKey(memory, position, hash, key, keyOffset, keyBytes)
                        : memory.matches(position, key, keyOffset, keyBytes);
                if (same) {
                    return found;
                }
            }
        }
        return NONE;
    }

    /**
     * Finds the first entry that may have a key, without looking at the keys.
     *
     * @return as {@link #find}
     */
    static long candidate(MapMemory memory, long block, int blockBytes, long header, long hash, int keyBytes) {
        int entries = entries(header);
        if (kind(header) != KIND_GROUP || columnsEnd(header) + dataBytes(header) > blockBytes) {
            return TORN;
        }
        long column = block + fingerprints(header);
        long pattern = MapHash.fingerprint(hash) * 0x0101_0101_0101_0101L;
        for (int i = 0; i < entries; i += 8) {
            for (long hits = hits(memory, column, i, entries, pattern); hits != 0; hits &= hits - 1) {
                int index = i + (Long.numberOfTrailingZeros(hits) >>> 3);
                int keyCode = keyCode(memory, block, header, index);
                if (keyCode == FORWARD_KEY_CODE || keyCode == keyBytes + 1) {
                    return locate(memory, block, blockBytes, header, index, keyCode);
                }
            }
        }
        return NONE;
    }

    /** The found entry with this index, or {@link #TORN} if it would not lie in the block. */
    private static long locate(MapMemory memory, long block, int blockBytes, long header, int index, int keyCode) {
        int valueBytes = valueBytes(memory, block, header, index);
        int size = keyCode - 1 + valueBytes;
        int position = blockBytes - dataBefore(memory, block, header, index) - size;
        if (size < 0 || position < HEADER_BYTES || position + size > blockBytes) {
            return TORN;
        }
        return index | (long) position << 8 | (long) keyCode << 25 | (long) valueBytes << 38;
    }

    /** The highest bit of each byte among eight fingerprints that is the wanted one. */
    private static long hits(MapMemory memory, long column, int from, int entries, long pattern) {
        long hits = zeroBytes(memory.word(column + from) ^ pattern);
        return entries - from < 8 ? hits & ((1L << (8 * (entries - from))) - 1) : hits;
    }

    /** The highest bit of each byte that is 0, and no other. */
    private static long zeroBytes(long word) {
        long low = 0x7f7f_7f7f_7f7f_7f7fL;
        return ~(((word & low) + low) | word | low);
    }

    static int foundIndex(long found) {
        return (int) found & 0xff;
    }

    /** Where its key, or its forward, begins, counted from the block's start. */
    static int foundPosition(long found) {
        return (int) (found >>> 8) & 0x1_ffff;
    }

    static int foundKeyCode(long found) {
        return (int) (found >>> 25) & 0x1fff;
    }

    static int foundValueBytes(long found) {
        return (int) (found >>> 38);
    }

    static boolean isForward(long found) {
        return foundKeyCode(found) == FORWARD_KEY_CODE;
    }
}
