package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.paged.MemoryTests;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link MapEvictor} by a map that has a limit. */
class MapEvictorTest {

    private static final long LIMIT = 2 << 20;

    private final AtomicLong now = new AtomicLong(1000);

    /** The keys that the listener knows of. */
    private final Set<String> told = new HashSet<>();

    private int evicted;
    private int expired;
    private OffHeapMap map = open(OffHeapMapEviction.NONE);

    @AfterEach
    void close() {
        OffHeapMapTests.assertSound(map);
        assertThat(told).hasSize((int) map.size());
        assertThat(map.statistics().evictedEntries()).isEqualTo(evicted);
        map.close();
    }

    @Test
    void put_noEvictionAndFull_isRefusedUntilSomethingIsRemoved() {
        int there = fill(32, OffHeapMap.NEVER);
        assertThat(there).isBetween(30_000, 50_000);
        assertThatThrownBy(() -> update("another", 32)).isInstanceOf(OffHeapMapException.OutOfMemory.class);
        assertThat(map.size()).isEqualTo(there);
        assertWithinLimit();
        for (int i = 0; i < 1000; i++) {
            map.remove(key(i));
        }
        assertThat(put("another", 32, OffHeapMap.NEVER)).isTrue();
        assertThat(update("one more", 32)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"SIEVE, false", "SIEVE, true", "VOLATILE_TTL, true"})
    void put_anySizes_limitHoldsAndListenerKnowsWhatWent(OffHeapMapEviction policy, boolean expiry) {
        reopen(policy);
        Random random = new Random(5);
        int steps = MemoryTests.steps(40_000);
        for (int i = 0; i < steps; i++) {
            int size = random.nextInt(1000) == 0 ? random.nextInt(60_000) : random.nextInt(200);
            long time = expiry ? now.get() + 1 + random.nextInt(1_000_000) : OffHeapMap.NEVER;
            String key = "key " + random.nextInt(40_000);
            if (i % 3 == 0) {
                map.update(OffHeapMapTests.bytes(key), (present, decision) -> decision.put(new byte[size], time));
            } else {
                put(key, size, time);
            }
            assertWithinLimit();
            assertThat(map.sizeOf(OffHeapMapTests.segment(key), 0, key.length()))
                    .isEqualTo(size);
        }
        assertThat(evicted).isGreaterThan(10_000);
        map.forEach((key, value, time) ->
                assertTold(new String(key.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)));
    }

    @Test
    void scan_allEntries_isNoUse() {
        OffHeapMapConfig config =
                OffHeapMapConfig.of(8 << 20).withHugePages(false).withLimit(LIMIT, OffHeapMapEviction.SIEVE);
        try (GroupedMap fresh = new GroupedMap(config)) {
            fresh.put(key(1), new byte[32]);
            fresh.put(key(2), new byte[50_000]);
            fresh.forEach((key, value, time) -> assertThat(key.byteSize()).isEqualTo(5));
            assertThat(marks(fresh)).isZero();
            fresh.get(key(2));
            assertThat(marks(fresh)).isEqualTo(1);
            fresh.get(key(1));
            assertThat(marks(fresh)).isEqualTo(2);
        }
    }

    private static int marks(GroupedMap map) {
        int marks = 0;
        for (long group = 0; group < map.parts().directory().groups(); group++) {
            for (int i = 0; i < 2; i++) {
                marks += map.parts().uses().isMarked(group, i) ? 1 : 0;
            }
        }
        return marks;
    }

    @Test
    void update_atTheLimit_asksTheFunctionOnce() {
        reopen(OffHeapMapEviction.SIEVE);
        for (int i = 0; evicted == 0; i++) {
            update("key " + i, 100);
        }
        AtomicLong asked = new AtomicLong();
        for (int i = 0; i < 5000; i++) {
            map.update(OffHeapMapTests.bytes("new " + i), (present, decision) -> {
                asked.incrementAndGet();
                decision.put(new byte[100], OffHeapMap.NEVER);
            });
        }
        assertThat(asked.get()).isEqualTo(5000);
        assertThat(evicted).isGreaterThan(4000);
    }

