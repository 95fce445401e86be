package dev.granary.overlay.tree;

import java.util.Arrays;

/**
 * A table of unsigned 32-bit numbers: rows of {@value #COLUMNS} columns, packed to the bits that their values need.
 * Rows lie in blocks of {@value #BLOCK_ROWS}; a block stores for each column the least value and the width of the
 * differences from it, so columns whose values hardly differ cost next to nothing.
 *
 * <pre>
 *  word 0        bit offset of each column within a row, 6 x u8
 *  word 1        bits of each column, 6 x u8
 *  words 2..4    least value of each column, 6 x u32
 *  words 5..     rows without padding: row r, column c at bit r * (bits of a row) + offset of c
 * </pre>
 *
 * The last column says whether a row is in use: the values of a row that has 0 there are not kept. Not thread-safe for
 * writers; a racing reader may throw or read nonsense, and must validate.
 */
final class PackedRows {

    /** The number of columns. */
    static final int COLUMNS = 6;

    /** Rows of a block. */
    static final int BLOCK_ROWS = 1 << 8;

    private static final int BLOCK_SHIFT = 8;
    private static final int ROW_MASK = BLOCK_ROWS - 1;
    private static final int USE_COLUMN = COLUMNS - 1;
    private static final int HEADER_WORDS = 5;

    /** While a block is being filled its columns are this many bits wider than needed. */
    private static final int SPARE_BITS = 2;

    private static final int HEADER_BITS = HEADER_WORDS * Long.SIZE;
    private static final int FIRST_BASE_WORD = 2;
    private static final long UNSIGNED_INT = 0xFFFF_FFFFL;
    private static final int ARRAY_HEADER_BYTES = 16;
    private static final long[][] NO_BLOCKS = {};

    private long[][] blocks = NO_BLOCKS;

    /** The value of a column of a row below {@link #capacity}. */
    long get(int row, int column) {
        long[] block = blocks[row >> BLOCK_SHIFT];
        return get(block, row & ROW_MASK, column);
    }

    private static long get(long[] block, int row, int column) {
        int width = byteOf(block[1], column);
        long base = base(block, column);
        return base + bits(block, position(block, row, column), width);
    }

    /** Whether the value can be stored without repacking the block. */
    private static boolean fits(long[] block, int column, long value) {
        long base = base(block, column);
        return value >= base && value - base <= mask(byteOf(block[1], column));
    }

    /** Sets one column of a row that is in use. */
    void set(int row, int column, long value) {
        int number = row >> BLOCK_SHIFT;
        long[] block = blocks[number];
        if (fits(block, column, value)) {
            store(block, row & ROW_MASK, column, value);
            return;
        }
        long[] values = unpack(block);
        values[(row & ROW_MASK) * COLUMNS + column] = value;
        blocks[number] = pack(values, 0);
    }

    /** Sets all columns of a row below {@link #capacity}; the last one must not be 0. */
    void setRow(int row, long[] values) {
        int number = row >> BLOCK_SHIFT;
        int inBlock = row & ROW_MASK;
        long[] block = blocks[number];
        boolean last = inBlock == ROW_MASK;
        boolean fit = true;
        for (int column = 0; column < COLUMNS; column++) {
            fit &= fits(block, column, values[column]);
        }
        if (fit && !last) {
            for (int column = 0; column < COLUMNS; column++) {
                store(block, inBlock, column, values[column]);
            }
            return;
        }
        long[] all = unpack(block);
        System.arraycopy(values, 0, all, inBlock * COLUMNS, COLUMNS);
        // Rows are filled in order. Spare bits save repacking until the last row is set, which drops them.
        blocks[number] = pack(all, last ? 0 : SPARE_BITS);
    }

    /** The number of rows for which there is room. */
    int capacity() {
        return blocks.length << BLOCK_SHIFT;
    }

