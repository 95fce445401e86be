package dev.granary.storage.door.reply;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * One try of fuzzing: the end of a reply is looked for. A second reader, written plainly, finds the same end, or none.
 * {@code e2e/fuzz/run} lets Jazzer make up the bytes.
 */
public final class ReplyCursorFuzz {

    private static final Pattern NUMBER = Pattern.compile("0|-?[1-9][0-9]{0,18}");

    private ReplyCursorFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(ReplyCursorFuzz::fuzzerTestOneInput);
    }

    /** The bytes are the reply, and what is behind it. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether there is a whole reply. */
    static boolean isRead(byte[] input) {
        ByteBuf replies = Unpooled.wrappedBuffer(input);
        int expected = new PlainReader(input).end();
        int found;
        try {
            found = ReplyCursor.end(replies, 0);
        } catch (IllegalArgumentException | IndexOutOfBoundsException | ArithmeticException refused) {
            found = -1;
        }
        if (found != expected) {
            throw new AssertionError("the reply ends at " + found + ", not " + expected);
        }
        return found >= 0;
    }

    /** Finds ends in the text, with numbers of any size; -1 for none. */
    private static final class PlainReader {

        private final String text;
        private BigInteger at = BigInteger.ZERO;

        PlainReader(byte[] input) {
            text = new String(input, StandardCharsets.ISO_8859_1);
        }

        int end() {
            for (BigInteger open = BigInteger.ONE; open.signum() > 0; open = open.subtract(BigInteger.ONE)) {
                int start = at.bitLength() < Integer.SIZE ? at.intValueExact() : Integer.MAX_VALUE;
                int lineEnd = start < text.length() ? text.indexOf('\r', start) : -1;
                if (lineEnd < 0) {
                    return -1;
                }
                String digits = lineEnd > start ? text.substring(start + 1, lineEnd) : "";
                BigInteger number = number(digits);
                at = BigInteger.valueOf(lineEnd + 2L);
                switch (text.charAt(start)) {
                    case '$', '=', '!' ->
                        at = number.signum() < 0 ? at : at.add(number).add(BigInteger.TWO);
                    case '*', '~', '>' -> open = open.add(number.max(BigInteger.ZERO));
                    case '%' -> open = open.add(number.max(BigInteger.ZERO).multiply(BigInteger.TWO));
                    case '|' ->
                        open = open.add(number.max(BigInteger.ZERO).multiply(BigInteger.TWO))
                                .add(BigInteger.ONE);
                    default -> {}
                }
            }
            return at.compareTo(BigInteger.valueOf(text.length())) > 0 ? -1 : at.intValueExact();
        }

        private static BigInteger number(String digits) {
            if (!NUMBER.matcher(digits).matches()) {
                return BigInteger.ZERO;
            }
            BigInteger number = new BigInteger(digits);
            return number.bitLength() < Long.SIZE ? number : BigInteger.ZERO;
        }
    }

    /** Returns inputs with which a fuzzer begins. */
    public static List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (String reply : List.of(
                "+OK\r\n",
                "-ERR 5 is wrong\r\n",
                ":-7\r\n",
                "$-1\r\n",
                "$5\r\na\r\n*2\r\n",
                "*-1\r\n",
                "*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
                "%2\r\n+a\r\n:1\r\n+b\r\n~1\r\n_\r\n",
                "|1\r\n+ttl\r\n:1\r\n*1\r\n#t\r\n",
                "=7\r\ntxt:abc\r\n",
                "(12345678901234567890\r\n",
                "%4611686018427387904\r\n:1\r\n",
                "%-1\r\n:1\r\n")) {
            seeds.add(reply.getBytes(StandardCharsets.ISO_8859_1));
        }
        return seeds;
    }
}