    @Test
    void put_volatileTtl_takesWhatExpiresSoonAndNothingElse() {
        reopen(OffHeapMapEviction.VOLATILE_TTL);
        for (int i = 0; i < 10_000; i++) {
            put("lasting " + i, 32, OffHeapMap.NEVER);
        }
        int there = 0;
        while (evicted < 5000) {
            put("volatile " + there, 32, now.get() + 1000L + there % 100 * 1000L);
            there++;
        }
        int soon = 0;
        int late = 0;
        for (int i = 0; i < there; i++) {
            boolean here = map.containsKey(OffHeapMapTests.bytes("volatile " + i));
            soon += here && i % 100 < 10 ? 1 : 0;
            late += here && i % 100 >= 90 ? 1 : 0;
        }
        assertThat(soon).isLessThan(late / 3);
        for (int i = 0; i < 10_000; i++) {
            assertThat(map.containsKey(OffHeapMapTests.bytes("lasting " + i))).isTrue();
        }
        fill(32, OffHeapMap.NEVER);
        // One call looks at some groups only, and may miss the few that have such entries.
        AtomicLong left = new AtomicLong();
        map.forEach((key, value, time) -> left.addAndGet(time == OffHeapMap.NEVER ? 0 : 1));
        assertThat(left.get()).isLessThan(there / 50);
    }

    @Test
    void put_sieve_keepsWhatIsGotAgainAndAgain() {
        reopen(OffHeapMapEviction.SIEVE);
        for (int i = 0; i < 10_000; i++) {
            put("hot " + i, 32, OffHeapMap.NEVER);
        }
        // A scan of ten times as much as there is room for.
        for (int i = 0; i < 300_000; i++) {
            put("scanned " + i, 32, OffHeapMap.NEVER);
            byte[] hot = OffHeapMapTests.bytes("hot " + i % 10_000);
            map.get(hot);
        }
        int left = 0;
        for (int i = 0; i < 10_000; i++) {
            left += map.containsKey(OffHeapMapTests.bytes("hot " + i)) ? 1 : 0;
        }
        assertThat(left).isGreaterThan(9900);
        assertWithinLimit();
    }

    @Test
    void put_expiredEntriesAreThere_theyGoFirst() {
        reopen(OffHeapMapEviction.SIEVE);
        for (int i = 0; i < 30_000; i++) {
            put(i + " expires", 32, now.get() + 10);
            put(i + " lasts", 32, OffHeapMap.NEVER);
            if (evicted > 0) {
                break;
            }
        }
        int before = evicted;
        now.addAndGet(10);
        for (int i = 0; i < 5000; i++) {
            put(i + " is new", 32, OffHeapMap.NEVER);
        }
        assertThat(expired).isGreaterThan(4000);
        assertThat(evicted).isLessThan(before + 500);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SIEVE", "VOLATILE_TTL"})
    void put_largerThanWhatOneCallMayEvict_isRefusedAndGoesOnNextTime(OffHeapMapEviction policy) {
        reopen(policy);
        for (int i = 0; evicted == 0; i++) {
            put("key " + i, 8, now.get() + 1_000_000);
        }
        int refused = 0;
        while (refused < 300) {
            try {
                put("large", 1_500_000, OffHeapMap.NEVER);
                break;
            } catch (OffHeapMapException.OutOfMemory e) {
                refused++;
                assertWithinLimit();
            }
        }
        assertThat(refused).isBetween(1, 200);
        assertThat(map.sizeOf(OffHeapMapTests.segment("large"), 0, 5)).isEqualTo(1_500_000);
    }

    @Test
    void put_manyThreads_limitHoldsAndNobodySeesAnotherKeysValue() throws Exception {
        Set<Integer> known = ConcurrentHashMap.newKeySet();
        OffHeapMapConfig config = OffHeapMapConfig.of(8 << 20)
                .withHugePages(false)
                .withLimit(LIMIT, OffHeapMapEviction.SIEVE)
                .withListener((change, entry) -> {
                    int key = ByteBuffer.wrap(entry.key()).getInt();
                    if (change == OffHeapMapListener.Change.PUT) {
                        known.add(key);
                    } else {
                        assertThat(known.remove(key)).isTrue();
                    }
                });
        try (OffHeapMap shared = OffHeapMap.open(config);
                ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Random random = new Random(i);
                work.add(() -> {
                    for (int step = 0; step < 100_000; step++) {
                        request(shared, random.nextInt(60_000), random);
                    }
                    return null;
                });
            }
            for (Future<Void> each : threads.invokeAll(work, 2, TimeUnit.MINUTES)) {
                each.get();
            }
            OffHeapMapTests.assertSound(shared);
            OffHeapMapStatistics figures = shared.statistics();
            assertThat(figures.payloadBytes() + figures.groupBytes() + figures.directoryBytes())
                    .isLessThan(LIMIT + 3 * 8192);
            assertThat(figures.evictedEntries()).isGreaterThan(10_000);
            Set<Integer> left = new HashSet<>();
            shared.forEach((key, value, time) ->
                    left.add(ByteBuffer.wrap(key.toArray(ValueLayout.JAVA_BYTE)).getInt()));
            assertThat(left).isEqualTo(known);
        }
    }

