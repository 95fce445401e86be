package dev.granary.storage.keyed.hot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.overlay.KeySlot;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.CommandTable;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** {@link HotKeys} and a {@link HotKeySession}, with a clock that a test moves. */
class HotKeysTest {

    private static final CommandTable TABLE = CommandTable.redis();
    private static final long SECOND = 1_000_000_000;

    private long now = 5;

    private final HotKeys hotKeys = new HotKeys(new Clock() {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long wallMillis() {
            return 1_700_000_000_000L + now / 1_000_000;
        }
    });

    private static HotKeyOptions options(int sampleRatio) {
        return new HotKeyOptions(true, true, 3, 0, sampleRatio, null);
    }

    private void ran(String words, long nanos, long bytes) {
        HotKeySession active = Objects.requireNonNull(hotKeys.active());
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, UnpooledByteBufAllocator.DEFAULT)) {
            decoder.authenticated(true);
            decoder.add(Unpooled.copiedBuffer(words + "\r\n", StandardCharsets.US_ASCII));
            assertThat(decoder.next()).isEqualTo(RequestDecoder.Step.REQUEST);
            Request request = decoder.request();
            active.add(Objects.requireNonNull(TABLE.find(request)), request, now, nanos, bytes);
        }
    }

    private HotKeyReport report() {
        return hotKeys.report().orElseThrow();
    }

    private static List<String> text(List<HotKeyReport.HotKey> keys) {
        return keys.stream()
                .map(key -> new String(key.key(), StandardCharsets.US_ASCII) + "=" + key.sum())
                .toList();
    }

    @Test
    void session_requestsOfKeys_areSummedByTimeAndByBytes() {
        assertThat(hotKeys.start(options(1))).isTrue();
        ran("SET a 1", 10, 300);
        ran("GET b", 50, 20);
        ran("MGET a b c", 90, 33);
        ran("DBSIZE", 7, 9);
        assertThat(text(report().byTime())).containsExactly("b=80", "a=40", "c=30");
        assertThat(text(report().byBytes())).containsExactly("a=311", "b=31", "c=11");
        assertThat(report().allNanos()).isEqualTo(157);
        assertThat(report().allBytes()).isEqualTo(362);
    }

    @Test
    void session_oneMetric_hasNoKeysOfTheOther() {
        hotKeys.start(new HotKeyOptions(true, false, 3, 0, 1, null));
        ran("SET a 1", 10, 300);
        assertThat(text(report().byTime())).containsExactly("a=10");
        assertThat(report().byBytes()).isEmpty();
    }

    @Test
    void states_startStopAndReset_followOneAnother() {
        assertThat(hotKeys.report()).isEmpty();
        assertThat(hotKeys.stop()).isFalse();
        assertThat(hotKeys.active()).isNull();
        assertThat(hotKeys.start(options(1))).isTrue();
        assertThat(hotKeys.start(options(1))).isFalse();
        assertThat(hotKeys.reset()).isFalse();
        ran("GET a", 10, 10);
        now += 2 * SECOND;
        assertThat(hotKeys.stop()).isTrue();
        assertThat(hotKeys.active()).isNull();
        now += SECOND;
        assertThat(report().active()).isFalse();
        assertThat(report().durationNanos()).isEqualTo(2 * SECOND);
        assertThat(text(report().byTime())).containsExactly("a=10");
        assertThat(hotKeys.start(options(1))).as("begins anew").isTrue();
        assertThat(report().byTime()).isEmpty();
        assertThat(hotKeys.stop()).isTrue();
        assertThat(hotKeys.reset()).isTrue();
        assertThat(hotKeys.report()).isEmpty();
    }

    @Test
    void session_withADuration_endsByItself() {
        hotKeys.start(new HotKeyOptions(true, true, 3, SECOND, 1, null));
        HotKeySession session = Objects.requireNonNull(hotKeys.active());
        ran("GET a", 10, 10);
        now += SECOND + 7;
        ran("GET a", 10, 10);
        assertThat(report().active()).isFalse();
        assertThat(report().durationNanos()).isEqualTo(SECOND);
        assertThat(text(report().byTime())).as("what came too late").containsExactly("a=10");
        assertThat(hotKeys.active()).isNull();
        assertThat(hotKeys.stop()).isFalse();
        assertThat(hotKeys.start(options(1))).isTrue();
        assertThat(hotKeys.active()).isNotSameAs(session);
    }

    @Test
    void session_withASample_looksAtThatPartAndCountsAll() {
        hotKeys.start(options(10));
        for (int i = 0; i < 10_000; i++) {
            // Two keys in turns: each is looked at, although the ratio is even.
            ran(i % 2 == 0 ? "GET a" : "GET b", 1, 2);
        }
        assertThat(report().allNanos()).isEqualTo(10_000);
        assertThat(report().byTime()).hasSize(2).allSatisfy(key -> assertThat(key.sum())
                .isBetween(400L, 600L));
    }

    @Test
    void session_withSlots_looksAtTheirKeysAlone() {
        BitSet slots = new BitSet();
        slots.set(KeySlot.of("a".getBytes(StandardCharsets.US_ASCII)));
        hotKeys.start(new HotKeyOptions(true, true, 3, 0, 2, slots));
        for (int i = 0; i < 1_000; i++) {
            ran("GET a", 10, 20);
            ran("GET b", 10, 20);
        }
        assertThat(report().allNanos()).isEqualTo(20_000);
        assertThat(report().selectedNanos()).isEqualTo(10_000);
        assertThat(report().selectedBytes()).isEqualTo(20_000);
        assertThat(report().sampledNanos()).isBetween(4_000L, 6_000L);
        assertThat(report().sampledBytes()).isEqualTo(2 * report().sampledNanos());
        assertThat(text(report().byTime())).containsExactly("a=" + report().sampledNanos());
    }
}
