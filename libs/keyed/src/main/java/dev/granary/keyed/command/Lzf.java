package dev.granary.keyed.command;

/**
 * Reads what LZF has compressed, as Redis compresses strings in dumps. A first byte below 32 says that one more bytes
 * than that follow; else its upper three bits say how many bytes are repeated, and 13 bits say from how far back.
 */
final class Lzf {

    private static final int MOST_LITERAL = 32;

    /** As many as three bits can say; then one more byte adds to it. */
    private static final int LONG_REPEAT = 7;

    private static final int DISTANCE_BITS = 0x1f;

    private Lzf() {}

    /**
     * Returns the bytes that were compressed.
     *
     * @throws CommandException when they are not as many as they should be, or the input is damaged
     */
    static byte[] decompressed(byte[] in, int length) {
        byte[] out = new byte[length];
        try {
            if (fill(in, out) != length) {
                throw DumpReader.badFormat();
            }
        } catch (IndexOutOfBoundsException cutShort) {
            throw DumpReader.badFormat();
        }
        return out;
    }

    private static int fill(byte[] in, byte[] out) {
        int to = 0;
        for (int from = 0; from < in.length; ) {
            int control = Byte.toUnsignedInt(in[from++]);
            if (control < MOST_LITERAL) {
                System.arraycopy(in, from, out, to, control + 1);
                from += control + 1;
                to += control + 1;
                continue;
            }
            int repeated = control >> 5;
            if (repeated == LONG_REPEAT) {
                repeated += Byte.toUnsignedInt(in[from++]);
            }
            int source = to - ((control & DISTANCE_BITS) << Byte.SIZE) - Byte.toUnsignedInt(in[from++]) - 1;
            // Byte by byte: source and target may overlap.
            for (int end = to + repeated + 2; to < end; ) {
                out[to++] = out[source++];
            }
        }
        return to;
    }
}
