package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random pipelines, most of them damaged: {@code -Dgranary.resp.seconds=600} for long, {@code -Dgranary.resp.seed=7}
 * for one seed.
 */
class DecoderFuzzTest {

    private static final long SECONDS = Long.getLong("granary.resp.seconds", 3);

    private static final RequestLimits TIGHT = DecoderFuzz.TIGHT;

    private static final List<String> DICTIONARY = List.of(
            "*",
            "$",
            "*1\r\n",
            "*3\r\n",
            "*-1\r\n",
            "*0\r\n",
            "*21\r\n",
            "*+1\r\n",
            "*01\r\n",
            "$-1\r\n",
            "$0\r\n\r\n",
            "$301\r\n",
            "$41\r\n",
            "\r",
            "\n",
            "\r\n",
            "\"",
            "'",
            "\\x4",
            "\\x41",
            "\\n",
            "\\",
            "GET k\r\n",
            " ",
            "\t",
            "\u000b",
            "\0",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "2147483648",
            "1048577",
            "99999999",
            "100000000",
            "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");

    @Test
    void decoder_randomPipelines_agreeWithThePlainRulesHoweverTheyAreCut() {
        Long only = Long.getLong("granary.resp.seed");
        if (only != null) {
            DecoderFuzz.fuzzerTestOneInput(input(only));
            return;
        }
        long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        long seed = 0;
        while (System.nanoTime() < end || seed < 1_000) {
            long current = seed++;
            try {
                DecoderFuzz.fuzzerTestOneInput(input(current));
            } catch (RuntimeException | Error thrown) {
                throw new AssertionError("seed " + current, thrown);
            }
        }
    }

    @Test
    void fuzz_itsInputs_reachRequestsAndEveryRefusal() {
        List<String> seen = new ArrayList<>();
        for (long seed = 0; seed < 3_000; seed++) {
            seen.addAll(DecodedStream.of(input(seed), TIGHT, seed % 2 == 0));
        }
        for (String wanted : List.of(
                "[GET",
                "too big inline",
                "unbalanced",
                "too big mbulk",
                "invalid multibulk",
                "unauthenticated multibulk",
                "expected '$'",
                "too big bulk",
                "invalid bulk",
                "unauthenticated bulk",
                "too big request")) {
            assertThat(seen).as(wanted).anyMatch(line -> line.contains(wanted));
        }
    }

    @Test
    void comparison_ofUnauthenticatedAndOtherClients_differs() {
        // The opposite: where the two decoders do not do the same, the comparison sees it.
        byte[] bytes = Wire.bytes(Wire.array("SET", "k", "v".repeat(50)));
        assertThat(DecodedStream.of(bytes, TIGHT, true)).isNotEqualTo(ReferenceDecoder.of(bytes, TIGHT, false));
    }

    static byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < 3; i++) {
            out.write(random.nextInt(256));
        }
        for (int parts = random.nextInt(12); parts > 0; parts--) {
            byte[] part = Wire.bytes(part(random));
            for (int damages = random.nextInt(8) - 5; damages > 0 && part.length > 0; damages--) {
                part[random.nextInt(part.length)] = (byte) random.nextInt(256);
            }
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private static String part(SplittableRandom random) {
        switch (random.nextInt(6)) {
            case 0 -> {
                return DICTIONARY.get(random.nextInt(DICTIONARY.size()));
            }
            case 1 -> {
                StringBuilder line = new StringBuilder();
                for (int words = random.nextInt(30); words > 0; words--) {
                    line.append(random.nextBoolean() ? DICTIONARY.get(random.nextInt(DICTIONARY.size())) : "a");
                }
                return line + "\r\n";
            }
            case 2 -> {
                return "GET \"k\\x41 \\n\" 'it\\'s' plain\n";
            }
            default -> {
                String[] arguments = new String[1 + random.nextInt(random.nextInt(4) == 0 ? 24 : 4)];
                arguments[0] = "GET";
                for (int i = 1; i < arguments.length; i++) {
                    arguments[i] = "v".repeat(random.nextInt(random.nextInt(8) == 0 ? 320 : 20));
                }
                return Wire.array(arguments);
            }
        }
    }
}
