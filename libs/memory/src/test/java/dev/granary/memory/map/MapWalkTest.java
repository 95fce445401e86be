package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MapWalkTest {

    private final MapRig rig = new MapRig();
    private final MapWalk walk = new MapWalk(rig.parts, rig.reader, rig.writer);

    /** How often each entry was shown, as key, value and expiry. */
    private final Map<String, Integer> shown = new HashMap<>();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void scan_allKindsOfEntries_showsEachOnceButThoseThatExpired() {
        rig.put("small", "value");
        rig.put("empty", "");
        rig.put("large", "x".repeat(50_000));
        rig.put("later", "value", MapRig.LATER);
        rig.put("large and later", "y".repeat(5000), MapRig.LATER);
        rig.put("gone", "value", MapRig.PAST);
        rig.put("large and gone", "z".repeat(5000), MapRig.PAST);

        scanAll();

        assertThat(shown)
                .isEqualTo(Map.of(
                        "small=value@0",
                        1,
                        "empty=@0",
                        1,
                        "large=" + "x".repeat(50_000) + "@0",
                        1,
                        "later=value@2000",
                        1,
                        "large and later=" + "y".repeat(5000) + "@2000",
                        1));
    }

    @Test
    void scan_emptyMap_comesToItsEnd() {
        assertThat(scanAll()).isEqualTo(MapDirectory.MIN_GROUPS);
        assertThat(shown).isEmpty();
    }

    @Test
    void scan_mapGrowsMeanwhile_showsWhatWasThereOnce() {
        int before = 3000;
        for (int i = 0; i < before; i++) {
            rig.put("key " + i, "v");
        }
        long groups = rig.directory.groups();
        long cursor = 0;
        int next = before;
        do {
            cursor = walk.scan(cursor, this::show);
            for (int i = 0; i < 100 && next < 20_000; i++, next++) {
                rig.put("key " + next, "v");
            }
        } while (cursor != 0);
        assertThat(rig.directory.groups()).isGreaterThan(2 * groups);
        for (int i = 0; i < before; i++) {
            assertThat(shown).containsEntry("key " + i + "=v@0", 1);
        }
        assertThat(shown.values()).containsOnly(1);
    }

    @Test
    void scan_mapShrinksMeanwhile_showsWhatStaysOnce() {
        int count = 16_000;
        for (int i = 0; i < count; i++) {
            rig.put("key " + i, "v");
        }
        long groups = rig.directory.groups();
        long cursor = 0;
        int next = 0;
        do {
            cursor = walk.scan(cursor, this::show);
            for (int i = 0; i < 200 && next < count; i++, next++) {
                if (next % 10 != 0) {
                    rig.remove("key " + next);
                }
            }
        } while (cursor != 0);
        assertThat(rig.directory.groups()).isLessThan(groups);
        for (int i = 0; i < count; i += 10) {
            assertThat(shown).containsEntry("key " + i + "=v@0", 1);
        }
        assertThat(shown.values()).containsOnly(1);
    }

    @Test
    void expire_someGroupsAtATime_goesOnWhereItWas() {
        for (int i = 0; i < 2000; i++) {
            rig.put("key " + i, "v", i % 2 == 0 ? MapRig.PAST : MapRig.LATER);
        }
        long groups = rig.directory.groups();
        int gone = 0;
        for (int i = 0; i < groups; i++) {
            int here = walk.expire(1);
            assertThat(here).isBetween(0, 50);
            gone += here;
        }
        assertThat(gone).isEqualTo(1000);
        assertThat(rig.parts.counters().entries()).isEqualTo(1000);
        assertThat(walk.expire(Integer.MAX_VALUE)).isZero();
        scanAll();
        assertThat(shown).hasSize(1000).containsEntry("key 1=v@2000", 1);

        // The next round begins at the start again.
        rig.put("key 1", "v", MapRig.PAST);
        assertThat(walk.expire(Integer.MAX_VALUE)).isEqualTo(1);
    }

    private int scanAll() {
        long cursor = 0;
        int calls = 0;
        do {
            cursor = walk.scan(cursor, this::show);
            calls++;
        } while (cursor != 0);
        return calls;
    }

    @Test
    void expire_noTimeOfTheGroupHasCome_leavesItsLatchAlone() {
        String key = rig.keysOf(5, 1).getFirst();
        rig.put(key, "value", MapRig.NOW + 1);
        long version = rig.directory.version(5);
        assertThat(walk.expire(Integer.MAX_VALUE)).isZero();
        assertThat(rig.directory.version(5)).isEqualTo(version);
        rig.put(key, "value", MapRig.NOW);
        assertThat(walk.expire(Integer.MAX_VALUE)).isEqualTo(1);
    }

    private void show(MemorySegment key, MemorySegment value, long expiryMillis) {
        assertThat(key.isReadOnly()).isTrue();
        assertThat(value.isReadOnly()).isTrue();
        shown.merge(text(key) + "=" + text(value) + "@" + expiryMillis, 1, Integer::sum);
    }

    private static String text(MemorySegment segment) {
        return new String(segment.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
}
