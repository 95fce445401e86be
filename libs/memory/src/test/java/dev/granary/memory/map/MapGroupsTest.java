package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MapGroupsTest {

    private static final long GROUP = 7;

    private final MapRig rig = new MapRig();
    private final MapGroups groups = rig.parts.groups();
    private final Map<String, String> model = new HashMap<>();

    @AfterEach
    void close() {
        assertContents();
        rig.close();
    }

    @Test
    void append_asManyAsAGroupTakes_allAreThereAndOneMoreIsRefused() {
        List<String> keys = rig.keysOf(GROUP, MapGroup.MAX_ENTRIES + 1);
        for (String key : keys.subList(0, MapGroup.MAX_ENTRIES)) {
            append(key, "v".repeat(key.hashCode() & 15));
        }
        assertContents();
        String last = keys.getLast();
        assertThat(rig.append(rig.entry(last, "v"))).isEqualTo(MapGroups.Outcome.GROUP_FULL);
        assertThat(rig.get(last)).isNull();
    }

    @Test
    void append_moreBytesThanABlockHas_isRefused() {
        List<String> keys = rig.keysOf(GROUP, 20);
        int fitting = 0;
        while (rig.append(rig.entry(keys.get(fitting), "x".repeat(1000))) == MapGroups.Outcome.DONE) {
            model.put(keys.get(fitting), "x".repeat(1000));
            fitting++;
        }
        assertThat(fitting).isEqualTo(16);
        assertThat(rig.append(rig.entry(keys.get(fitting), "x"))).isEqualTo(MapGroups.Outcome.DONE);
        model.put(keys.get(fitting), "x");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 2000})
    void append_valueThatIsClosed_leavesTheGroupAsItWas(int valueBytes) {
        List<String> keys = rig.keysOf(GROUP, 3);
        append(keys.get(0), "first");
        append(keys.get(1), "");
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(valueBytes + 1);
        }
        assertThatThrownBy(() -> rig.append(rig.entry(keys.get(2), closed, OffHeapMap.NEVER)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void remove_allInTurn_othersStayAndTheBlockShrinksAndGoes() {
        List<String> keys = rig.keysOf(GROUP, 60);
        for (int i = 0; i < keys.size(); i++) {
            append(keys.get(i), "v".repeat(20 + i));
        }
        int largest = MapBlockSizes.sizeOf(rig.directory.block(GROUP));
        for (int i = 0; i < keys.size(); i++) {
            // From the front, the middle and the end.
            List<String> left = keys.stream().filter(model::containsKey).toList();
            String key = left.get(i % 3 * (left.size() - 1) / 2);
            remove(key);
            assertContents();
            int size = MapBlockSizes.sizeOf(rig.directory.block(GROUP));
            assertThat(size).isLessThanOrEqualTo(largest);
            if (i == 50) {
                assertThat(size).isLessThan(largest / 3);
            }
        }
        assertThat(rig.directory.block(GROUP)).isZero();
        assertThat(rig.slabs.liveBytes()).isZero();
    }

    @Test
    void change_entryIsReplacedByALargerAndASmallerOne_othersStay() {
        List<String> keys = rig.keysOf(GROUP, 30);
        keys.forEach(key -> append(key, "value of " + key));
        for (int size : new int[] {5000, 0, 30, 2000, 1}) {
            for (int i : new int[] {0, 15, 29}) {
                change(keys.get(i), "y".repeat(size), MapGroups.Outcome.DONE);
            }
            assertContents();
        }
    }

    @Test
    void change_noRoom_leavesTheGroupAsItWas() {
        List<String> keys = rig.keysOf(GROUP, 3);
        keys.forEach(key -> append(key, "small"));
        for (int i = 0; i < 60; i++) {
            rig.takeAll(i);
        }
        change(keys.get(1), "x".repeat(3000), MapGroups.Outcome.NO_ROOM);
        assertThat(rig.append(rig.entry(rig.keysOf(GROUP, 4).getLast(), "x".repeat(3000))))
                .isEqualTo(MapGroups.Outcome.NO_ROOM);
        assertThat(rig.append(rig.entry(rig.keysOf(GROUP + 1, 1).getFirst(), "x")))
                .isEqualTo(MapGroups.Outcome.NO_ROOM);
        change(keys.get(1), "x".repeat(30_000), MapGroups.Outcome.GROUP_FULL);
        assertContents();
        rig.giveAll();
    }

    @Test
    void changeColumns_entriesExpireFromNowOn_valuesStay() {
        List<String> keys = rig.keysOf(GROUP, 40);
        keys.forEach(key -> append(key, "value of " + key));
        for (int i = 0; i < keys.size(); i++) {
            long block = MapBlockSizes.address(rig.directory.block(GROUP));
            MapImage image = MapImage.of(rig.memory, block, rig.memory.word(block), 0);
            image.setExpiry(rig.indexOf(keys.get(i)), MapRig.LATER + 100L * i);
            rig.directory.latchGroup(GROUP);
            assertThat(groups.changeColumns(GROUP, image)).isEqualTo(MapGroups.Outcome.DONE);
            rig.directory.unlatch(GROUP);
        }
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            assertThat(rig.reader.expiryOf(rig.hash(key), MapRig.segment(key), 0, key.length()))
                    .isEqualTo(MapRig.LATER + 100L * i);
        }
    }

    private void append(String key, String value) {
        assertThat(rig.append(rig.entry(key, value))).isEqualTo(MapGroups.Outcome.DONE);
        model.put(key, value);
    }

    private void remove(String key) {
        rig.directory.latchGroup(GROUP);
        groups.remove(GROUP, rig.indexOf(key));
        rig.directory.unlatch(GROUP);
        String value = Objects.requireNonNull(model.remove(key));
        rig.parts.counters().add(GROUP, -1, -key.length() - value.length());
    }

    private void change(String key, String value, MapGroups.Outcome expected) {
        rig.directory.latchGroup(GROUP);
        assertThat(groups.change(GROUP, rig.indexOf(key), rig.entry(key, value)))
                .isEqualTo(expected);
        rig.directory.unlatch(GROUP);
        if (expected == MapGroups.Outcome.DONE) {
            String before = Objects.requireNonNull(model.put(key, value));
            rig.parts.counters().add(GROUP, 0, value.length() - before.length());
        }
    }

    private void assertContents() {
        model.forEach((key, value) -> assertThat(rig.get(key)).as(key).isEqualTo(value));
        assertThat(rig.parts.counters().entries()).isEqualTo(model.size());
    }
}
