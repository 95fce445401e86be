package dev.granary.storage.keyed.hot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.granary.env.Clock;
import dev.granary.net.message.SlotGroupMessages.HotKeyList.HotKey;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.command.CommandTable;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class KeyHeatTest {

    private static final CommandTable TABLE = CommandTable.redis();
    private static final int GROUP = 0xBFFE;
    private static final int OTHER_GROUP = 0x7FFE;

    private long now = 7;

    private final KeyHeat heat = new KeyHeat(new Clock() {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    });

    private void add(int group, String words, int times) {
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, UnpooledByteBufAllocator.DEFAULT)) {
            decoder.authenticated(true);
            decoder.add(Unpooled.copiedBuffer(words + "\r\n", StandardCharsets.ISO_8859_1));
            assertThat(decoder.next()).isEqualTo(RequestDecoder.Step.REQUEST);
            for (int i = 0; i < times; i++) {
                heat.add(group, Objects.requireNonNull(TABLE.find(decoder.request())), decoder.request());
            }
        }
    }

    @Test
    void isSampled_manyRequests_areOneOfSoManyWhateverTheirTurns() {
        int[] sampled = new int[4];
        for (int number = 1; number <= 1 << 20; number++) {
            sampled[number % 4] += KeyHeat.isSampled(number) ? 1 : 0;
        }
        for (int turn : sampled) {
            assertThat(turn).isCloseTo((1 << 18) / KeyHeat.SAMPLED, within(500));
        }
    }

    @Test
    void hottest_steadyRequests_tellTheirRateGroupAndBytes() {
        for (int second = 0; second < 60; second++) {
            add(GROUP, "GET h\u00e4t", 10);
            add(OTHER_GROUP, "SET mild x", 3);
            now += 1_000_000_000;
        }
        assertThat(heat.hottest(10).keys()).hasSize(2).first().satisfies(hot -> {
            assertThat(hot.key()).isEqualTo("h\u00e4t");
            assertThat(hot.groupNid()).isEqualTo(GROUP);
            assertThat(hot.perSecond()).isCloseTo(10L * KeyHeat.SAMPLED, within(20L));
        });
        assertThat(heat.hottest(10).keys().getLast().groupNid()).isEqualTo(OTHER_GROUP);
        assertThat(heat.hottest(1).keys()).extracting(HotKey::key).containsExactly("h\u00e4t");
    }

    @Test
    void hottest_requestsHaveEnded_keyIsForgottenWithinAMinute() {
        add(GROUP, "GET once", 500);
        now += KeyHeat.HALVED_NANOS;
        assertThat(heat.hottest(10).keys()).hasSize(1);
        now += 60_000_000_000L;
        assertThat(heat.hottest(10).keys()).isEmpty();
        now += 1L << 60;
        add(GROUP, "GET late", 1);
        assertThat(heat.hottest(10).keys()).extracting(HotKey::key).containsExactly("late");
    }

    @Test
    void add_requestForSeveralKeysOrNone_eachOfThemCounts() {
        add(GROUP, "MGET a b", 4);
        add(GROUP, "PING", 9);
        assertThat(heat.hottest(10).keys()).extracting(HotKey::key).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void hottest_anyNumber_isBounded() {
        for (int i = 0; i < 200; i++) {
            add(GROUP, "GET k" + i, 1);
        }
        assertThat(heat.hottest(Integer.MAX_VALUE).keys()).hasSize(64);
        assertThat(heat.hottest(-1).keys()).isEmpty();
    }
}
