package dev.granary.resp.acl;

import java.util.HexFormat;
import java.util.Locale;

/**
 * Chunks that may be read, or written, or both: those whose CIDs, compared unsigned, are in a range.
 *
 * <pre>
 *   ^8000                                 all chunks that the storage peer with this NID has created
 *   ^8000000000000001-80000000000000ff    CIDs from the first to the last
 *   ^*                                    all chunks
 *   %R^8000  %W^8000                      only to read them, only to write them
 * </pre>
 *
 * @param first the smallest CID
 * @param last the largest CID
 */
record ChunkRange(boolean read, boolean write, long first, long last) {

    private static final int NID_DIGITS = 4;
    private static final int CID_DIGITS = 16;
    private static final int LID_BITS = 48;
    private static final long LARGEST_LID = (1L << LID_BITS) - 1;

    private static final long LARGEST_NID = 0xFFFF;

    /** All CIDs, as they are compared unsigned. */
    private static final long LARGEST_CID = -1;

    /** Returns whether a rule is about chunks. */
    static boolean isRule(String rule) {
        return rule.startsWith("^") || rule.toUpperCase(Locale.ROOT).matches("%[RW]{1,2}\\^.*");
    }

    static ChunkRange all() {
        return new ChunkRange(true, true, 0, LARGEST_CID);
    }

    /**
     * Reads a rule about chunks.
     *
     * @throws RuleException when it is malformed
     */
    static ChunkRange parse(String rule) throws RuleException {
        int caret = rule.indexOf('^');
        String how = caret < 1 ? "RW" : rule.substring(1, caret).toUpperCase(Locale.ROOT);
        boolean isKnown = how.equals("R") || how.equals("W") || how.equals("RW") || how.equals("WR");
        if (!isKnown) {
            throw malformed();
        }
        boolean read = how.contains("R");
        boolean write = how.contains("W");
        String chunks = rule.substring(caret + 1);
        if (chunks.equals("*")) {
            return new ChunkRange(read, write, 0, LARGEST_CID);
        }
        int dash = chunks.indexOf('-');
        if (dash < 0) {
            long nid = hex(chunks, NID_DIGITS);
            return new ChunkRange(read, write, firstOf(nid), lastOf(nid));
        }
        long first = hex(chunks.substring(0, dash), CID_DIGITS);
        long last = hex(chunks.substring(dash + 1), CID_DIGITS);
        if (Long.compareUnsigned(first, last) > 0) {
            throw malformed();
        }
        return new ChunkRange(read, write, first, last);
    }

    /** Returns the smallest CID of the chunks that a storage peer creates. */
    static long firstOf(long nid) {
        return nid << LID_BITS;
    }

    /** Returns the largest one. */
    static long lastOf(long nid) {
        return firstOf(nid) | LARGEST_LID;
    }

    private static long hex(String digits, int count) throws RuleException {
        if (digits.length() != count || !digits.chars().allMatch(HexFormat::isHexDigit)) {
            throw malformed();
        }
        return HexFormat.fromHexDigitsToLong(digits);
    }

    private static RuleException malformed() {
        return new RuleException("Chunks are ^* for all, ^NID with four hexadecimal digits for those of a storage peer,"
                + " or ^FROM-TO with two CIDs of 16 hexadecimal digits, the first not above the second");
    }

    /** Returns whether another range has the same chunks. */
    boolean isOfSame(ChunkRange other) {
        return first == other.first && last == other.last;
    }

    /** Returns the range with what another one allows for the same chunks. */
    ChunkRange with(ChunkRange other) {
        return new ChunkRange(read || other.read, write || other.write, first, last);
    }

    /** Returns whether it allows that, for all chunks from one to another. */
    boolean allows(boolean reading, boolean writing, long from, long to) {
        return (read || !reading)
                && (write || !writing)
                && Long.compareUnsigned(first, from) <= 0
                && Long.compareUnsigned(to, last) <= 0;
    }

    /** Returns whether all chunks of some storage peer are in the range, and may be changed. */
    boolean allowsACreator() {
        long nid = first >>> LID_BITS;
        if (first != firstOf(nid)) {
            nid++;
        }
        return write && nid <= LARGEST_NID && Long.compareUnsigned(lastOf(nid), last) <= 0;
    }

    /** Returns the rule that says the same. */
    String text() {
        return (read && write ? "^" : read ? "%R^" : "%W^") + chunks();
    }

    private String chunks() {
        if (first == 0 && last == LARGEST_CID) {
            return "*";
        }
        long nid = first >>> LID_BITS;
        HexFormat hex = HexFormat.of();
        return first == firstOf(nid) && last == lastOf(nid)
                ? hex.toHexDigits((short) nid)
                : hex.toHexDigits(first) + "-" + hex.toHexDigits(last);
    }
}