    /** Makes room for {@value #BLOCK_ROWS} rows or more after the last one; none of them is in use. */
    void grow() {
        int old = blocks.length;
        // An eighth more: a pointer serves 256 rows, so spare pointers cost little.
        long[][] grown = Arrays.copyOf(blocks, old + 1 + old / 8);
        long[] empty = pack(new long[BLOCK_ROWS * COLUMNS], 0);
        for (int i = old; i < grown.length; i++) {
            grown[i] = empty.clone();
        }
        blocks = grown;
    }

    /** Forgets all rows. */
    void clear() {
        blocks = NO_BLOCKS;
    }

    /** The bytes of heap of all blocks. */
    long footprintBytes() {
        long bytes = ARRAY_HEADER_BYTES + 4L * blocks.length;
        for (long[] block : blocks) {
            bytes += ARRAY_HEADER_BYTES + 8L * block.length;
        }
        return bytes;
    }

    private static long[] unpack(long[] block) {
        long[] values = new long[BLOCK_ROWS * COLUMNS];
        for (int i = 0; i < values.length; i++) {
            values[i] = get(block, i / COLUMNS, i % COLUMNS);
        }
        return values;
    }

    private static long[] pack(long[] values, int spareBits) {
        long[] header = new long[HEADER_WORDS];
        int rowBits = 0;
        for (int column = 0; column < COLUMNS; column++) {
            long min = Long.MAX_VALUE;
            long max = 0;
            for (int row = 0; row < values.length; row += COLUMNS) {
                if (column == USE_COLUMN || values[row + USE_COLUMN] != 0) {
                    min = Math.min(min, values[row + column]);
                    max = Math.max(max, values[row + column]);
                }
            }
            long least = Math.min(min, max);
            int width = Long.SIZE - Long.numberOfLeadingZeros(max - least);
            int spare = width == 0 ? 0 : Math.min(spareBits, Integer.SIZE - width);
            header[0] |= (long) rowBits << (column * Byte.SIZE);
            header[1] |= (long) (width + spare) << (column * Byte.SIZE);
            header[FIRST_BASE_WORD + (column >> 1)] |= least << ((column & 1) * Integer.SIZE);
            rowBits += width + spare;
        }
        long[] block = Arrays.copyOf(header, HEADER_WORDS + (BLOCK_ROWS * rowBits + Long.SIZE - 1) / Long.SIZE);
        for (int i = 0; i < values.length; i++) {
            int column = i % COLUMNS;
            boolean kept = column == USE_COLUMN || values[i - column + USE_COLUMN] != 0;
            store(block, i / COLUMNS, column, kept ? values[i] : base(block, column));
        }
        return block;
    }

    private static void store(long[] block, int row, int column, long value) {
        int width = byteOf(block[1], column);
        if (width == 0) {
            return;
        }
        long difference = value - base(block, column);
        long position = position(block, row, column);
        int word = (int) (position >>> 6);
        int shift = (int) position & (Long.SIZE - 1);
        block[word] = (block[word] & ~(mask(width) << shift)) | (difference << shift);
        if (shift + width > Long.SIZE) {
            int done = Long.SIZE - shift;
            block[word + 1] = (block[word + 1] & ~(mask(width) >>> done)) | (difference >>> done);
        }
    }

    private static long bits(long[] block, long position, int width) {
        if (width == 0) {
            return 0;
        }
        int word = (int) (position >>> 6);
        int shift = (int) position & (Long.SIZE - 1);
        long value = block[word] >>> shift;
        if (shift + width > Long.SIZE) {
            value |= block[word + 1] << (Long.SIZE - shift);
        }
        return value & mask(width);
    }

    private static long position(long[] block, int row, int column) {
        int rowBits = byteOf(block[0], USE_COLUMN) + byteOf(block[1], USE_COLUMN);
        return HEADER_BITS + (long) row * rowBits + byteOf(block[0], column);
    }

    private static int byteOf(long word, int index) {
        return (int) (word >>> (index * Byte.SIZE)) & 0xFF;
    }

    private static long base(long[] block, int column) {
        return block[FIRST_BASE_WORD + (column >> 1)] >>> ((column & 1) * Integer.SIZE) & UNSIGNED_INT;
    }

    private static long mask(int width) {
        return (1L << width) - 1;
    }
}
