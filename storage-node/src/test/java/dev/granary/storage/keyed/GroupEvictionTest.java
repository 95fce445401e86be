package dev.granary.storage.keyed;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.keyed.ValueType;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.keyed.EvictionPolicy.Way;
import dev.granary.storage.replicate.LoneOwner;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ZoneBatch;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link GroupEviction} of a group in real memory, within {@link KeyedMemory}, in a zone with a real backup. */
class GroupEvictionTest {

    private static final int LID_LIMIT = 5_001;
    private static final long NOW = 1_000_000;
    private static final long LIMIT = 100_000;

    private final LoneOwner owner = new LoneOwner();
    private final OwnedZone zone = owner.zone(B);
    private final ChunkMemory memory =
            ChunkMemories.open(ChunkMemoryConfig.of(NID, 16 << 20).withHugePages(false));
    private final KeyedLimits limits = new KeyedLimits(LIMIT, EvictionPolicy.ALLKEYS_LRU);
    private final KeyedMemory memoryOfKeys = new KeyedMemory(1 << 20, limits);
    private final KeyedGroup group = group();

    private KeyedGroup group() {
        return new KeyedGroup(SlotGroup.nid(7), 1, LID_LIMIT, zone, memory, memoryOfKeys, 99);
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

    /** Works on the keys as one call does, and logs what it has changed. */
    private long call(ToLongFunction<GroupKeyspace> work) {
        AtomicLong result = new AtomicLong();
        owner.run(() -> {
            zone.lock();
            try {
                GroupKeyspace keys = new GroupKeyspace(group, NOW, false);
                result.set(work.applyAsLong(keys));
                keys.log(new ZoneBatch(UnpooledByteBufAllocator.DEFAULT));
            } finally {
                zone.unlock();
            }
            zone.send();
        });
        return result.get();
    }

    private boolean put(String key, String value, long expiresAtMillis) {
        return call(keys -> {
                    try {
                        keys.put(key.getBytes(UTF_8), ValueType.STRING, value.getBytes(UTF_8), expiresAtMillis);
                        return 1;
                    } catch (KeyspaceFullException e) {
                        assertThat(keys.lack()).isNotNull();
                        assertThat(keys.hasChanged()).isFalse();
                        return 0;
                    }
                })
                == 1;
    }

    private long evict(Way way, int wanted) {
        return call(keys -> {
            int gone = new GroupEviction(group, keys, way).evict(wanted);
            assertThat(keys.evicted()).isEqualTo(gone);
            return gone;
        });
    }

    private Map<String, String> all(KeyedGroup of) {
        Map<String, String> found = new HashMap<>();
        GroupKeyspace keys = new GroupKeyspace(of, NOW, false);
        for (long cursor = keys.scan(0, 100, (key, entry) -> note(found, key, entry)); cursor != 0; ) {
            cursor = keys.scan(cursor, 100, (key, entry) -> note(found, key, entry));
        }
        return found;
    }

    private static void note(Map<String, String> found, byte[] key, KeyEntry entry) {
        found.put(new String(key, UTF_8), new String(entry.content(), UTF_8));
    }

    @Test
    void randomChanges_atASmallLimit_stayBelowItAndLoseOnlyWhatWasEvicted() {
        Random random = new Random(Long.getLong("granary.keyed.seed", 5));
        Map<String, String> model = new HashMap<>();
        long evicted = 0;
        for (int step = 0; step < 12_000; step++) {
            String key = "key" + (int) Math.abs(random.nextGaussian() * 1_000);
            int kind = random.nextInt(10);
            if (kind == 0) {
                model.remove(key);
                call(keys -> keys.remove(key.getBytes(UTF_8)) ? 1 : 0);
            } else if (kind < 4) {
                call(keys -> keys.find(key.getBytes(UTF_8)) == null ? 0 : 1);
            } else {
                String value = "v".repeat(random.nextInt(step % 100 == 0 ? 20_000 : 150));
                long expiresAtMillis = random.nextBoolean() ? NOW + 5_000 + step : KeyEntry.NEVER;
                Way way = random.nextInt(5) == 0 ? Way.SOONEST_EXPIRY : Way.LEAST_WANTED;
                while (!put(key, value, expiresAtMillis)) {
                    evicted += evict(way, 8);
                }
                model.put(key, value);
            }
            assertThat(memoryOfKeys.usedBytes()).isLessThanOrEqualTo(LIMIT);
            if (step % 1_000 == 999) {
                group.verify();
                Map<String, String> found = all(group);
                assertThat(model).containsAllEntriesOf(found);
                model.keySet().retainAll(found.keySet());
            }
        }
        assertThat(evicted).isGreaterThan(1_000);
        assertThat(group.size()).isGreaterThan(300);
        try (KeyedGroup again = group()) {
            for (int lid = 1; lid < LID_LIMIT; lid++) {
                again.takeUp(lid);
            }
            again.verify();
            assertThat(all(again)).isEqualTo(all(group));
            assertThat(again.payloadBytes()).isEqualTo(group.payloadBytes());
        }
    }

    @Test
    void evict_soonestExpiry_takesWhatExpiresSoonAndNothingElse() {
        for (int i = 0; i < 200; i++) {
            put("stays" + i, "x", KeyEntry.NEVER);
            put("goes" + i, "x", NOW + 1_000 + 10L * i);
        }
        assertThat(evict(Way.SOONEST_EXPIRY, 50)).isEqualTo(50);
        long late = all(group).keySet().stream()
                .filter(key -> key.startsWith("goes") && Integer.parseInt(key.substring(4)) >= 100)
                .count();
        assertThat(late).isGreaterThan(90);
        long gone = 50;
        for (long some = 1; some > 0; gone += some) {
            some = evict(Way.SOONEST_EXPIRY, 50);
        }
        assertThat(gone).isGreaterThan(190);
        assertThat(group.size() - group.expiring()).isEqualTo(200);
    }

    @Test
    void evict_none_removesNothing() {
        put("a", "x", NOW + 1_000);
        assertThat(evict(Way.NONE, 8)).isZero();
        assertThat(call(keys -> new GroupEviction(group, keys, Way.NONE).evictBeside(group.hash(new byte[] {1}), 8)))
                .isZero();
        assertThat(group.size()).isEqualTo(1);
    }

    @Test
    void evict_isAChange_thatIsLoggedAndThatWatchersSee() {
        put("a", "x", KeyEntry.NEVER);
        long mark = call(keys -> keys.watchMark("a".getBytes(UTF_8)));
        long before = zone.last();
        assertThat(evict(Way.LEAST_WANTED, 8)).isEqualTo(1);
        assertThat(zone.last()).isEqualTo(before + 1);
        assertThat(call(keys -> keys.watchMark("a".getBytes(UTF_8)))).isNotEqualTo(mark);
        assertThat(call(keys -> {
                    keys.find("a".getBytes(UTF_8));
                    return keys.hidden();
                }))
                .isEqualTo(before + 1);
    }

    @Test
    void evict_large_readsTheKeyOnly() {
        limits.wantedBytes(0);
        String large = "x".repeat(3 << 20);
        put("large", large, NOW + 1_000);
        int lid = group.lidAtOrAfter(1);
        assertThat(group.readHead(lid)).isTrue();
        assertThat(group.key()).isEqualTo("large".getBytes(UTF_8));
        assertThat(group.expiry()).isEqualTo(NOW + 1_000);
        assertThat(group.entryBytes()).isEqualTo(memory.sizeOf(group.cid(lid)));
        assertThat(group.segment().byteSize()).isLessThan(100_000);
        assertThat(evict(Way.LEAST_WANTED, 8)).isEqualTo(1);

        String longKey = "k".repeat(100_000);
        put(longKey, "x", KeyEntry.NEVER);
        assertThat(group.readHead(group.lidAtOrAfter(1))).isTrue();
        assertThat(group.key()).isEqualTo(longKey.getBytes(UTF_8));
        assertThat(evict(Way.LEAST_WANTED, 8)).isEqualTo(1);
    }
}
