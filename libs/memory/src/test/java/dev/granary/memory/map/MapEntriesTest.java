package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.map.OffHeapMapListener.Change;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link MapEntries}: what the listener is told. Values and chains are tested with those who use it. */
class MapEntriesTest {

    private static final String LARGE = "x".repeat(5000);

    private final MapRig rig = new MapRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void anyChange_ofAnyEntry_isToldInOrder() {
        rig.put("other", "entry");
        rig.put("key", "value", MapRig.LATER);
        rig.put("key", "VALUE", MapRig.LATER);
        rig.put("key", LARGE);
        rig.writer.expireAt(rig.hash("key"), MapRig.segment("key"), 0, 3, MapRig.LATER + 1);
        rig.put("key", "", MapRig.PAST);
        rig.put("key", "again");
        rig.remove("key");
        rig.put("key", LARGE, MapRig.PAST);
        rig.remove("key");
        assertThat(rig.told)
                .containsExactly(
                        "PUT other=entry@0",
                        "PUT key=value@2000",
                        "PUT key=VALUE@2000",
                        "PUT key=" + LARGE + "@0",
                        "EXPIRY key=" + LARGE + "@2001",
                        "PUT key=@900",
                        "PUT key=again@0",
                        "REMOVED key=again@0",
                        "PUT key=" + LARGE + "@900",
                        "EXPIRED key=" + LARGE + "@900");
    }

    @Test
    void anyChange_ofAGroup_tellsWhatWasSweptAndCleared() {
        List<String> keys = rig.keysOf(7, 3);
        rig.put(keys.get(0), "a", MapRig.PAST);
        rig.put(keys.get(1), "b", MapRig.LATER);
        rig.put(keys.get(2), LARGE, MapRig.PAST);
        rig.told.clear();
        assertThat(rig.writer.removeExpired(7)).isEqualTo(2);
        assertThat(rig.told)
                .containsExactlyInAnyOrder(
                        "EXPIRED " + keys.get(0) + "=a@900", "EXPIRED " + keys.get(2) + "=" + LARGE + "@900");
        rig.told.clear();
        assertThat(rig.writer.removeAll(7)).isEqualTo(1);
        assertThat(rig.told).containsExactly("REMOVED " + keys.get(1) + "=b@2000");
    }

    @Test
    void nothingChanges_keptOrRefused_isNotTold() {
        rig.put("key", "value");
        rig.told.clear();
        rig.writer.put(rig.entry("key", LARGE), MapWriter.Condition.ABSENT, null);
        rig.writer.put(rig.entry("key", "new"), MapWriter.Condition.EXPECTED, MapRig.segment("other"));
        rig.remove("absent");
        rig.updater.update(rig.hash("key"), MapRig.segment("key"), 0, 3, true, (present, decision) -> {});
        assertThatThrownBy(() -> rig.put("key", LARGE.repeat(3000)))
                .isInstanceOf(OffHeapMapException.OutOfMemory.class);
        rig.cleaner.makeRoom();
        assertThat(rig.told).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 5000})
    void changed_listenerThrows_putsStayAndRemovalsDoNotHappen(int size) {
        String value = "v".repeat(size);
        OffHeapMapConfig config = OffHeapMapConfig.of(OffHeapMapConfig.MIN_CAPACITY_BYTES)
                .withHugePages(false)
                .withClock(() -> MapRig.NOW)
                .withListener((change, entry) -> {
                    throw new IllegalStateException("told " + change);
                });
        try (OffHeapMap map = OffHeapMap.open(config)) {
            byte[] key = OffHeapMapTests.bytes("key");
            byte[] wanted = OffHeapMapTests.bytes(value);
            assertRefused(Change.PUT, () -> map.put(key, wanted));
            assertThat(map.get(key)).isEqualTo(wanted);
            assertRefused(Change.PUT, () -> map.update(key, (present, decision) -> decision.put(wanted, 0)));
            assertRefused(Change.EXPIRY, () -> map.expireAt(MapRig.segment("key"), 0, 3, MapRig.LATER));
            assertThat(map.expiryOf(MapRig.segment("key"), 0, 3)).isEqualTo(MapRig.LATER);
            assertRefused(Change.REMOVED, () -> map.remove(key));
            assertThat(map.get(key)).isEqualTo(wanted);
            OffHeapMapTests.assertSound(map);
        }
    }

    private static void assertRefused(Change change, Runnable operation) {
        assertThatThrownBy(operation::run).hasMessage("told " + change);
    }
}
