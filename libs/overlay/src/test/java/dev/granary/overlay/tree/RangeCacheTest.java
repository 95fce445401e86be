package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RangeCacheTest {

    private static final int NID = 0x8000;

    private final RangeCache cache = new RangeCache(10);

    @AfterEach
    void verifyCache() {
        cache.verify();
    }

    private static long cid(long lid) {
        return Cid.of(NID, lid);
    }

    private static CidRange range(long startLid, long endLid, int owner, long epoch) {
        return new CidRange(cid(startLid), cid(endLid), Placement.unreplicated(owner, epoch));
    }

    @Test
    void lookup_cachedRange_answersOwnerAndEpoch() {
        assertThat(cache.put(range(1, 100, 0xC000, 7))).isTrue();
        long answer = cache.lookup(cid(50));
        assertThat(RangeCache.owner(answer)).isEqualTo(0xC000);
        assertThat(RangeCache.epoch(answer)).isEqualTo(7);
        assertThat(cache.ownerOf(cid(100))).isEqualTo(0xC000);
        assertThat(cache.find(cid(50))).contains(range(1, 100, 0xC000, 7));
        assertThat(cache.lookup(cid(101))).isEqualTo(RangeCache.MISS);
        assertThat(cache.ownerOf(cid(101))).isEqualTo(Nid.NONE);
    }

    @Test
    void isUnchangedSince_untilARangeIsPutOrForgotten_isTrue() {
        cache.put(range(1, 100, 0xC000, 7));
        long mark = cache.mark();
        cache.lookup(cid(50));
        cache.find(cid(50));
        assertThat(cache.isUnchangedSince(mark)).isTrue();
        cache.put(range(200, 300, 2, 1));
        assertThat(cache.isUnchangedSince(mark)).isFalse();
        long later = cache.mark();
        cache.invalidate(cid(50));
        assertThat(cache.isUnchangedSince(later)).isFalse();
        assertThat(cache.isUnchangedSince(0)).isFalse();
    }

    @Test
    void put_olderEpoch_isNotAccepted() {
        cache.put(range(1, 100, 2, 7));
        assertThat(cache.put(range(1, 100, 4, 6))).isFalse();
        assertThat(cache.ownerOf(cid(1))).isEqualTo(2);
        assertThat(cache.put(range(1, 100, 4, 7))).isTrue();
        assertThat(cache.ownerOf(cid(1))).isEqualTo(4);
    }

    @Test
    void put_partlyOlder_isAcceptedAroundWhatIsNewer() {
        cache.put(range(40, 60, 2, 9));
        cache.put(range(80, 100, 4, 1));
        assertThat(cache.put(range(1, 100, 6, 5))).isTrue();
        assertThat(cache.find(cid(39))).contains(range(1, 39, 6, 5));
        assertThat(cache.find(cid(40))).contains(range(40, 60, 2, 9));
        assertThat(cache.find(cid(80))).contains(range(61, 100, 6, 5));
    }

    @Test
    void put_olderThanARangeAtTheLargestCid_endsBeforeIt() {
        long last = Cid.lastOf(Nid.MAX);
        cache.put(new CidRange(last - 5, last, Placement.unreplicated(2, 9)));
        cache.put(new CidRange(last - 10, last, Placement.unreplicated(4, 5)));
        assertThat(cache.ownerOf(last)).isEqualTo(2);
        assertThat(cache.ownerOf(last - 6)).isEqualTo(4);
    }

    @Test
    void put_rangeThatNobodyServes_onlyForgets() {
        cache.put(range(1, 100, 2, 7));
        Placement recovering = new Placement(Nid.NONE, new int[] {4}, 8, 0, PlacementState.RECOVERING);
        assertThat(cache.put(new CidRange(cid(50), cid(100), recovering))).isFalse();
        assertThat(cache.ownerOf(cid(49))).isEqualTo(2);
        assertThat(cache.lookup(cid(50))).isEqualTo(RangeCache.MISS);
    }

    @Test
    void invalidate_cid_forgetsItsWholeRange() {
        cache.put(range(1, 10, 2, 7));
        cache.put(range(11, 20, 4, 7));
        cache.invalidate(cid(5));
        assertThat(cache.lookup(cid(1))).isEqualTo(RangeCache.MISS);
        assertThat(cache.ownerOf(cid(11))).isEqualTo(4);
        cache.invalidate(cid(5));
        cache.invalidate(cid(11), 6);
        assertThat(cache.ownerOf(cid(11))).isEqualTo(4);
        cache.invalidate(cid(11), 7);
        assertThat(cache.rangeCount()).isZero();
    }

    @Test
    void invalidateRange_partOfARange_leavesTheRest() {
        cache.put(range(1, 100, 2, 7));
        cache.invalidateRange(cid(40), cid(60));
        assertThat(cache.find(cid(39))).contains(range(1, 39, 2, 7));
        assertThat(cache.find(cid(61))).contains(range(61, 100, 2, 7));
        assertThat(cache.find(cid(50))).isEmpty();
    }

    @Test
    void invalidateOwner_severalRanges_forgetsOnlyThatOwners() {
        cache.put(range(1, 10, 2, 7));
        cache.put(range(11, 20, 4, 7));
        cache.put(range(21, 30, 2, 8));
        assertThat(cache.invalidateOwner(2)).isEqualTo(2);
        assertThat(cache.rangeCount()).isEqualTo(1);
        assertThat(cache.ownerOf(cid(15))).isEqualTo(4);
    }

    @Test
    void put_moreThanTheBound_keepsTheNewestAndTheBound() {
        for (int i = 0; i < 1000; i++) {
            cache.put(range(1 + 10L * i, 5 + 10L * i, 2, 1));
            assertThat(cache.rangeCount()).isEqualTo(Math.min(i + 1, 10));
            assertThat(cache.ownerOf(cid(1 + 10L * i))).isEqualTo(2);
        }
        RangeCache tiny = new RangeCache(1);
        tiny.put(range(1, 100, 2, 1));
        tiny.put(range(50, 50, 4, 2));
        assertThat(tiny.rangeCount()).isEqualTo(1);
        assertThat(tiny.ownerOf(cid(50))).isEqualTo(4);
        tiny.verify();
    }

    @Test
    void cache_extremeValues_areRefusedOrKept() {
        assertThatThrownBy(() -> new RangeCache(0)).isInstanceOf(IllegalArgumentException.class);
        assertThat(cache.put(range(1, 1, 2, Placement.MAX_EPOCH))).isTrue();
        assertThat(RangeCache.epoch(cache.lookup(cid(1)))).isEqualTo(Placement.MAX_EPOCH);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void randomOperations_anyCache_answersNothingThatTheModelDoesNotKnow(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RangeCache bounded = new RangeCache(40);
        Map<Long, Set<Long>> answersByLid = new HashMap<>();
        for (int step = 0; step < 20_000; step++) {
            long start = 1L + random.nextInt(2_000);
            long end = start + random.nextInt(30);
            int owner = Nid.storageNid(1 + random.nextInt(6));
            long epoch = 1L + step / 100 + random.nextInt(5);
            switch (random.nextInt(20)) {
                case 0 -> bounded.invalidate(cid(start));
                case 1 -> bounded.invalidateRange(cid(start), cid(end));
                case 2 -> bounded.invalidateOwner(owner);
                default -> {
                    long before = bounded.lookup(cid(start));
                    bounded.put(range(start, end, owner, epoch));
                    for (long lid = start; lid <= end; lid++) {
                        answersByLid
                                .computeIfAbsent(lid, any -> new HashSet<>())
                                .add((epoch << 16) | owner);
                    }
                    boolean newer = RangeCache.epoch(before) <= epoch;
                    assertThat(bounded.lookup(cid(start)))
                            .as("seed %d step %d", seed, step)
                            .isEqualTo(newer ? (epoch << 16) | owner : before);
                }
            }
            bounded.verify();
            long probe = start + random.nextInt(40);
            long answer = bounded.lookup(cid(probe));
            if (answer != RangeCache.MISS) {
                assertThat(answersByLid.get(probe))
                        .as("seed %d step %d", seed, step)
                        .contains(answer);
            }
        }
        assertThat(bounded.rangeCount()).isGreaterThan(10);
    }
}
