package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.map.MapWriter.Condition;
import dev.granary.memory.map.MapWriter.Result;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MapWriterTest {

    /** The last group, which is not split for a while. */
    private static final long GROUP = MapDirectory.MIN_GROUPS - 1;

    private static final String LARGE = "x".repeat(GroupedMap.INLINE_BYTES);

    private final MapRig rig = new MapRig();
    private final MapWriter writer = rig.writer;

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void put_keyIsAbsentThenThere_insertsThenReplaces() {
        for (String value : List.of("one", "two", "longer than before", LARGE, LARGE + LARGE, "short", "")) {
            assertThat(rig.put("key", value)).isEqualTo(value.equals("one") ? Result.INSERTED : Result.REPLACED);
            assertThat(rig.get("key")).isEqualTo(value);
            assertCounted(1, 3 + value.length());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"value", "0123456789012345678901234567890123456789"})
    void put_onlyIfAbsent_keepsWhatIsThereUnlessItHasExpired(String value) {
        assertThat(put("key", value, Condition.ABSENT)).isEqualTo(Result.INSERTED);
        assertThat(put("key", "other", Condition.ABSENT)).isEqualTo(Result.KEPT);
        long before = rig.slabs.liveBytes();
        assertThat(put("key", LARGE, Condition.ABSENT)).isEqualTo(Result.KEPT);
        assertThat(rig.slabs.liveBytes()).isEqualTo(before);
        assertThat(rig.get("key")).isEqualTo(value);

        rig.put("key", value, MapRig.PAST);
        assertThat(put("key", "fresh", Condition.ABSENT)).isEqualTo(Result.INSERTED);
        assertThat(rig.get("key")).isEqualTo("fresh");
        assertCounted(1, 8);
    }

    @Test
    void put_onlyIfTheValueIsAsExpected_comparesAllOfIt() {
        assertThat(replace("key", "old", "new")).isEqualTo(Result.KEPT);
        assertThat(rig.get("key")).isNull();
        for (String old : List.of("old", LARGE + "old")) {
            rig.put("key", old);
            assertThat(replace("key", old + "!", "new")).isEqualTo(Result.KEPT);
            assertThat(replace("key", old.replace('d', 'D'), "new")).isEqualTo(Result.KEPT);
            assertThat(rig.get("key")).isEqualTo(old);
            assertThat(replace("key", old, "new")).isEqualTo(Result.REPLACED);
            assertThat(rig.get("key")).isEqualTo("new");
        }
        rig.put("key", "old", MapRig.PAST);
        assertThat(replace("key", "old", "new")).isEqualTo(Result.KEPT);
        assertThat(rig.get("key")).isNull();
    }

    @Test
    void put_groupHasNoRoomForTheBytes_writesAChain() {
        List<String> keys = rig.keysOf(GROUP, 22);
        String value = "x".repeat(1000);
        keys.forEach(key -> assertThat(rig.put(key, value)).isEqualTo(Result.INSERTED));
        keys.forEach(key -> assertThat(rig.get(key)).isEqualTo(value));
        long word = rig.directory.block(GROUP);
        MapImage image =
                MapImage.of(rig.memory, MapBlockSizes.address(word), rig.memory.word(MapBlockSizes.address(word)), 0);
        assertThat(image.isForward(0)).isFalse();
        assertThat(image.isForward(21)).isTrue();
    }

    @Test
    void put_valueOfTheSameSizeThatIsClosed_leavesValueAndExpiryAsTheyWere() {
        List<String> keys = rig.keysOf(rig.directory.groupOf(rig.hash("key")), 1);
        rig.put(keys.getFirst(), "value", MapRig.LATER + 7);
        rig.put("key", "value", MapRig.LATER);
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(5);
        }
        assertThatThrownBy(() -> writer.put(rig.entry("key", closed, MapRig.LATER + 1), Condition.ALWAYS, null))
                .isInstanceOf(IllegalStateException.class);
        assertThat(rig.get("key")).isEqualTo("value");
        assertThat(rig.reader.expiryOf(rig.hash("key"), MapRig.segment("key"), 0, 3))
                .isEqualTo(MapRig.LATER);
    }

    @Test
    void put_noRoom_isRefusedAndNothingIsLost() {
        int there = 0;
        while (there < 10_000) {
            try {
                rig.put("key " + there, LARGE + there);
                there++;
            } catch (OffHeapMapException.OutOfMemory e) {
                break;
            }
        }
        assertThat(there).isBetween(2000, 4000);
        long live = rig.slabs.liveBytes();
        assertThatThrownBy(() -> rig.put("key 5", LARGE.repeat(100)))
                .isInstanceOf(OffHeapMapException.OutOfMemory.class);
        assertThatThrownBy(() -> rig.put("new", LARGE.repeat(100))).isInstanceOf(OffHeapMapException.OutOfMemory.class);
        assertThat(rig.slabs.liveBytes()).isEqualTo(live);
        for (int i = 0; i < there; i++) {
            assertThat(rig.get("key " + i)).isEqualTo(LARGE + i);
        }
        for (int i = 0; i < there; i++) {
            assertThat(rig.remove("key " + i)).isTrue();
        }
        assertCounted(0, 0);
        assertThat(rig.slabs.liveBytes()).isZero();
    }

    @Test
    void remove_thereExpiredAndAbsent_onlyTheFirstWasThere() {
        rig.put("here", LARGE);
        rig.put("gone", LARGE, MapRig.PAST);
        assertThat(rig.remove("other")).isFalse();
        assertThat(rig.remove("gone")).isFalse();
        assertThat(rig.remove("here")).isTrue();
        assertThat(rig.remove("here")).isFalse();
        assertCounted(0, 0);
        assertThat(rig.slabs.liveBytes()).isZero();
    }

    @Test
    void removeExpired_someOfAGroup_leavesTheOthers() {
        List<String> keys = rig.keysOf(GROUP, 40);
        for (int i = 0; i < keys.size(); i++) {
            rig.put(
                    keys.get(i),
                    i % 5 == 0 ? LARGE : "v" + i,
                    i % 3 == 0 ? MapRig.PAST : i % 3 == 1 ? MapRig.LATER : 0);
        }
        assertThat(writer.removeExpired(GROUP)).isEqualTo(14);
        assertThat(writer.removeExpired(GROUP)).isZero();
        for (int i = 0; i < keys.size(); i++) {
            assertThat(rig.get(keys.get(i))).isEqualTo(i % 3 == 0 ? null : i % 5 == 0 ? LARGE : "v" + i);
        }
        assertThat(writer.removeAll(GROUP)).isEqualTo(26);
        assertThat(rig.slabs.liveBytes()).isZero();
    }

    @Test
    void expireAt_anyTime_isTheEntrysFromThenOn() {
        rig.keysOf(GROUP, 20).forEach(key -> rig.put(key, "value"));
        String key = rig.keysOf(GROUP, 8).getLast();
        for (long expiry :
                new long[] {MapRig.LATER, MapRig.LATER + 300, OffHeapMap.NEVER, 0xffff_ffffL, Long.MAX_VALUE, 1500}) {
            assertThat(expireAt(key, expiry)).isTrue();
            assertThat(rig.reader.expiryOf(rig.hash(key), MapRig.segment(key), 0, key.length()))
                    .isEqualTo(expiry);
            assertThat(rig.get(key)).isEqualTo("value");
        }
        assertThat(expireAt(key, MapRig.PAST)).isTrue();
        assertThat(rig.get(key)).isNull();
        assertThat(expireAt(key, MapRig.LATER)).isFalse();
        assertThat(expireAt("other", MapRig.LATER)).isFalse();
        rig.keysOf(GROUP, 20)
                .forEach(other -> assertThat(rig.get(other)).isEqualTo(other.equals(key) ? null : "value"));
    }

    private Result put(String key, String value, Condition condition) {
        return writer.put(rig.entry(key, value), condition, null);
    }

    private Result replace(String key, String expected, String value) {
        return writer.put(rig.entry(key, value), Condition.EXPECTED, MapRig.segment(expected));
    }

    private boolean expireAt(String key, long expiryMillis) {
        return writer.expireAt(rig.hash(key), MapRig.segment(key), 0, key.length(), expiryMillis);
    }

    private void assertCounted(long entries, long payloadBytes) {
        assertThat(rig.parts.counters().entries()).isEqualTo(entries);
        assertThat(rig.parts.counters().payloadBytes()).isEqualTo(payloadBytes);
    }
}
