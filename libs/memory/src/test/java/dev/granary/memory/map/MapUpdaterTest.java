package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link MapUpdater}, with {@link OffHeapMapUpdate.Decision} and {@link OffHeapMapView}. */
class MapUpdaterTest {

    private static final int LARGE = 100_000;

    private final MapRig rig = new MapRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 1000, LARGE})
    void update_keyIsAbsentThenThere_functionSeesItAndPutsAnyValue(int size) {
        String value = "v".repeat(size);
        assertThat(update("key", (present, decision) -> {
                    assertThat(present).isNull();
                    decision.put(bytes(value), MapRig.LATER);
                }))
                .isTrue();
        assertThat(rig.get("key")).isEqualTo(value);
        assertThat(rig.put("other", "value")).isEqualTo(MapWriter.Result.INSERTED);
        assertThat(update("key", (present, decision) -> {
                    assertThat(present).isNotNull();
                    assertThat(present.key()).isEqualTo(bytes("key"));
                    assertThat(present.value()).isEqualTo(bytes(value));
                    assertThat(present.valueBytes()).isEqualTo(size);
                    decision.put(bytes("short"), present.expiryMillis());
                }))
                .isTrue();
        assertThat(rig.get("key")).isEqualTo("short");
        assertThat(expiryOf("key")).isEqualTo(MapRig.LATER);
        assertThat(rig.parts.counters().entries()).isEqualTo(2);
    }

    @Test
    void update_presentEntry_isKeptRemovedOrExpiresAtAnotherTime() {
        rig.put("key", "value", MapRig.LATER);
        assertThat(update("key", (present, decision) -> {})).isFalse();
        assertThat(update("key", (present, decision) -> {
                    decision.remove();
                    decision.keep();
                }))
                .isFalse();
        assertThat(expiryOf("key")).isEqualTo(MapRig.LATER);
        assertThat(update("key", (present, decision) -> decision.expireAt(MapRig.LATER + 70_000)))
                .isTrue();
        assertThat(expiryOf("key")).isEqualTo(MapRig.LATER + 70_000);
        assertThat(update("key", (present, decision) -> decision.expireAt(OffHeapMap.NEVER)))
                .isTrue();
        assertThat(expiryOf("key")).isEqualTo(OffHeapMap.NEVER);
        assertThat(rig.get("key")).isEqualTo("value");
        assertThat(update("key", (present, decision) -> decision.remove())).isTrue();
        assertThat(rig.get("key")).isNull();
        assertThat(update("key", (present, decision) -> decision.remove())).isFalse();
        assertThat(update("key", (present, decision) -> decision.expireAt(MapRig.LATER)))
                .isFalse();
        assertThat(rig.parts.counters().entries()).isZero();
    }

    @Test
    void update_expiredEntry_isAbsent() {
        rig.put("key", "v".repeat(LARGE), MapRig.PAST);
        assertThat(update("key", (present, decision) -> {
                    assertThat(present).isNull();
                    decision.remove();
                }))
                .isFalse();
        assertThat(update("key", (present, decision) -> decision.expireAt(MapRig.LATER)))
                .isFalse();
        assertThat(update("key", (present, decision) -> decision.put(bytes("fresh"), OffHeapMap.NEVER)))
                .isTrue();
        assertThat(rig.get("key")).isEqualTo("fresh");
        assertThat(rig.parts.counters().payloadBytes()).isEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, LARGE})
    void update_functionThrows_leavesEverythingAsItWasAndTheLatchFree(int size) {
        String value = "v".repeat(size);
        rig.put("key", value, MapRig.LATER);
        long live = rig.slabs.liveBytes();
        for (String key : List.of("key", "absent")) {
            assertThatThrownBy(() -> update(key, (present, decision) -> {
                        decision.put(new byte[LARGE], OffHeapMap.NEVER);
                        throw new IllegalArgumentException("not a number");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(rig.get("key")).isEqualTo(value);
        assertThat(rig.get("absent")).isNull();
        assertThat(expiryOf("key")).isEqualTo(MapRig.LATER);
        assertThat(rig.slabs.liveBytes()).isEqualTo(live);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 50, 1000, LARGE})
    void update_newValueIsClosedBeforeItIsCopied_leavesEverythingAsItWas(int size) {
        List<String> keys = rig.keysOf(3, 4);
        keys.subList(0, 3).forEach(key -> rig.put(key, "value", MapRig.LATER));
        long live = rig.slabs.liveBytes();
        int told = rig.told.size();
        for (String key : keys) {
            assertThatThrownBy(() -> update(key, (present, decision) -> {
                        try (Arena arena = Arena.ofConfined()) {
                            decision.put(arena.allocate(size), 0, size, MapRig.LATER + 1);
                        }
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }
        keys.subList(0, 3).forEach(key -> {
            assertThat(rig.get(key)).isEqualTo("value");
            assertThat(expiryOf(key)).isEqualTo(MapRig.LATER);
        });
        assertThat(rig.get(keys.getLast())).isNull();
        assertThat(rig.slabs.liveBytes()).isEqualTo(live);
        assertThat(rig.told).hasSize(told);
    }

    @Test
    void decision_whatTheMapDoesNotTake_isRefusedAtOnce() {
        OffHeapMapUpdate.Decision decision = new OffHeapMapUpdate.Decision(3, false);
        MemorySegment ten = MemorySegment.ofArray(new byte[10]);
        assertThatThrownBy(() -> decision.put(ten, 5, 6, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> decision.put(ten, 0, 10, MapRig.LATER)).hasMessageContaining("without a clock");
        assertThatThrownBy(() -> decision.expireAt(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> decision.put(new byte[OffHeapMap.MAX_ENTRY_BYTES], 0))
                .isInstanceOf(OffHeapMapException.EntryTooLarge.class);
        assertThat(decision.kind()).isEqualTo(OffHeapMapUpdate.Decision.Kind.KEEP);
    }

    @ParameterizedTest
    @ValueSource(ints = {300, LARGE})
    void view_partsOfAValue_areCopiedDuringTheCallOnly(int size) {
        byte[] value = new byte[size];
        for (int i = 0; i < size; i++) {
            value[i] = (byte) (i * 31);
        }
        update("key", (present, decision) -> decision.put(value, OffHeapMap.NEVER));
        List<OffHeapMapView> kept = new ArrayList<>();
        update("key", (present, decision) -> {
            assertThat(present).isNotNull();
            byte[] part = new byte[102];
            present.copyValue(size - 150, 100, MemorySegment.ofArray(part), 1);
            for (int i = 0; i < 102; i++) {
                assertThat(part[i]).isEqualTo(i == 0 || i == 101 ? 0 : value[size - 150 + i - 1]);
            }
            MemorySegment target = MemorySegment.ofArray(part);
            assertThatThrownBy(() -> present.copyValue(size - 99, 100, target, 0))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> present.copyValue(0, 100, target, 3))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            kept.add(present);
        });
        assertThatThrownBy(() -> kept.getFirst().value())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("for the call only");
    }

    @Test
    void update_groupHasNoRoomForTheBytes_writesAChain() {
        List<String> keys = rig.keysOf(MapDirectory.MIN_GROUPS - 1, 22);
        String value = "x".repeat(1000);
        for (String key : keys) {
            assertThat(update(key, (present, decision) -> decision.put(bytes(value), 0)))
                    .isTrue();
        }
        keys.forEach(key -> assertThat(rig.get(key)).isEqualTo(value));
    }

    @Test
    void update_noRoom_asksAgainThenIsRefusedAndNothingIsLost() {
        int there = 0;
        while (there < 1000) {
            try {
                String key = "key " + there;
                update(key, (present, decision) -> decision.put(bytes(key.repeat(1000)), 0));
                there++;
            } catch (OffHeapMapException.OutOfMemory e) {
                assertThat(e).hasMessageContaining("a value of");
                break;
            }
        }
        assertThat(there).isBetween(200, 900);
        long live = rig.slabs.liveBytes();
        assertThatThrownBy(() -> update("key 5", (present, decision) -> decision.put(new byte[LARGE], 0)))
                .isInstanceOf(OffHeapMapException.OutOfMemory.class);
        assertThat(rig.slabs.liveBytes()).isEqualTo(live);
        for (int i = 0; i < there; i++) {
            assertThat(rig.get("key " + i)).isEqualTo(("key " + i).repeat(1000));
        }
    }

    private boolean update(String key, OffHeapMapUpdate function) {
        return rig.updater.update(rig.hash(key), MapRig.segment(key), 0, key.length(), true, function);
    }

    private long expiryOf(String key) {
        return rig.reader.expiryOf(rig.hash(key), MapRig.segment(key), 0, key.length());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
