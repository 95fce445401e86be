package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MapReaderTest {

    private final MapRig rig = new MapRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 1000, 3000, 100_000})
    void get_valueOfAnySize_goesWhereTheCallerWants(int size) {
        rig.put("key", "v".repeat(size));
        byte[] room = new byte[size + 10];
        assertThat(get("key", room, 5, size)).isEqualTo(size);
        assertThat(new String(room, 5, size, StandardCharsets.UTF_8)).isEqualTo("v".repeat(size));
        assertThat(room[4]).isZero();
        assertThat(room[size + 5]).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 3000})
    void get_targetIsTooSmall_tellsTheSizeAndWritesNothing(int size) {
        rig.put("key", "v".repeat(size));
        byte[] room = new byte[size];
        int result = get("key", room, 0, size - 1);
        assertThat(result).isLessThan(MapReader.TOO_LARGE);
        assertThat(MapReader.sizeOfTooLarge(result)).isEqualTo(size);
        assertThat(room).containsOnly(0);
        assertThat(MapReader.sizeOfTooLarge(MapReader.tooLarge(0))).isZero();
    }

    @Test
    void get_keyIsAbsent_saysSo() {
        assertThat(get("key", new byte[9], 0, 9)).isEqualTo(OffHeapMap.ABSENT);
        rig.put("key", "value");
        for (String other : rig.keysOf(rig.directory.groupOf(rig.hash("key")), 50)) {
            assertThat(get(other, new byte[9], 0, 9)).isEqualTo(OffHeapMap.ABSENT);
            assertThat(sizeOf(other)).isEqualTo(OffHeapMap.ABSENT);
            assertThat(expiryOf(other)).isEqualTo(OffHeapMap.ABSENT);
        }
    }

    @Test
    void get_entryHasExpired_isAbsentFromThatMillisecondOn() {
        rig.put("gone", "value", MapRig.NOW);
        rig.put("last", "value", MapRig.NOW + 1);
        rig.put("ever", "value");
        rig.put("large", "v".repeat(5000), MapRig.NOW);
        assertThat(get("gone", new byte[9], 0, 9)).isEqualTo(OffHeapMap.ABSENT);
        assertThat(get("large", new byte[5000], 0, 5000)).isEqualTo(OffHeapMap.ABSENT);
        assertThat(sizeOf("gone")).isEqualTo(OffHeapMap.ABSENT);
        assertThat(expiryOf("gone")).isEqualTo(OffHeapMap.ABSENT);
        assertThat(get("last", new byte[9], 0, 9)).isEqualTo(5);
        assertThat(expiryOf("last")).isEqualTo(MapRig.NOW + 1);
        assertThat(sizeOf("ever")).isEqualTo(5);
        assertThat(expiryOf("ever")).isEqualTo(OffHeapMap.NEVER);
    }

    @Test
    void sizeOf_inlineAndLarge_isTheValues() {
        rig.put("small", "v".repeat(77));
        rig.put("large", "v".repeat(77_777));
        assertThat(sizeOf("small")).isEqualTo(77);
        assertThat(sizeOf("large")).isEqualTo(77_777);
    }

    @Test
    void get_groupIsLatched_waitsAndSeesWhatTheWriterWrote() throws Exception {
        rig.put("key", "old value");
        long group = rig.directory.latch(rig.hash("key"));
        try (ExecutorService others = Executors.newSingleThreadExecutor()) {
            Future<String> got = others.submit(() -> {
                byte[] room = new byte[9];
                int size = get("key", room, 0, 9);
                return new String(room, 0, size, StandardCharsets.UTF_8);
            });
            int index = rig.indexOf("key");
            assertThat(rig.parts.groups().change(group, index, rig.entry("key", "new value")))
                    .isEqualTo(MapGroups.Outcome.DONE);
            rig.directory.unlatch(group);
            assertThat(got.get()).isEqualTo("new value");
        }
        assertThat(rig.directory.tryLatch(group)).isTrue();
        rig.directory.unlatchUnchanged(group);
    }

    @Test
    void get_groupIsDamaged_saysSoAndHoldsNoLatch() {
        rig.put("key", "value");
        long group = rig.directory.groupOf(rig.hash("key"));
        long block = MapBlockSizes.address(rig.directory.block(group));
        long header = rig.memory.word(block);
        rig.memory.setWord(block, header & ~3L);
        assertThatThrownBy(() -> get("key", new byte[9], 0, 9)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> expiryOf("key")).isInstanceOf(IllegalStateException.class);
        rig.memory.setWord(block, header);
        assertThat(sizeOf("key")).isEqualTo(5);
    }

    @Test
    void get_chainIsDamaged_saysSo() {
        rig.put("key", "v".repeat(2000));
        long word = rig.directory.block(rig.directory.groupOf(rig.hash("key")));
        long forward = MapBlockSizes.address(word) + MapBlockSizes.sizeOf(word) - MapGroup.FORWARD_BYTES;
        long first = MapChains.first(rig.memory, forward);
        long header = rig.memory.word(MapBlockSizes.address(first));
        rig.memory.setWord(MapBlockSizes.address(first), header - (1 << 8));
        assertThatThrownBy(() -> get("key", new byte[2000], 0, 2000)).isInstanceOf(IllegalStateException.class);
        rig.memory.setWord(MapBlockSizes.address(first), header);
        assertThat(rig.get("key")).isEqualTo("v".repeat(2000));
    }

    private int get(String key, byte[] room, int offset, int capacity) {
        MemorySegment target = MemorySegment.ofArray(room);
        return rig.reader.get(rig.hash(key), MapRig.segment(key), 0, key.length(), target, offset, capacity);
    }

    private int sizeOf(String key) {
        return rig.reader.sizeOf(rig.hash(key), MapRig.segment(key), 0, key.length());
    }

    private long expiryOf(String key) {
        return rig.reader.expiryOf(rig.hash(key), MapRig.segment(key), 0, key.length());
    }
}
