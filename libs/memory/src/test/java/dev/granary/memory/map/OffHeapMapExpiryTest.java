package dev.granary.memory.map;

import static dev.granary.memory.map.OffHeapMapTests.assertSound;
import static dev.granary.memory.map.OffHeapMapTests.bytes;
import static dev.granary.memory.map.OffHeapMapTests.get;
import static dev.granary.memory.map.OffHeapMapTests.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OffHeapMapExpiryTest {

    private final AtomicLong now = new AtomicLong(1000);
    private final OffHeapMap map =
            OffHeapMap.open(OffHeapMapConfig.of(64 << 20).withHugePages(false).withClock(now::get));

    @AfterEach
    void close() {
        assertSound(map);
        map.close();
    }

    @Test
    void get_expiredEntry_isAbsent() {
        map.put(bytes("key"), bytes("value"), 1010);
        now.set(1009);
        assertThat(get(map, "key")).isEqualTo("value");
        assertThat(map.expiryOf(segment("key"), 0, 3)).isEqualTo(1010);
        now.set(1010);
        assertThat(get(map, "key")).isNull();
        assertThat(map.containsKey(bytes("key"))).isFalse();
        assertThat(map.expiryOf(segment("key"), 0, 3)).isEqualTo(OffHeapMap.ABSENT);
        assertThat(map.expireAt(segment("key"), 0, 3, OffHeapMap.NEVER)).isFalse();
        assertThat(map.replace(segment("key"), segment("value"), segment("new"), 0))
                .isFalse();
        map.forEach((key, value, expiry) -> assertThat(key).isNull());
        int[] sizes = new int[1];
        map.getBatch(segment("key"), new int[1], new int[] {3}, 0, 1, segment("....."), 0, 5, sizes);
        assertThat(sizes[0]).isEqualTo(OffHeapMap.ABSENT);
    }

    @Test
    void change_expiredEntry_takesItForAbsent() {
        map.put(bytes("a"), bytes("value"), 1010);
        map.put(bytes("b"), new byte[5000], 1010);
        map.put(bytes("c"), bytes("value"), 1010);
        now.set(2000);
        assertThat(map.put(bytes("a"), bytes("new"), OffHeapMap.NEVER)).isTrue();
        assertThat(map.putIfAbsent(bytes("b"), bytes("new"))).isTrue();
        assertThat(map.remove(bytes("c"))).isFalse();
        assertThat(get(map, "a")).isEqualTo("new");
        assertThat(get(map, "b")).isEqualTo("new");
        assertThat(map.size()).isEqualTo(2);
    }

    @Test
    void expire_wholeSweep_takesExpiredOnesOnly() {
        int count = 20_000;
        for (int i = 0; i < count; i++) {
            map.put(
                    bytes("key " + i),
                    i % 100 == 0 ? new byte[3000] : bytes("value"),
                    i % 2 == 0 ? 1500 : i % 3 * 2000);
        }
        now.set(1500);
        assertThat(map.size()).isEqualTo(count);
        int gone = 0;
        for (long left = map.statistics().groups(); left > 0; left -= 50) {
            gone += map.expire(50);
        }
        assertThat(gone).isEqualTo(count / 2);
        assertThat(map.size()).isEqualTo(count / 2);
        for (int i = 0; i < count; i++) {
            assertThat(map.containsKey(bytes("key " + i))).isEqualTo(i % 2 != 0);
        }
    }

    @Test
    void expireAt_presentEntry_changesOnlyIts() {
        for (int i = 0; i < 1000; i++) {
            map.put(bytes("key " + i), bytes("value " + i));
        }
        long[] times = {1001, 70_000, 0, 1L << 43, OffHeapMap.MAX_EXPIRY_MILLIS};
        for (int i = 0; i < 1000; i++) {
            String key = "key " + i;
            assertThat(map.expireAt(segment(key), 0, key.length(), times[i % 5]))
                    .isTrue();
        }
        assertSound(map);
        for (int i = 0; i < 1000; i++) {
            String key = "key " + i;
            assertThat(map.expiryOf(segment(key), 0, key.length())).isEqualTo(times[i % 5]);
            assertThat(get(map, key)).isEqualTo("value " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void put_timeOutOfRange_isRefused(long expiry) {
        assertThatThrownBy(() -> map.put(bytes("key"), bytes("value"), expiry))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(map.size()).isZero();
    }

    @Test
    void put_expiryWithoutClock_isRefused() {
        try (OffHeapMap timeless = OffHeapMapTests.open(4)) {
            assertThatThrownBy(() -> timeless.put(bytes("key"), bytes("value"), 5))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("without a clock");
            assertThat(timeless.expire(10)).isZero();
        }
    }

    @Test
    void get_untilTheLastMillisecond_isThere() {
        now.set(1_780_000_000_000L);
        long[] times = {now.get() + 1, now.get() + 300, now.get() + 70_001, now.get() + 5_000_000_001L, 1L << 60};
        for (int i = 0; i < times.length; i++) {
            map.put(bytes("key " + i), bytes("value"), times[i]);
        }
        for (int i = 0; i < times.length; i++) {
            now.set(times[i] - 1);
            assertThat(get(map, "key " + i)).isEqualTo("value");
            assertThat(map.expiryOf(segment("key " + i), 0, 5)).isEqualTo(times[i]);
            now.set(times[i]);
            assertThat(get(map, "key " + i)).isNull();
        }
    }

    /** What a time takes, and 8 B a group for the base. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "200, 1", "60_000, 2", "10_800_000, 3", "86_400_000, 4"})
    void overhead_withExpiry_isWhatTheSpanOfTimesNeeds(String spanMillis, int bytes) {
        long span = Long.parseLong(spanMillis.replace("_", ""));
        Random random = new Random(1);
        int count = 100_000;
        for (int i = 0; i < count; i++) {
            map.put(bytes(String.format("%010d", i)), new byte[32], span == 0 ? 0 : 2000 + random.nextLong(span));
        }
        OffHeapMapStatistics figures = map.statistics();
        double base = span == 0 ? 0 : 0.2;
        assertThat((double) (figures.groupBytes() + figures.directoryBytes()) / count)
                .isBetween(bytes + 2.2, bytes + 3.0 + base);
    }
}
