package dev.granary.resp;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One try of fuzzing: bytes that a fuzzer made up are decoded as a whole, in random pieces, and by the plain rules; all
 * three must agree. {@link #fuzzerTestOneInput} has the form that Jazzer calls, too.
 */
public final class DecoderFuzz {

    /** Small, so that a fuzzer reaches them. */
    static final RequestLimits TIGHT = new RequestLimits(20, 300, 500, 60, 3, 40);

    private DecoderFuzz() {}

    /** The first byte says who sends and how much is allowed, the next two how the others are cut. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length < 3) {
            return;
        }
        boolean authenticated = (input[0] & 1) == 0;
        RequestLimits limits = (input[0] & 2) == 0 ? TIGHT : RequestLimits.DEFAULT;
        byte[] bytes = Arrays.copyOfRange(input, 3, input.length);
        List<String> whole = DecodedStream.of(bytes, limits, authenticated);
        int[] cuts = cuts((input[1] << 8) | (input[2] & 0xff), bytes.length);
        List<String> pieces = DecodedStream.of(bytes, limits, authenticated, cuts);
        List<String> expected = ReferenceDecoder.of(bytes, limits, authenticated);
        if (!whole.equals(expected) || !pieces.equals(expected)) {
            throw new AssertionError("expected " + expected + "\nas a whole " + whole + "\ncut at "
                    + Arrays.toString(cuts) + " " + pieces + "\nbytes " + Arrays.toString(bytes) + "\nauthenticated "
                    + authenticated + ", " + limits);
        }
    }

    private static int[] cuts(long seed, int length) {
        SplittableRandom random = new SplittableRandom(seed);
        int pieces = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
        return random.ints(pieces - 1, 0, length + 1).sorted().toArray();
    }
}
