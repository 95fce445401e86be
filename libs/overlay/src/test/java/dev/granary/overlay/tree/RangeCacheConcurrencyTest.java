package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class RangeCacheConcurrencyTest {

    private static final int NID = 0x8000;
    private static final int LIDS = 20_000;
    private static final int WRITES = 60_000;

    /** Owner and epoch of every CID follow from the LID and the round, so that a reader can tell a torn answer. */
    private static int ownerOf(long lid, long round) {
        return Nid.storageNid((int) (1 + (lid / 10 + round) % 7));
    }

    /** What is cached lies in containers nearly all the time; with many rounds their placements come and go. */
    @ParameterizedTest
    @ValueSource(ints = {100, 20_000})
    void lookup_besideAWriter_neverAnswersWhatWasNeverCached(int writesPerRound) throws InterruptedException {
        RangeCache cache = new RangeCache(1_000);
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicLong hits = new AtomicLong();
        List<Thread> readers = new ArrayList<>();
        for (int r = 0; r < 3; r++) {
            long seed = 100L + r;
            readers.add(Thread.ofPlatform().name("reader-" + r).start(() -> {
                try {
                    SplittableRandom random = new SplittableRandom(seed);
                    while (!done.get()) {
                        hits.addAndGet(readSome(cache, random));
                    }
                } catch (Throwable thrown) {
                    failure.compareAndSet(null, thrown);
                }
            }));
        }
        try {
            SplittableRandom random = new SplittableRandom(7);
            for (int i = 0; i < WRITES; i++) {
                long round = 1L + i / writesPerRound;
                long block = random.nextInt(LIDS / 10);
                int owner = ownerOf(block * 10, round);
                cache.put(new CidRange(
                        Cid.of(NID, 1 + block * 10),
                        Cid.of(NID, 10 + block * 10),
                        Placement.unreplicated(owner, round)));
                if (i % 50 == 0) {
                    cache.invalidate(Cid.of(NID, 1 + random.nextInt(LIDS)));
                }
            }
        } finally {
            done.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
        }
        assertThat(failure.get()).isNull();
        assertThat(hits.get()).isPositive();
        cache.verify();
    }

    private static long readSome(RangeCache cache, SplittableRandom random) {
        long hits = 0;
        for (int i = 0; i < 1_000; i++) {
            long lid = 1L + random.nextInt(LIDS);
            long answer = cache.lookup(Cid.of(NID, lid));
            if (answer != RangeCache.MISS) {
                hits++;
                long epoch = RangeCache.epoch(answer);
                int expected = ownerOf((lid - 1) / 10 * 10, epoch);
                if (RangeCache.owner(answer) != expected) {
                    throw new AssertionError("lid " + lid + " epoch " + epoch + ": owner "
                            + Nid.toHex(RangeCache.owner(answer)) + ", expected " + Nid.toHex(expected));
                }
            }
        }
        return hits;
    }

    @Test
    void lookup_hitsAndMisses_allocateNothing() {
        RangeCache cache = new RangeCache(10_000);
        for (long i = 0; i < 5_000; i++) {
            cache.put(new CidRange(Cid.of(NID, 1 + 4 * i), Cid.of(NID, 3 + 4 * i), Placement.unreplicated(2, 1)));
        }
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        long allocatedBytes = 0;
        for (int round = 0; round < 20; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (long lid = 1; lid < 20_000; lid++) {
                sum += cache.ownerOf(Cid.of(NID, lid));
            }
            allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(sum).isPositive();
        // The last of many rounds; far less than one object for each of the 20,000 lookups.
        assertThat(allocatedBytes).isLessThan(20_000);
    }
}