    private static void request(OffHeapMap shared, int number, Random random) {
        byte[] key = ByteBuffer.allocate(4).putInt(number).array();
        byte[] value = shared.get(key);
        if (value != null) {
            assertThat(ByteBuffer.wrap(value).getInt()).isEqualTo(number);
        } else if (random.nextInt(10) == 0) {
            shared.remove(key);
        } else {
            int size = 4 + random.nextInt(random.nextInt(100) == 0 ? 3000 : 60);
            shared.put(key, ByteBuffer.allocate(size).putInt(number).array());
        }
    }

    private OffHeapMap open(OffHeapMapEviction policy) {
        return OffHeapMap.open(OffHeapMapConfig.of(8 << 20)
                .withHugePages(false)
                .withClock(now::get)
                .withLimit(LIMIT, policy)
                .withListener(this::follow));
    }

    private void reopen(OffHeapMapEviction policy) {
        map.close();
        map = open(policy);
    }

    private void follow(OffHeapMapListener.Change change, OffHeapMapView entry) {
        String key = new String(entry.key(), StandardCharsets.UTF_8);
        switch (change) {
            case PUT -> told.add(key);
            case EXPIRY -> assertTold(key);
            case REMOVED, EXPIRED, EVICTED -> {
                assertThat(told.remove(key)).isTrue();
                evicted += change == OffHeapMapListener.Change.EVICTED ? 1 : 0;
                expired += change == OffHeapMapListener.Change.EXPIRED ? 1 : 0;
            }
        }
    }

    /** Asks the set itself: contains of AssertJ looks at all that it has. */
    private void assertTold(String key) {
        assertThat(told.contains(key)).as(key).isTrue();
    }

    /** Puts entries until one is refused. */
    private int fill(int valueBytes, long expiry) {
        for (int i = 0; i < 100_000; i++) {
            try {
                map.put(key(i), new byte[valueBytes], expiry);
            } catch (OffHeapMapException.OutOfMemory e) {
                return i;
            }
        }
        throw new AssertionError("the map took everything");
    }

    private boolean put(String key, int valueBytes, long expiry) {
        return map.put(OffHeapMapTests.bytes(key), new byte[valueBytes], expiry);
    }

    private boolean update(String key, int valueBytes) {
        return map.update(OffHeapMapTests.bytes(key), (present, decision) -> decision.put(new byte[valueBytes], 0));
    }

    private static byte[] key(int number) {
        return OffHeapMapTests.bytes("key " + number);
    }

    /** One group may have grown to a larger block beside the entry that was asked for. */
    private void assertWithinLimit() {
        OffHeapMapStatistics figures = map.statistics();
        assertThat(figures.payloadBytes() + figures.groupBytes() + figures.directoryBytes())
                .isLessThan(LIMIT + 8192);
    }
}
