package dev.granary.overlay.name;

import java.util.Arrays;

/**
 * Bytes of keys one after the other, in pages that no key crosses.
 *
 * <pre>
 *  +----------------------+-------+----------+
 *  | length, 1 or 2 bytes | bytes | 0 to 3   |   a length below 128 in one byte, else 0x80 | high
 *  +----------------------+-------+----------+   bits, then low byte
 * </pre>
 *
 * Not thread-safe.
 */
final class NameArena {

    /** What a byte takes in the bits that branches see: a 1, then its 8 bits. */
    static final int BITS_PER_BYTE = 9;

    private static final int PAGE_BYTES = 1 << 16;
    private static final int UNITS_PER_PAGE = PAGE_BYTES / NameTrie.KEY_ALIGNMENT;
    private static final int FIRST_PAGE_BYTES = 256;
    private static final int SHORT_LENGTH = 0x80;
    private static final int ARRAY_HEADER_BYTES = 16;
    private static final byte[][] NO_PAGES = {};

    private byte[][] pages = NO_PAGES;
    private int pageCount;

    /** The first free byte of the last page. */
    private int end = PAGE_BYTES;

    private long usedBytes;

    /** Adds a key and returns its place. */
    int add(byte[] key) {
        int sizeBytes = sizeOf(key.length);
        if (end + sizeBytes > PAGE_BYTES) {
            newPage();
        }
        byte[] page = pages[pageCount - 1];
        if (end + sizeBytes > page.length) {
            page = Arrays.copyOf(page, Math.min(PAGE_BYTES, Math.max(2 * page.length, end + sizeBytes)));
            pages[pageCount - 1] = page;
        }
        int at = end;
        if (key.length >= SHORT_LENGTH) {
            page[at++] = (byte) (SHORT_LENGTH | (key.length >> Byte.SIZE));
        }
        page[at++] = (byte) key.length;
        System.arraycopy(key, 0, page, at, key.length);
        int place = (pageCount - 1) * UNITS_PER_PAGE + end / NameTrie.KEY_ALIGNMENT;
        end += sizeBytes;
        usedBytes += sizeBytes;
        return place;
    }

    private void newPage() {
        if (pageCount == Integer.MAX_VALUE / UNITS_PER_PAGE) {
            throw new IllegalStateException("the names take " + pageCount + " pages of 64 KiB already");
        }
        if (pageCount == pages.length) {
            pages = Arrays.copyOf(pages, pageCount + 1 + pageCount / 8);
        }
        pages[pageCount] = new byte[pageCount == 0 ? FIRST_PAGE_BYTES : PAGE_BYTES];
        pageCount++;
        end = 0;
    }

    /** Counts the bytes of a key as unused; they stay until the next compaction. */
    void free(int place) {
        usedBytes -= sizeOf(length(place));
    }

    /** The bytes of a key; a copy. */
    byte[] key(int place) {
        int at = start(place);
        return Arrays.copyOfRange(page(place), at, at + length(place));
    }

    boolean equals(int place, byte[] key) {
        int at = start(place);
        int length = length(place);
        return Arrays.equals(page(place), at, at + length, key, 0, key.length);
    }

    /** The first bit in which a key and a name differ, as branches see them, or -1 when they are equal. */
    int firstDifference(int place, byte[] name) {
        byte[] page = page(place);
        int at = start(place);
        int length = length(place);
        int index = Arrays.mismatch(page, at, at + length, name, 0, name.length);
        if (index < 0) {
            return -1;
        }
        if (index == length || index == name.length) {
            return index * BITS_PER_BYTE;
        }
        int differing = (page[at + index] ^ name[index]) & 0xFF;
        return index * BITS_PER_BYTE + 1 + Integer.numberOfLeadingZeros(differing) - (Integer.SIZE - Byte.SIZE);
    }

    /** The bytes of the keys in use. */
    long usedBytes() {
        return usedBytes;
    }

    /** The bytes that a key takes. */
    static int sizeOf(int keyBytes) {
        int bytes = (keyBytes < SHORT_LENGTH ? 1 : 2) + keyBytes;
        return (bytes + NameTrie.KEY_ALIGNMENT - 1) & -NameTrie.KEY_ALIGNMENT;
    }

    /** Whether at least about a third of the bytes is unused. */
    boolean isWasteful() {
        return pageCount > 1 && usedBytes * 3 < 2L * pageCount * PAGE_BYTES - PAGE_BYTES;
    }

    void clear() {
        pages = NO_PAGES;
        pageCount = 0;
        end = PAGE_BYTES;
        usedBytes = 0;
    }

    long footprintBytes() {
        long bytes = ARRAY_HEADER_BYTES + 4L * pages.length;
        for (int i = 0; i < pageCount; i++) {
            bytes += ARRAY_HEADER_BYTES + pages[i].length;
        }
        return bytes;
    }

    /** Copies keys that are still used into another arena, which then replaces the bytes of this one. */
    final class Move {

        private final NameArena next = new NameArena();

        /** Keeps a key and returns its new place. */
        int keep(int place) {
            return next.add(key(place));
        }

        /** Forgets all keys that were not kept. */
        void finish() {
            pages = next.pages;
            pageCount = next.pageCount;
            end = next.end;
            usedBytes = next.usedBytes;
        }
    }

    Move startCompaction() {
        return new Move();
    }

    private byte[] page(int place) {
        return pages[place / UNITS_PER_PAGE];
    }

    private static int offset(int place) {
        return place % UNITS_PER_PAGE * NameTrie.KEY_ALIGNMENT;
    }

    private int length(int place) {
        byte[] page = page(place);
        int first = page[offset(place)];
        return first >= 0 ? first : ((first & (SHORT_LENGTH - 1)) << Byte.SIZE) | (page[offset(place) + 1] & 0xFF);
    }

    private int start(int place) {
        return offset(place) + (length(place) < SHORT_LENGTH ? 1 : 2);
    }
}
