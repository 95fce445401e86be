package dev.granary.storage.keyed;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.keyed.ValueType;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.replicate.LoneOwner;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ZoneBatch;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A {@link KeyedGroup} in real memory, and the {@link GroupKeyspace} of calls, in a zone with a real backup. */
class KeyedGroupTest {

    private static final int GROUP = 7;
    private static final int LID_LIMIT = 2_001;
    private static final long NOW = 1_000_000;

    private final LoneOwner owner = new LoneOwner();
    private final OwnedZone zone = owner.zone(B);
    private final ChunkMemory memory =
            ChunkMemories.open(ChunkMemoryConfig.of(NID, 16 << 20).withHugePages(false));
    private final KeyedMemory memoryOfKeys = new KeyedMemory(1 << 20, KeyedLimits.none());
    private final KeyedGroup group = group(LID_LIMIT);

    private KeyedGroup group(int lidLimit) {
        return new KeyedGroup(SlotGroup.nid(GROUP), 1, lidLimit, zone, memory, memoryOfKeys, 99);
    }

    @AfterEach
    void close() {
        group.verify();
        group.close();
        assertThat(memoryOfKeys.usedBytes()).isZero();
        owner.close();
        assertThat(memory.verify().violations()).isEmpty();
        memory.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Works on the keys as one call does, and returns the sequence of its batch. */
    private long call(long nowMillis, Consumer<GroupKeyspace> work) {
        return ask(nowMillis, keys -> {
            work.accept(keys);
            return keys.log(new ZoneBatch(UnpooledByteBufAllocator.DEFAULT));
        });
    }

    private boolean isSo(long nowMillis, Predicate<GroupKeyspace> work) {
        return ask(nowMillis, keys -> work.test(keys) ? 1 : 0) == 1;
    }

    private long ask(long nowMillis, ToLongFunction<GroupKeyspace> work) {
        List<Long> result = new ArrayList<>();
        owner.run(() -> {
            zone.lock();
            try {
                result.add(work.applyAsLong(new GroupKeyspace(group, nowMillis, false)));
            } finally {
                zone.unlock();
            }
            zone.send();
        });
        return result.getFirst();
    }

    @Test
    void put_keysWereRemoved_takesTheirIdentifiersFromTheLowestOn() {
        call(NOW, keys -> {
            for (int i = 0; i < 100; i++) {
                keys.put(bytes("k" + i), ValueType.STRING, bytes("v"), KeyEntry.NEVER);
            }
            for (int i = 70; i > 20; i -= 10) {
                keys.remove(bytes("k" + i));
            }
        });
        List<Integer> taken = new ArrayList<>();
        call(NOW, keys -> {
            for (int i = 0; i < 6; i++) {
                taken.add(group.freeLid());
                keys.put(bytes("n" + i), ValueType.STRING, bytes("v"), KeyEntry.NEVER);
            }
        });
        assertThat(taken).containsExactly(31, 41, 51, 61, 71, 101);
    }

    @Test
    void randomCalls_besideModel_agreeAndAreFoundAgainInTheChunks() {
        long seed = Long.getLong("granary.keyed.seed", 11);
        Random random = new Random(seed);
        Map<String, String> model = new TreeMap<>();
        for (int step = 0; step < 6_000; step++) {
            String key = "key" + random.nextInt(1_500);
            if (random.nextInt(3) == 0) {
                boolean was = model.remove(key) != null;
                call(NOW, keys -> assertThat(keys.remove(bytes(key))).isEqualTo(was));
            } else {
                String value = "v".repeat(random.nextInt(step % 500 == 0 ? 40_000 : 100));
                model.put(key, value);
                call(NOW, keys -> keys.put(bytes(key), ValueType.STRING, bytes(value), KeyEntry.NEVER));
            }
            if (step % 1_000 == 999) {
                group.verify();
                compare(model, group);
                try (KeyedGroup again = group(LID_LIMIT)) {
                    for (int lid = 1; lid < LID_LIMIT; lid++) {
                        again.takeUp(lid);
                    }
                    again.verify();
                    compare(model, again);
                }
            }
        }
    }

    private void compare(Map<String, String> model, KeyedGroup of) {
        assertThat(of.size()).isEqualTo(model.size());
        Map<String, String> found = new TreeMap<>();
        long cursor = 0;
        do {
            cursor = new GroupKeyspace(of, NOW, false)
                    .scan(
                            cursor,
                            100,
                            (key, entry) -> found.put(
                                    new String(key, StandardCharsets.UTF_8),
                                    new String(entry.content(), StandardCharsets.UTF_8)));
        } while (cursor != 0);
        assertThat(found).isEqualTo(model);
    }

    @Test
    void call_withSeveralChanges_isOneBatch() {
        long before = zone.last();
        long sequence = call(NOW, keys -> {
            keys.put(bytes("a"), ValueType.STRING, bytes("1"), KeyEntry.NEVER);
            keys.put(bytes("a"), ValueType.STRING, bytes("2"), KeyEntry.NEVER);
            keys.put(bytes("b"), ValueType.STRING, bytes("3"), KeyEntry.NEVER);
            keys.remove(bytes("b"));
        });
        assertThat(sequence).isEqualTo(before + 1).isEqualTo(zone.last());
        assertThat(call(NOW, keys -> keys.find(bytes("a")))).isZero();
    }

    @Test
    void read_ofAChangeThatBackupsDoNotHave_isHiddenUntilTheyDo() {
        long sequence = call(NOW, keys -> keys.put(bytes("a"), ValueType.STRING, bytes("1"), KeyEntry.NEVER));
        assertThat(hidden("a")).isEqualTo(sequence);
        owner.world.runFor(100 * LoneOwner.MILLI);
        assertThat(zone.holds(sequence, false)).isTrue();
        long removed = call(NOW, keys -> keys.remove(bytes("a")));
        assertThat(hidden("a")).isEqualTo(removed);
        owner.world.runFor(100 * LoneOwner.MILLI);

        call(NOW, keys -> keys.put(bytes("b"), ValueType.STRING, bytes("1"), KeyEntry.NEVER));
        long cleared = call(NOW, GroupKeyspace::clear);
        assertThat(hidden("any other key")).isEqualTo(cleared);
    }

    private long hidden(String key) {
        return ask(NOW, keys -> {
            keys.find(bytes(key));
            return keys.hidden() > zone.acked() ? keys.hidden() : 0L;
        });
    }

    @Test
    void key_afterItsTime_isNotShownAndIsSweptAway() {
        call(NOW, keys -> {
            keys.put(bytes("short"), ValueType.STRING, bytes("1"), NOW + 10);
            keys.put(bytes("long"), ValueType.STRING, bytes("1"), NOW + 1_000);
            keys.put(bytes("over"), ValueType.STRING, bytes("1"), NOW);
        });
        assertThat(group.size()).isEqualTo(2);
        assertThat(group.expiring()).isEqualTo(2);
        assertThat(isSo(NOW + 9, keys -> keys.find(bytes("short")) != null)).isTrue();
        assertThat(isSo(NOW + 10, keys -> keys.find(bytes("short")) == null)).isTrue();
        assertThat(isSo(NOW + 10, keys -> keys.remove(bytes("short")) || keys.find(bytes("over")) != null))
                .isFalse();

        call(NOW, keys -> keys.put(bytes("short"), ValueType.STRING, bytes("1"), NOW + 10));
        long swept =
                call(NOW + 20, keys -> assertThat(keys.removeExpired(0, 100)).isZero());
        assertThat(swept).isPositive();
        assertThat(group.size()).isEqualTo(1);
        assertThat(group.expiring()).isEqualTo(1);
    }

    @Test
    void watchMark_isAnotherOneOnceTheKeyHasChanged() {
        long first = ask(NOW, keys -> keys.watchMark(bytes("a")));
        assertThat(ask(NOW, keys -> keys.watchMark(bytes("a")))).isEqualTo(first);
        call(NOW, keys -> keys.put(bytes("a"), ValueType.STRING, bytes("1"), NOW + 10));
        long second = ask(NOW, keys -> keys.watchMark(bytes("a")));
        assertThat(second).isNotEqualTo(first);
        call(NOW + 10, keys -> assertThat(keys.watchMark(bytes("a"))).isNotEqualTo(second));
        long third = ask(NOW, keys -> keys.watchMark(bytes("a")));
        call(NOW, keys -> keys.put(bytes("b"), ValueType.STRING, bytes("1"), KeyEntry.NEVER));
        call(NOW, GroupKeyspace::clear);
        assertThat(ask(NOW, keys -> keys.watchMark(bytes("a")))).isNotEqualTo(third);
    }

    @Test
    void put_withoutAFreeLid_isRefusedUntilThereAreMore() {
        try (KeyedGroup small = group(3)) {
            owner.run(() -> {
                zone.lock();
                try {
                    GroupKeyspace keys = new GroupKeyspace(small, NOW, false);
                    keys.put(bytes("a"), ValueType.STRING, bytes("1"), KeyEntry.NEVER);
                    keys.put(bytes("b"), ValueType.STRING, bytes("1"), KeyEntry.NEVER);
                    assertThatThrownBy(() -> keys.put(bytes("c"), ValueType.STRING, bytes("1"), KeyEntry.NEVER))
                            .isInstanceOf(KeyspaceFullException.class);
                    assertThat(keys.lack()).isNotNull().satisfies(lack -> assertThat(lack.kind())
                            .isEqualTo(KeyedLack.Kind.LIDS));
                    assertThat(keys.find(bytes("c"))).isNull();
                    small.lidLimit(4);
                    keys.put(bytes("c"), ValueType.STRING, bytes("1"), KeyEntry.NEVER);
                    small.verify();
                    keys.clear();
                    keys.log(new ZoneBatch(UnpooledByteBufAllocator.DEFAULT));
                } finally {
                    zone.unlock();
                }
            });
        }
    }

    @Test
    void put_withoutMemory_isRefusedAndLeavesTheKeyAsItWas() {
        byte[] large = new byte[7 << 20];
        Arrays.fill(large, (byte) 1);
        call(NOW, keys -> {
            keys.put(bytes("small"), ValueType.STRING, bytes("1"), KeyEntry.NEVER);
            keys.put(bytes("large"), ValueType.STRING, large, KeyEntry.NEVER);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 4; i++) {
                            keys.put(bytes("more" + i), ValueType.STRING, large, KeyEntry.NEVER);
                        }
                    })
                    .isInstanceOf(KeyspaceFullException.class);
            assertThatThrownBy(() -> keys.put(bytes("small"), ValueType.STRING, large, KeyEntry.NEVER))
                    .isInstanceOf(KeyspaceFullException.class);
            assertThat(keys.find(bytes("small"))).isNotNull().satisfies(entry -> assertThat(entry.content())
                    .isEqualTo(bytes("1")));
        });
    }
}
