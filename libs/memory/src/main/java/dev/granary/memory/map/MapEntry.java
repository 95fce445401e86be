package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;

/**
 * An entry on its way into a group.
 *
 * @param expiry when it expires, in milliseconds; 0 is never
 * @param firstPiece the chain that holds key and value, or 0 if the group shall
 */
record MapEntry(
        long hash,
        MemorySegment key,
        long keyOffset,
        int keyBytes,
        MemorySegment value,
        long valueOffset,
        int valueBytes,
        long expiry,
        long firstPiece) {

    MapEntry withChain(long first) {
        return new MapEntry(hash, key, keyOffset, keyBytes, value, valueOffset, valueBytes, expiry, first);
    }

    /** The same with key and value on the heap, where nobody closes them. Copies what is not there already. */
    MapEntry withOwnBytes() {
        if (firstPiece != 0 || (!key.isNative() && !value.isNative())) {
            return this;
        }
        byte[] bytes = new byte[keyBytes + valueBytes];
        MemorySegment own = MemorySegment.ofArray(bytes);
        MemorySegment.copy(key, keyOffset, own, 0, keyBytes);
        MemorySegment.copy(value, valueOffset, own, keyBytes, valueBytes);
        return new MapEntry(hash, own, 0, keyBytes, own, keyBytes, valueBytes, expiry, 0);
    }

    int keyCode() {
        return firstPiece == 0 ? keyBytes + 1 : MapGroup.FORWARD_KEY_CODE;
    }

    /** The value length that the group notes. */
    int notedValueBytes() {
        return firstPiece == 0 ? valueBytes : MapGroup.FORWARD_VALUE_BYTES;
    }

    /** What it takes of the group's data. */
    int dataBytes() {
        return firstPiece == 0 ? keyBytes + valueBytes : MapGroup.FORWARD_BYTES;
    }

    int payloadBytes() {
        return keyBytes + valueBytes;
    }

    /** Writes key and value, or the forward. */
    void writeData(MapMemory memory, long address) {
        if (firstPiece == 0) {
            memory.copyIn(key, keyOffset, address, keyBytes);
            memory.copyIn(value, valueOffset, address + keyBytes, valueBytes);
        } else {
            memory.setWord(address, firstPiece);
            memory.setWord(address + 8, MapChains.sizes(hash, keyBytes, valueBytes));
        }
    }
}
