package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;

/**
 * Entries too large for a group lie in a chain of blocks of their own, key first, then value. The group has a forward:
 *
 * <pre>{@code
 * forward                                              piece
 * 0                8                          16        0                 8        16      24
 * +----------------+--------------------------+         +-----------------+--------+-------+-----------+
 * | word of the    | check 22 | key length 17 |         | kind, bytes in  | word of| hash  | bytes ... |
 * | first piece    |          | value len. 25 |         | this piece << 8 | next/0 |       |           |
 * +----------------+--------------------------+         +-----------------+--------+-------+-----------+
 * }</pre>
 *
 * The hash leads from a piece to its group, when it has to move. Writes happen under the group's latch; what is read
 * without it may be nonsense, so reads stop at what cannot be and the caller validates.
 */
final class MapChains {

    static final int PIECE_HEADER_BYTES = 24;

    /** What key and value of one entry may take. */
    static final int MAX_ENTRY_BYTES = 16 << 20;

    /** What a key may take. */
    static final int MAX_KEY_BYTES = 64 << 10;

    private static final int NEXT = 8;
    private static final int HASH = 16;

    private final MapMemory memory;
    private final MapSlabs slabs;
    private final int maxBlockBytes;

    MapChains(MapMemory memory, MapSlabs slabs, int maxBlockBytes) {
        this.memory = memory;
        this.slabs = slabs;
        this.maxBlockBytes = maxBlockBytes;
    }

    static long sizes(long hash, int keyBytes, int valueBytes) {
        return MapHash.check(hash) << 42 | (long) keyBytes << 25 | valueBytes;
    }

    /** The first piece of a forward. */
    static long first(MapMemory memory, long forward) {
        return memory.word(forward);
    }

    static int keyBytes(MapMemory memory, long forward) {
        return (int) (memory.word(forward + 8) >>> 25) & 0x1_ffff;
    }

    static int valueBytes(MapMemory memory, long forward) {
        return (int) memory.word(forward + 8) & 0x1ff_ffff;
    }

    /** Whether a forward leads to this key. */
    static boolean isKey(MapMemory memory, long forward, long hash, MemorySegment key, long keyOffset, int keyBytes) {
        long sizes = memory.word(forward + 8);
        if (sizes >>> 42 != MapHash.check(hash) || ((sizes >>> 25) & 0x1_ffff) != keyBytes) {
            return false;
        }
        return compare(memory, first(memory, forward), 0, key, keyOffset, keyBytes);
    }

    /** Whether a value is the same as these bytes. */
    static boolean isValue(MapMemory memory, long forward, MemorySegment value, long valueOffset, int valueBytes) {
        return valueBytes(memory, forward) == valueBytes
                && compare(memory, first(memory, forward), keyBytes(memory, forward), value, valueOffset, valueBytes);
    }

    private static boolean compare(
            MapMemory memory, long first, int skipBytes, MemorySegment other, long offset, int sizeBytes) {
        int skip = skipBytes;
        int done = 0;
        for (long piece = first; done < sizeBytes; piece = next(memory, piece)) {
            int size = payloadBytes(memory, piece);
            if (size == 0) {
                return false;
            }
            int part = Math.min(size - Math.min(size, skip), sizeBytes - done);
            long from = MapBlockSizes.address(piece) + PIECE_HEADER_BYTES + Math.min(size, skip);
            if (part > 0 && !memory.matches(from, other, offset + done, part)) {
                return false;
            }
            skip -= Math.min(size, skip);
            done += part;
        }
        return true;
    }

    /**
     * Copies a part of key and value, which follow each other.
     *
     * @return false if the chain is torn
     */
    static boolean copyOut(
            MapMemory memory, long first, int skipBytes, MemorySegment target, long offset, int sizeBytes) {
        int skip = skipBytes;
        int done = 0;
        for (long piece = first; done < sizeBytes; piece = next(memory, piece)) {
            int size = payloadBytes(memory, piece);
            if (size == 0) {
                return false;
            }
            int skipped = Math.min(size, skip);
            int part = Math.min(size - skipped, sizeBytes - done);
            long from = MapBlockSizes.address(piece) + PIECE_HEADER_BYTES + skipped;
            memory.copyOut(from, target, offset + done, part);
            skip -= skipped;
            done += part;
        }
        return true;
    }

    /**
     * Writes a chain. If it cannot be written because others close key or value meanwhile,
     * nothing has been taken either.
     *
     * @return its first piece, or 0 if there is no room; then nothing has been taken
     */
    long write(MapEntry entry) {
        int size = entry.payloadBytes();
        long first = 0;
        long last = 0;
        int done = 0;
        try {
            while (done < size) {
                int payload = Math.min(size - done, maxBlockBytes - PIECE_HEADER_BYTES);
                long piece = slabs.allocate(MapBlockSizes.classFor(payload + PIECE_HEADER_BYTES));
                if (piece == 0) {
                    return 0;
                }
                memory.setWord(MapBlockSizes.address(piece) + NEXT, 0);
                if (last == 0) {
                    first = piece;
                } else {
                    memory.setWord(MapBlockSizes.address(last) + NEXT, piece);
                }
                last = piece;
                writePiece(MapBlockSizes.address(piece), entry, done, payload);
                done += payload;
            }
            return first;
        } finally {
            if (done < size) {
                free(first);
            }
        }
    }

    private void writePiece(long address, MapEntry entry, int done, int payload) {
        memory.setWord(address + HASH, entry.hash());
        int ofKey = Math.clamp((long) entry.keyBytes() - done, 0, payload);
        memory.copyIn(entry.key(), entry.keyOffset() + done, address + PIECE_HEADER_BYTES, ofKey);
        memory.copyIn(
                entry.value(),
                entry.valueOffset() + done + ofKey - entry.keyBytes(),
                address + PIECE_HEADER_BYTES + ofKey,
                payload - ofKey);
        memory.setRelease(address, MapGroup.KIND_PIECE | (long) payload << 8);
    }

    /** Frees a chain. */
    void free(long first) {
        long piece = first;
        while (piece != 0) {
            long next = next(memory, piece);
            slabs.free(piece);
            piece = next;
        }
    }

    /** The next piece, or 0. */
    static long next(MapMemory memory, long piece) {
        return memory.word(MapBlockSizes.address(piece) + NEXT);
    }

    static void setFirst(MapMemory memory, long forward, long first) {
        memory.setWord(forward, first);
    }

    static void setNext(MapMemory memory, long piece, long next) {
        memory.setWord(MapBlockSizes.address(piece) + NEXT, next);
    }

    static long hash(MapMemory memory, long piece) {
        return memory.word(MapBlockSizes.address(piece) + HASH);
    }

    /** How many bytes a piece holds, or 0 if this is no piece. */
    static int payloadBytes(MapMemory memory, long piece) {
        long address = MapBlockSizes.address(piece);
        if (address == 0
                || MapBlockSizes.sizeClass(piece) >= MapBlockSizes.COUNT
                || address > memory.capacityBytes() - MapBlockSizes.MAX_BYTES) {
            return 0;
        }
        long header = memory.word(address);
        long payload = header >>> 8;
        if ((header & 0xff) != MapGroup.KIND_PIECE || payload > MapBlockSizes.sizeOf(piece) - PIECE_HEADER_BYTES) {
            return 0;
        }
        return (int) payload;
    }
}
