package dev.granary.memory.arena;

import dev.granary.memory.VerifierReport;
import dev.granary.memory.os.LongList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Allocated blocks as their owners know them, a word each:
 *
 * <pre>
 *   63 ........................ 21  20 ......... 4  3 ..... 0
 *  +------------------------------+--------------+----------+
 *  | address (43)                 | size (17)    | kind (4) |
 *  +------------------------------+--------------+----------+
 *  size   0: the block is larger than 131,071 bytes, its size is kept aside
 * </pre>
 */
public final class AllocatedBlocks {

    private static final int KIND_BITS = 4;
    private static final int KIND_MASK = (1 << KIND_BITS) - 1;
    private static final int SIZE_BITS = 17;
    private static final int SIZE_MASK = (1 << SIZE_BITS) - 1;
    private static final int ADDRESS_SHIFT = KIND_BITS + SIZE_BITS;

    private final LongList words = new LongList();
    private final Map<Long, Long> largeSizes = new HashMap<>();

    /** Adds a block: its address as it was allocated, without padding, and its size as it will be freed. */
    public void add(long address, long sizeBytes, int kind) {
        long size = sizeBytes;
        if (sizeBytes > SIZE_MASK) {
            size = 0;
            largeSizes.put(address, sizeBytes);
        }
        words.add(address << ADDRESS_SHIFT | size << KIND_BITS | kind);
    }

    public int size() {
        return words.size();
    }

    /** Sorts them, after all have been added, and finds those that are there twice. */
    public void sort(List<String> violations) {
        words.sort();
        for (int i = 1; i < words.size(); i++) {
            if (address(i) == address(i - 1) && violations.size() < VerifierReport.MAX_VIOLATIONS) {
                violations.add("the block at 0x%x has two owners".formatted(address(i)));
            }
        }
    }

    /** The first block at an address or behind it, or -1 if there is none. After sorting. */
    int indexAtOrBehind(long address) {
        int index = words.lowerBound(address << ADDRESS_SHIFT);
        return index == words.size() ? -1 : index;
    }

    long address(int index) {
        return words.get(index) >>> ADDRESS_SHIFT;
    }

    int kind(int index) {
        return (int) words.get(index) & KIND_MASK;
    }

    long sizeBytes(int index) {
        long size = words.get(index) >>> KIND_BITS & SIZE_MASK;
        return size != 0 ? size : largeSizes.getOrDefault(address(index), 0L);
    }
}
