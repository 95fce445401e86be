package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoggedCompletionTest {

    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

    /** Records what was read, in words. */
    private static final class Told implements TravellingRequests.Visitor {

        private final List<String> words = new ArrayList<>();
        private Completion completion = new Completion(new byte[0], new long[0]);

        @Override
        public void completed(long clientId, long sequence, Completion told) {
            words.add("completed " + clientId + " " + sequence);
            completion = told;
        }

        @Override
        public void unknown(long clientId, long sequence) {
            words.add("unknown " + clientId + " " + sequence);
        }

        @Override
        public void floor(long clientId, long sequence) {
            words.add("floor " + clientId + " " + sequence);
        }
    }

    private static byte[] bytesOf(LoggedCompletion logged) {
        return Arrays.copyOf(logged.bytes(), logged.sizeBytes());
    }

    private static Told read(byte[] bytes) {
        Told told = new Told();
        LoggedCompletion.read(3, 17, bytes, told);
        return told;
    }

    @Test
    void set_eachWithAStatus_goldenBytes() {
        LoggedCompletion logged = new LoggedCompletion();
        logged.set(new Completion(new byte[] {0, 1, 0}, new long[] {Cid.of(1, 5), Cid.of(1, 6), Cid.of(1, 4)}));

        assertThat(HEX.formatHex(bytesOf(logged))).isEqualTo("01 00 03 8a 80 80 80 80 80 80 01 00 02 01 03 00");
    }

    @Test
    void set_noChunks_saysOnlyTheKind() {
        LoggedCompletion logged = new LoggedCompletion();

        logged.set(LoggedCompletion.UNKNOWN);
        assertThat(read(bytesOf(logged)).words).containsExactly("unknown 3 17");
        logged.set(LoggedCompletion.FLOOR);
        assertThat(read(bytesOf(logged)).words).containsExactly("floor 3 17");
        assertThat(logged.sizeBytes()).isEqualTo(1);
    }

    @Test
    void read_whatWasSet_isTheSame() {
        LoggedCompletion logged = new LoggedCompletion();
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            int count = random.nextInt(200);
            byte[] statuses = new byte[count];
            random.nextBytes(statuses);
            long[] cids = random.longs(count).toArray();

            logged.set(new Completion(statuses, cids));
            Told told = read(bytesOf(logged));

            assertThat(told.words).containsExactly("completed 3 17");
            assertThat(told.completion.cids()).as("seed %d", seed).isEqualTo(cids);
            assertThat(told.completion.answer()).as("seed %d", seed).isEqualTo(statuses);
        }
    }

    @Test
    void read_oneStatusForAll_eachHasIt() {
        Told told = read(HEX.parseHex("00 05 02 02 02"));

        assertThat(told.completion.cids()).containsExactly(1, 2);
        assertThat(told.completion.answer()).containsExactly(5, 5);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "04",
                "00",
                "00 05 02 02",
                "01 00 01 02",
                "00 05 7f 02",
                "00 05 01 ff ff ff ff ff ff ff ff ff ff 01",
                "01 00 ff ff ff ff ff ff ff ff ff 01"
            })
    void read_malformed_isRefused(String hex) {
        assertThatThrownBy(() -> read(hex.isEmpty() ? new byte[0] : HEX.parseHex(hex)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
