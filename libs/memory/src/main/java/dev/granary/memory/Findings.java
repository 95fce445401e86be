package dev.granary.memory;

import java.util.ArrayList;
import java.util.List;

/** What a verification has found so far: violations, and the blocks that entries claim. */
final class Findings {

    private static final int LENGTH_BITS = 12;
    private static final long LENGTH_MASK = (1 << LENGTH_BITS) - 1;

    final List<String> violations = new ArrayList<>();
    long blocks;
    long freeBlocks;
    long chunks;
    long emptyChunks;
    long payloadBytes;
    long tables;

    /** Address and length field of each entry with a block, in one number each: they sort by address. */
    final LongList claims = new LongList();

    /** Where the tables begin that the tree reaches. */
    final LongList tableAddresses = new LongList();

    /** LIDs whose entries say that they lie in a cache. */
    final LongList cachedLids = new LongList();

    void violation(String text) {
        if (violations.size() < VerifierReport.MAX_VIOLATIONS) {
            violations.add(text);
        }
    }

    void claim(long entry) {
        claims.add(EntryLayout.address(entry) << LENGTH_BITS | ((entry >>> EntryLayout.ADDRESS_BITS) & LENGTH_MASK));
    }

    /** The entry that claims a block, or 0. After the claims were sorted. */
    long entryOf(long address) {
        int index = claims.lowerBound(address << LENGTH_BITS);
        if (index == claims.size() || claims.get(index) >>> LENGTH_BITS != address) {
            return 0;
        }
        return address | (claims.get(index) & LENGTH_MASK) << EntryLayout.ADDRESS_BITS;
    }

    void sort() {
        claims.sort();
        tableAddresses.sort();
        cachedLids.sort();
        for (int i = 1; i < claims.size(); i++) {
            long address = claims.get(i) >>> LENGTH_BITS;
            if (address == claims.get(i - 1) >>> LENGTH_BITS) {
                violation("two entries claim the block at 0x%x".formatted(address));
            }
        }
    }
}
