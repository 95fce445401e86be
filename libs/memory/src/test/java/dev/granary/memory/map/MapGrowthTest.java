package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapGrowthTest {

    private static final long FIRST = MapDirectory.MIN_GROUPS;

    private final MapRig rig = new MapRig();
    private final MapGrowth growth = rig.growth;
    private final Map<String, String> model = new HashMap<>();

    @AfterEach
    void close() {
        model.forEach((key, value) -> assertThat(rig.get(key)).as(key).isEqualTo(value));
        assertThat(rig.parts.counters().entries()).isEqualTo(model.size());
        rig.close();
    }

    @Test
    void afterInsert_upToTheLimit_doesNothingThenSplits() {
        List<String> keys = rig.keysOf(0, MapGrowth.ENTRIES_PER_GROUP + 1);
        for (String key : keys.subList(0, MapGrowth.ENTRIES_PER_GROUP)) {
            append(key, "v");
            growth.afterInsert(0);
        }
        assertThat(rig.directory.groups()).isEqualTo(FIRST);

        append(keys.getLast(), "v");
        growth.afterInsert(1);
        assertThat(rig.directory.groups()).isEqualTo(FIRST);
        growth.afterInsert(0);
        assertThat(rig.directory.groups()).isEqualTo(FIRST + 1);
        long there = keys.stream()
                .filter(key -> rig.directory.groupOf(rig.hash(key)) == FIRST)
                .count();
        assertThat(entries(FIRST)).isEqualTo(there).isPositive();
        assertThat(entries(0)).isEqualTo(keys.size() - there).isPositive();
    }

    @Test
    void afterInsert_fewLargeEntries_splitsForTheirBytes() {
        List<String> keys = rig.keysOf(0, 6);
        for (String key : keys) {
            assertThat(rig.directory.groups()).isEqualTo(FIRST);
            append(key, "x".repeat(MapGrowth.PAYLOAD_PER_GROUP / 6));
            growth.afterInsert(0);
        }
        assertThat(rig.directory.groups()).isEqualTo(FIRST + 1);
    }

    @Test
    void afterInsert_allBelongToTheNewGroup_movesTheBlockAsItIs() {
        List<String> keys = rig.keysOf(0, 400).stream()
                .filter(key -> MapDirectory.groupOf(rig.hash(key), FIRST + 1) == FIRST)
                .limit(MapGrowth.ENTRIES_PER_GROUP + 1)
                .toList();
        keys.forEach(key -> append(key, "v"));
        long word = rig.directory.block(0);
        growth.afterInsert(0);
        assertThat(rig.directory.block(FIRST)).isEqualTo(word);
        assertThat(rig.directory.block(0)).isZero();
    }

    @Test
    void afterInsert_noRoomForTwoBlocks_leavesTheGroupAsItIs() {
        List<String> keys = rig.keysOf(0, MapGrowth.ENTRIES_PER_GROUP + 1);
        keys.forEach(key -> append(key, "v"));
        for (int i = 0; i < 20; i++) {
            rig.takeAll(i);
        }
        rig.giveOne();
        long live = rig.slabs.liveBytes();
        long word = rig.directory.block(0);
        growth.afterInsert(0);
        assertThat(rig.directory.groups()).isEqualTo(FIRST);
        assertThat(rig.directory.block(0)).isEqualTo(word);
        assertThat(rig.slabs.liveBytes()).isEqualTo(live);

        rig.giveAll();
        growth.afterInsert(0);
        assertThat(rig.directory.groups()).isEqualTo(FIRST + 1);
    }

    @Test
    void afterInsert_groupHasALargeEntry_itGoesWhereItsKeyBelongs() {
        String large = rig.keysOf(0, 400).stream()
                .filter(key -> MapDirectory.groupOf(rig.hash(key), FIRST + 1) == FIRST)
                .findFirst()
                .orElseThrow();
        MapEntry entry = rig.entry(large, MapRig.segment("z".repeat(40_000)), OffHeapMap.NEVER);
        assertThat(rig.append(entry.withChain(rig.parts.chains().write(entry)))).isEqualTo(MapGroups.Outcome.DONE);
        model.put(large, "z".repeat(40_000));
        growth.afterInsert(0);
        assertThat(rig.directory.groups()).isEqualTo(FIRST + 1);
        assertThat(entries(FIRST)).isEqualTo(1);
        assertThat(entries(0)).isZero();
    }

    @Test
    void afterRemove_mostEntriesAreGone_mergesUntilATripleOfTheFirstIsLeft() {
        int count = (int) (3 * FIRST + 40) * MapGrowth.ENTRIES_PER_GROUP;
        for (int i = 0; i < count; i++) {
            model.put("key " + i, "v" + i);
            rig.put("key " + i, "v" + i);
        }
        assertThat(rig.directory.groups()).isGreaterThan(3 * FIRST);
        int left = count / 6;
        for (int i = left; i < count; i++) {
            assertThat(rig.remove("key " + i)).isTrue();
            model.remove("key " + i);
        }
        assertThat(rig.directory.groups()).isEqualTo(3 * FIRST - 1);
        assertThat(rig.violations()).isEmpty();
    }

    private int entries(long group) {
        long word = rig.directory.block(group);
        return word == 0 ? 0 : MapGroup.entries(rig.memory.word(MapBlockSizes.address(word)));
    }

    @Test
    void splitsAndMerges_someEntriesWereGot_marksStayWithThem() {
        OffHeapMapConfig config =
                OffHeapMapConfig.of(16 << 20).withHugePages(false).withLimit(16 << 20, OffHeapMapEviction.SIEVE);
        try (GroupedMap map = new GroupedMap(config)) {
            for (int i = 0; i < 2000; i++) {
                map.put(OffHeapMapTests.bytes("key " + i), new byte[i % 30]);
            }
            for (int i = 0; i < 2000; i += 3) {
                map.get(OffHeapMapTests.bytes("key " + i));
            }
            for (int i = 0; i < 30_000; i++) {
                map.put(OffHeapMapTests.bytes("other " + i), new byte[i % 20]);
            }
            assertThat(map.statistics().groups()).isGreaterThan(600);
            assertMarked(map);
            for (int i = 0; i < 30_000; i++) {
                map.remove(OffHeapMapTests.bytes("other " + i));
            }
            assertThat(map.statistics().groups()).isLessThan(300);
            assertMarked(map);
        }
    }

    /** Every third one. */
    private static void assertMarked(GroupedMap map) {
        MapParts parts = map.parts();
        MapEntries entries =
                new MapEntries(parts, new MapReader(parts.memory(), parts.directory(), parts.uses(), () -> 0));
        for (int i = 0; i < 2000; i++) {
            MemorySegment key = OffHeapMapTests.segment("key " + i);
            long hash = MapHash.of(key, 0, (int) key.byteSize(), parts.seed());
            long group = parts.directory().groupOf(hash);
            int index = MapGroup.foundIndex(entries.find(group, hash, key, 0, (int) key.byteSize()));
            assertThat(parts.uses().isMarked(group, index)).as("key %d", i).isEqualTo(i % 3 == 0);
        }
    }

    private void append(String key, String value) {
        assertThat(rig.append(rig.entry(key, value))).isEqualTo(MapGroups.Outcome.DONE);
        model.put(key, value);
    }
}
