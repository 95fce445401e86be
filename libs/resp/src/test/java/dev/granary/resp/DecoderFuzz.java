package dev.granary.resp;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One try of fuzzing: bytes that a fuzzer made up are decoded as a whole, in random pieces, and by the plain rules; all
 * three must agree. {@code e2e/fuzz/run} lets Jazzer make up the bytes, {@link DecoderFuzzTest} a random generator.
 */
public final class DecoderFuzz {

    /** Small, so that a fuzzer reaches them. */
    static final RequestLimits TIGHT = new RequestLimits(20, 300, 500, 60, 3, 40);

    private DecoderFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(DecoderFuzz::fuzzerTestOneInput);
    }

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

    /** Returns inputs with which a fuzzer begins: the random pipelines of the test, each for both kinds of client. */
    public static List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (long seed = 0; seed < 60; seed++) {
            seeds.add(DecoderFuzzTest.input(seed));
        }
        seeds.add(Wire.bytes("\0\0\0" + Wire.array("SET", "k", "v") + Wire.array("GET", "k") + "GET k\r\n"));
        seeds.add(Wire.bytes("\2\0\7" + "GET \"k\\x41 \\n\" 'it\\'s' plain\r\n*0\r\n*-1\r\n"));
        return seeds;
    }

    private static int[] cuts(long seed, int length) {
        SplittableRandom random = new SplittableRandom(seed);
        int pieces = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
        return random.ints(pieces - 1, 0, length + 1).sorted().toArray();
    }
}
