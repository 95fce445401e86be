package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.LocalKeys;
import dev.granary.resp.Protocol;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class HashScanTest {

    private static final Pattern FIELD = Pattern.compile("\\$\\d+\\|(f\\d+)\\|");

    private final LocalKeys local = new LocalKeys(Protocol.RESP2);

    /** Scans one part, notes its fields, and returns the cursor for the next one. */
    private String scan(String cursor, String options, Set<String> seen) {
        String reply = local.lines("hscan h " + cursor + options);
        Matcher field = FIELD.matcher(reply);
        while (field.find()) {
            seen.add(field.group(1));
        }
        return reply.split("\\|", -1)[2];
    }

    @Test
    void hscan_smallHash_isAnsweredAtOnceWhateverTheCursor() {
        local.answer("hset", "h", "f1", "1", "f2", "2", "g", "3");

        assertThat(local.lines("hscan h 77 count 1 match f*")).isEqualTo("*2|$1|0|*4|$2|f1|$1|1|$2|f2|$1|2|");
        assertThat(local.lines("hscan none 0 nonsense")).isEqualTo("*2|$1|0|*0|");
        assertThat(local.lines("hscan h 0 type hash")).isEqualTo("-ERR syntax error|");
        assertThat(local.lines("hscan h x")).isEqualTo("-ERR invalid cursor|");
    }

    @Test
    void hscan_largeHashThatChanges_answersEveryFieldThatStays() {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 2_000; i++) {
            local.answer("hset", "h", "f" + i, "1");
        }
        Set<String> seen = new HashSet<>();
        int parts = 0;
        String cursor = "0";
        do {
            cursor = scan(cursor, " count 20", seen);
            parts++;
            // Fields up to 999 stay.
            for (int i = 0; i < 10; i++) {
                local.answer("hdel", "h", "f" + (1_000 + random.nextInt(1_000)));
                local.answer("hset", "h", "f" + (10_000 + random.nextInt(10_000)), "1");
            }
        } while (!cursor.equals("0"));
        for (int i = 0; i < 1_000; i++) {
            assertThat(seen).contains("f" + i);
        }
        assertThat(parts).isBetween(50, 200);
    }

    @Test
    void hscan_countOfAll_answersALargeHashAtOnce() {
        for (int i = 0; i < 600; i++) {
            local.answer("hset", "h", "f" + i, "1");
        }
        Set<String> seen = new HashSet<>();

        assertThat(scan("0", " count 600", seen)).isEqualTo("0");
        assertThat(seen).hasSize(600);
        assertThat(local.lines("hscan h 18446744073709551615")).isEqualTo("*2|$1|0|*0|");
    }
}
