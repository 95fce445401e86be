package dev.granary.memory.map;

import static dev.granary.memory.map.OffHeapMapTests.assertSound;
import static dev.granary.memory.map.OffHeapMapTests.bytes;
import static dev.granary.memory.map.OffHeapMapTests.get;
import static dev.granary.memory.map.OffHeapMapTests.open;
import static dev.granary.memory.map.OffHeapMapTests.segment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.os.Vmb;
import dev.granary.memory.paged.MemoryTests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One operation at a time. Every case ends with the verifier and with all memory given back. */
class OffHeapMapTest {

    private int openBefore;
    private OffHeapMap map;

    @BeforeEach
    void openMap() {
        openBefore = Vmb.openCount();
        map = open(16);
    }

    @AfterEach
    void closeMap() {
        assertSound(map);
        map.close();
        assertThat(Vmb.openCount()).isEqualTo(openBefore);
    }

    @Test
    void put_absentKey_inserts() {
        assertThat(map.put(bytes("key"), bytes("value"))).isTrue();
        assertThat(get(map, "key")).isEqualTo("value");
        assertThat(map.size()).isEqualTo(1);
    }

    @Test
    void put_presentKey_replaces() {
        map.put(bytes("key"), bytes("one"));
        for (String value : new String[] {"two", "longer than before", "", "x".repeat(5000), "short"}) {
            assertThat(map.put(bytes("key"), bytes(value))).isFalse();
            assertThat(get(map, "key")).isEqualTo(value);
            assertThat(map.statistics().payloadBytes()).isEqualTo(3 + value.length());
            assertSound(map);
        }
        assertThat(map.size()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 63, 64, 65, 300, 1000, 1017, 1018, 4096, 65_536})
    void put_keyOfAnySize_isFound(int keyBytes) {
        byte[] key = MemoryTests.random(new Random(keyBytes), keyBytes);
        byte[] other = key.clone();
        if (keyBytes > 0) {
            other[keyBytes - 1] ^= 1;
        }
        assertThat(map.put(key, bytes("a value"))).isTrue();
        assertThat(map.get(key)).isEqualTo(bytes("a value"));
        if (keyBytes > 0) {
            assertThat(map.get(other)).isNull();
            assertThat(map.put(other, bytes("other"))).isTrue();
            assertThat(map.get(key)).isEqualTo(bytes("a value"));
            assertThat(map.remove(key)).isTrue();
            assertThat(map.get(other)).isEqualTo(bytes("other"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 31, 255, 256, 1021, 1022, 16_000, 16_360, 16_361, 100_000, 3_000_000})
    void put_valueOfAnySize_isFound(int valueBytes) {
        byte[] value = MemoryTests.random(new Random(valueBytes), valueBytes);
        map.put(bytes("key"), value);
        assertThat(map.get(bytes("key"))).isEqualTo(value);
        assertThat(map.sizeOf(segment("key"), 0, 3)).isEqualTo(valueBytes);
        if (valueBytes > 0) {
            value[valueBytes - 1] ^= 1;
        }
        assertThat(map.put(bytes("key"), value)).isFalse();
        assertThat(map.get(bytes("key"))).isEqualTo(value);
    }

    @Test
    void put_entryTooLarge_isRefused() {
        MemorySegment large = MemorySegment.ofArray(new byte[OffHeapMap.MAX_ENTRY_BYTES]);
        assertThatThrownBy(() -> map.put(segment("k"), 0, 1, large, 0, OffHeapMap.MAX_ENTRY_BYTES, 0))
                .isInstanceOf(OffHeapMapException.EntryTooLarge.class)
                .hasMessageContaining("both together 16777216 B");
        assertThatThrownBy(() -> map.put(large, 0, OffHeapMap.MAX_KEY_BYTES + 1, large, 0, 1, 0))
                .isInstanceOf(OffHeapMapException.EntryTooLarge.class);
        assertThat(map.size()).isZero();
    }

    @Test
    void put_outsideOfSegment_isRefused() {
        assertThatThrownBy(() -> map.put(segment("key"), 1, 3, segment("value"), 0, 5, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> map.put(segment("key"), 0, 3, segment("value"), -1, 5, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(map.size()).isZero();
    }

    @Test
    void put_noRoom_isRefusedAndMapUnchanged() {
        int count = 0;
        byte[] value = new byte[700];
        try {
            for (; ; count++) {
                map.put(bytes("key " + count), value);
            }
        } catch (OffHeapMapException.OutOfMemory e) {
            assertThat(e).hasMessageContaining("16777216 B").hasMessageContaining("remove entries");
        }
        assertThat(map.size()).isEqualTo(count);
        assertThat((long) count * 709).isGreaterThan(13L << 20);
        assertSound(map);
        for (int i = 0; i < count; i++) {
            assertThat(map.containsKey(bytes("key " + i))).isTrue();
        }
        assertThatThrownBy(() -> map.put(bytes("large"), new byte[2_000_000]))
                .isInstanceOf(OffHeapMapException.OutOfMemory.class);
        assertSound(map);
        for (int i = 0; i < count; i += 2) {
            map.remove(bytes("key " + i));
        }
        map.put(bytes("large"), new byte[2_000_000]);
    }

    @Test
    void put_otherSizesAfterRemoval_findRoom() {
        Random random = new Random(3);
        for (int round = 0; round < 6; round++) {
            int size = 60 + round * 150;
            int count = (13 << 20) / (size + 30);
            for (int i = 0; i < count; i++) {
                map.put(bytes("key " + i), MemoryTests.random(random, size));
            }
            assertSound(map);
            for (int i = 0; i < count; i++) {
                assertThat(map.remove(bytes("key " + i))).isTrue();
            }
        }
    }

    @Test
    void putIfAbsent_presentKey_keepsValue() {
        assertThat(map.putIfAbsent(bytes("key"), bytes("one"))).isTrue();
        assertThat(map.putIfAbsent(bytes("key"), bytes("two"))).isFalse();
        assertThat(map.putIfAbsent(bytes("key"), new byte[3000])).isFalse();
        assertThat(get(map, "key")).isEqualTo("one");
    }

    @Test
    void replace_expectedValue_replacesElseKeeps() {
        assertThat(map.replace(segment("key"), segment("one"), segment("two"), 0))
                .isFalse();
        map.put(bytes("key"), bytes("one"));
        assertThat(map.replace(segment("key"), segment("other"), segment("two"), 0))
                .isFalse();
        assertThat(get(map, "key")).isEqualTo("one");
        String large = "large".repeat(2000);
        assertThat(map.replace(segment("key"), segment("one"), segment(large), 0))
                .isTrue();
        assertThat(map.replace(segment("key"), segment(large + "x"), segment("no"), 0))
                .isFalse();
        assertThat(map.replace(segment("key"), segment(large), segment("two"), 0))
                .isTrue();
        assertThat(get(map, "key")).isEqualTo("two");
    }

    @Test
    void remove_presentKey_isGoneOnce() {
        map.put(bytes("key"), bytes("value"));
        assertThat(map.remove(bytes("key"))).isTrue();
        assertThat(map.remove(bytes("key"))).isFalse();
        assertThat(get(map, "key")).isNull();
        assertThat(map.size()).isZero();
    }

    @Test
    void get_targetTooSmall_saysHowMuchIsNeeded() {
        map.put(bytes("key"), new byte[100]);
        map.put(bytes("large"), new byte[10_000]);
        MemorySegment target = MemorySegment.ofArray(new byte[99]);
        assertThatThrownBy(() -> map.get(segment("key"), 0, 3, target, 0, 99))
                .isInstanceOfSatisfying(OffHeapMapException.TargetTooSmall.class, e -> assertThat(e.neededBytes())
                        .isEqualTo(100));
        assertThatThrownBy(() -> map.get(segment("large"), 0, 5, target, 9, 90))
                .isInstanceOf(OffHeapMapException.TargetTooSmall.class)
                .hasMessage("a value of 10000 B, but there is room for 90 B only");
    }

    @Test
    void get_offsetsAndNativeSegments_copiesExactly() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment native1 = arena.allocate(64);
            MemorySegment.copy(segment("..the key..the value.."), 0, native1, 3, 22);
            map.put(native1, 5, 7, native1, 14, 9, 0);
            MemorySegment target = arena.allocate(16);
            target.fill((byte) 77);
            assertThat(map.get(segment("the key"), 0, 7, target, 2, 9)).isEqualTo(9);
            assertThat(target.toArray(ValueLayout.JAVA_BYTE)).startsWith(77, 77).endsWith(77, 77, 77, 77, 77);
            assertThat(target.asSlice(2, 9).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes("the value"));
        }
    }

    @Test
    void getBatch_targetFull_saysWhichDidNotFit() {
        map.put(bytes("a"), bytes("12345"));
        map.put(bytes("b"), bytes("123456789"));
        map.put(bytes("c"), bytes("123"));
        int[] sizes = new int[4];
        byte[] target = new byte[8];
        long used = map.getBatch(
                segment("abcd"),
                new int[] {0, 1, 2, 3},
                new int[] {1, 1, 1, 1},
                0,
                4,
                MemorySegment.ofArray(target),
                0,
                8,
                sizes);
        assertThat(used).isEqualTo(8);
        assertThat(sizes).containsExactly(5, OffHeapMap.DOES_NOT_FIT, 3, OffHeapMap.ABSENT);
        assertThat(target).isEqualTo(bytes("12345123"));
    }

    @Test
    void growthAndShrinking_manyEntries_keepsGroupsFull() {
        int count = 100_000;
        for (int i = 0; i < count; i++) {
            map.put(bytes("key " + i), bytes("value " + i));
        }
        OffHeapMapStatistics grown = map.statistics();
        assertThat((double) count / grown.groups()).isBetween(40.0, 45.0);
        assertSound(map);
        for (int i = 0; i < count; i++) {
            assertThat(get(map, "key " + i)).isEqualTo("value " + i);
        }
        for (int i = 0; i < count - 1000; i++) {
            assertThat(map.remove(bytes("key " + i))).isTrue();
        }
        assertSound(map);
        assertThat(map.statistics().groups()).isLessThan(grown.groups() / 10);
        for (int i = count - 1000; i < count; i++) {
            assertThat(get(map, "key " + i)).isEqualTo("value " + i);
        }
    }

    @Test
    void overhead_shortKeysAfterChurn_staysSmall() {
        try (OffHeapMap large = open(64)) {
            int count = 500_000;
            for (int i = 0; i < count; i++) {
                large.put(bytes(String.format("%010d", i)), new byte[32]);
            }
            assertThat(large.statistics().overheadBytesPerEntry()).isLessThan(8);
            for (int i = 0; i < count; i++) {
                large.remove(bytes(String.format("%010d", i)));
                large.put(bytes(String.format("%010d", i + count)), new byte[32]);
            }
            assertThat(large.size()).isEqualTo(count);
            assertThat(large.statistics().overheadBytesPerEntry()).isLessThan(10);
            assertSound(large);
        }
    }

    @Test
    void scan_mapThatGrowsAndShrinks_showsLastingEntriesOnce() {
        for (int i = 0; i < 20_000; i++) {
            map.put(bytes("key " + i), bytes("value"));
        }
        int[] step = new int[1];
        Set<String> seen = new HashSet<>();
        Random random = new Random(5);
        long cursor = 0;
        do {
            cursor = map.scan(cursor, (key, value, expiry) -> {
                String text = new String(key.toArray(ValueLayout.JAVA_BYTE), java.nio.charset.StandardCharsets.UTF_8);
                assertThat(seen.add(text)).as(text).isTrue();
            });
            // Half of the time many others come, then most of them go.
            step[0]++;
            boolean growing = step[0] / 100 % 2 == 0;
            for (int i = 0; i < 300; i++) {
                byte[] other = bytes("other " + random.nextInt(60_000));
                if (growing) {
                    map.put(other, bytes("value"));
                } else {
                    map.remove(other);
                }
            }
        } while (cursor != 0);
        for (int i = 0; i < 20_000; i++) {
            assertThat(seen.contains("key " + i)).isTrue();
        }
    }

    @Test
    void clear_largeAndSmallEntries_leavesNothing() {
        for (int i = 0; i < 3000; i++) {
            map.put(bytes("key " + i), new byte[i % 50 == 0 ? 20_000 : 30]);
        }
        map.clear();
        assertThat(map.size()).isZero();
        assertThat(map.statistics().payloadBytes()).isZero();
        assertThat(map.statistics().groupBytes()).isZero();
        assertThat(get(map, "key 7")).isNull();
    }

    @Test
    void put_manyEntriesOfNearlyAKibibyte_fit() {
        byte[] value = new byte[1000];
        for (int i = 0; i < 5000; i++) {
            map.put(bytes("k" + i), value);
        }
        assertThat(map.size()).isEqualTo(5000);
        assertThat(map.get(bytes("k4999"))).isEqualTo(value);
    }

    @Test
    void anyOperation_afterClose_isRefused() {
        OffHeapMap closed = open(4);
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.put(bytes("k"), bytes("v"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closed.get(bytes("k"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> closed.remove(bytes("k"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(closed::size).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(closed::statistics)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this off-heap map is closed");
    }

    @Test
    void config_capacityOutOfRange_isRefused() {
        assertThatThrownBy(() -> OffHeapMapConfig.of(1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4194304");
    }

    @Test
    void verify_damagedMap_saysSo() {
        try (GroupedMap damaged = new GroupedMap(OffHeapMapConfig.of(4 << 20).withHugePages(false))) {
            for (int i = 0; i < 1000; i++) {
                damaged.put(bytes("key " + i), bytes("value"));
            }
            MapParts parts = damaged.parts();
            long block = MapBlockSizes.address(parts.directory().block(5));
            long fingerprint = block + MapGroup.HEADER_BYTES;
            long byteBefore = parts.memory().number(fingerprint, 1);
            parts.memory().setNumber(fingerprint, 1, byteBefore ^ 1);
            OffHeapMapReport report = damaged.verify();
            assertThat(report.violations()).isNotEmpty();
            assertThatThrownBy(report::throwIfBroken)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("damaged");
        }
    }

    @Test
    void sums_ofColumns_matchPlainSums() {
        try (MapMemory memory = new MapMemory(1 << 20, false)) {
            Random random = new Random(8);
            for (int count = 0; count <= 255; count++) {
                byte[] numbers = MemoryTests.random(random, count);
                if (count % 3 == 0) {
                    Arrays.fill(numbers, (byte) 255);
                }
                memory.copyIn(MemorySegment.ofArray(numbers), 0, 100, count);
                int sum = 0;
                for (byte each : numbers) {
                    sum += each & 0xff;
                }
                assertThat(memory.sumOfBytes(100, count)).isEqualTo(sum);
            }
        }
    }

    @Test
    void blockSizes_everySize_fitsItsClassAndNoSmaller() {
        for (int size = 1; size <= MapBlockSizes.MAX_BYTES; size++) {
            int sizeClass = MapBlockSizes.classFor(size);
            assertThat(MapBlockSizes.sizeBytes(sizeClass)).isGreaterThanOrEqualTo(size);
            if (sizeClass > 0) {
                assertThat(MapBlockSizes.sizeBytes(sizeClass - 1)).isLessThan(size);
            }
        }
        assertThat(MapBlockSizes.classFor(MapBlockSizes.MAX_BYTES)).isEqualTo(MapBlockSizes.COUNT - 1);
    }
}
