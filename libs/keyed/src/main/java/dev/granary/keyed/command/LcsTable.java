package dev.granary.keyed.command;

/**
 * The lengths of what all beginnings of two strings have in common. The path back through them decides which of several
 * answers is given; it is Redis's, so that the answers are the same.
 */
final class LcsTable {

    private final byte[] a;
    private final byte[] b;

    /** Rows for beginnings of a, columns for those of b; the empty ones are the first. */
    private final int[] lengths;

    private final int columns;

    /** Takes matches, the last one first. */
    @FunctionalInterface
    interface MatchVisitor {
        void visit(int aFirst, int bFirst, int length);
    }

    /**
     * Fills the table.
     *
     * @throws CommandException when it would have more bytes than a value may have: as in Redis
     */
    LcsTable(byte[] a, byte[] b) {
        this.a = a;
        this.b = b;
        columns = b.length + 1;
        if ((long) (a.length + 1) * columns * Integer.BYTES > Strings.MOST_BYTES) {
            throw new CommandException("ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len");
        }
        lengths = new int[(a.length + 1) * columns];
        for (int i = 1; i <= a.length; i++) {
            for (int j = 1; j <= b.length; j++) {
                lengths[i * columns + j] =
                        a[i - 1] == b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
            }
        }
    }

    private int at(int i, int j) {
        return lengths[i * columns + j];
    }

    /** Returns how many bytes the strings have in common. */
    int length() {
        return at(a.length, b.length);
    }

    /** Returns the bytes that the strings have in common. */
    byte[] common() {
        byte[] common = new byte[length()];
        int left = common.length;
        for (int i = a.length, j = b.length; i > 0 && j > 0; ) {
            if (a[i - 1] == b[j - 1]) {
                common[--left] = a[i - 1];
                i--;
                j--;
            } else if (goesUp(i, j)) {
                i--;
            } else {
                j--;
            }
        }
        return common;
    }

    /** Shows the runs of bytes that the strings have in common, from the end. */
    void forEachMatch(MatchVisitor visitor) {
        int run = 0;
        int i = a.length;
        int j = b.length;
        while (i > 0 && j > 0) {
            if (a[i - 1] == b[j - 1]) {
                run++;
                i--;
                j--;
                continue;
            }
            if (run > 0) {
                visitor.visit(i, j, run);
                run = 0;
            }
            if (goesUp(i, j)) {
                i--;
            } else {
                j--;
            }
        }
        if (run > 0) {
            visitor.visit(i, j, run);
        }
    }

    private boolean goesUp(int i, int j) {
        return at(i - 1, j) > at(i, j - 1);
    }
}
