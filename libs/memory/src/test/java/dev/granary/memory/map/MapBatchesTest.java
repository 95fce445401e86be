package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapBatchesTest {

    private final MapRig rig = new MapRig();
    private final MapBatches batches = new MapBatches(rig.parts, rig.reader);
    private final List<String> keys = new ArrayList<>();
    private final byte[] target = new byte[1 << 20];
    private int[] sizes = new int[0];

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void get_keysOfAllKinds_putsTheValuesBehindEachOther() {
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            String value = "value " + "v".repeat(i % 7 == 0 ? 3000 : i);
            keys.add("key " + i);
            if (i % 3 != 0) {
                rig.put("key " + i, value, i % 5 == 0 ? MapRig.PAST : 0);
                expected.append(i % 5 == 0 ? "" : value);
            }
        }
        assertThat(get(0, 500, target.length)).isEqualTo(expected.length());
        assertThat(new String(target, 10, expected.length(), StandardCharsets.UTF_8))
                .isEqualTo(expected.toString());
        for (int i = 0; i < 500; i++) {
            assertThat(sizes[i])
                    .as("key %d", i)
                    .isEqualTo(i % 3 == 0 || i % 5 == 0 ? OffHeapMap.ABSENT : 6 + (i % 7 == 0 ? 3000 : i));
        }
    }

    @Test
    void get_partOfTheKeys_leavesTheSizesOfOthers() {
        for (int i = 0; i < 100; i++) {
            keys.add("key " + i);
            rig.put("key " + i, "v" + i);
        }
        assertThat(get(60, 3, target.length)).isEqualTo(9);
        assertThat(new String(target, 10, 9, StandardCharsets.UTF_8)).isEqualTo("v60v61v62");
        for (int i = 0; i < 100; i++) {
            assertThat(sizes[i]).isEqualTo(i >= 60 && i < 63 ? 3 : -77);
        }
        assertThat(get(5, 0, target.length)).isZero();
    }

    @Test
    void get_oneDoesNotFit_othersBehindItDo() {
        keys.addAll(List.of("five", "large", "chained", "one", "two"));
        rig.put("five", "12345");
        rig.put("large", "x".repeat(500));
        rig.put("chained", "y".repeat(5000));
        rig.put("one", "1");
        rig.put("two", "22");
        assertThat(get(0, 5, 7)).isEqualTo(6);
        assertThat(sizes)
                .containsExactly(5, OffHeapMap.DOES_NOT_FIT, OffHeapMap.DOES_NOT_FIT, 1, OffHeapMap.DOES_NOT_FIT);
        assertThat(new String(target, 10, 6, StandardCharsets.UTF_8)).isEqualTo("123451");
        assertThat(target[16]).isZero();
    }

    @Test
    void get_keysThatShareAFingerprintAndALength_eachHasItsOwnValue() {
        // In one group of 200 there are some.
        keys.addAll(rig.keysOf(3, 200));
        keys.forEach(key -> assertThat(rig.append(rig.entry(key, "v" + key))).isEqualTo(MapGroups.Outcome.DONE));
        assertThat(keys.stream()
                        .map(key -> MapHash.fingerprint(rig.hash(key)) + " " + key.length())
                        .distinct())
                .hasSizeLessThan(keys.size());
        get(0, 200, target.length);
        assertThat(new String(target, 10, Arrays.stream(sizes).sum(), StandardCharsets.UTF_8))
                .isEqualTo("v" + String.join("v", keys));
    }

    @Test
    void warm_keysThatAreThereOrNot_changesNothing() {
        for (int i = 0; i < 32; i++) {
            keys.add("key " + i);
            if (i % 2 == 0) {
                rig.put("key " + i, "v".repeat(40 * i));
            }
        }
        long[] versions = versions();
        batches.warm(allKeys(), offsets(), lengths(), 0, 32);
        assertThat(versions()).isEqualTo(versions);
        assertThat(rig.get("key 30")).hasSize(1200);
    }

    private long[] versions() {
        long[] versions = new long[(int) rig.directory.groups()];
        for (int i = 0; i < versions.length; i++) {
            versions[i] = rig.directory.version(i);
        }
        return versions;
    }

    private long get(int from, int count, long capacity) {
        sizes = new int[keys.size()];
        Arrays.fill(sizes, -77);
        MemorySegment to = MemorySegment.ofArray(target);
        return batches.get(
                allKeys(), offsets(), lengths(), from, count, to, 10, Math.min(capacity, target.length - 10), sizes);
    }

    private MemorySegment allKeys() {
        return MapRig.segment(String.join("", keys));
    }

    private int[] lengths() {
        return keys.stream().mapToInt(String::length).toArray();
    }

    private int[] offsets() {
        int[] offsets = lengths();
        Arrays.parallelPrefix(offsets, Integer::sum);
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] -= keys.get(i).length();
        }
        return offsets;
    }
}
