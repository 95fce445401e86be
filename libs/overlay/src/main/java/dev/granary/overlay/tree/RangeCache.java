package dev.granary.overlay.tree;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Supplier;

/**
 * What a client or a peer remembers of lookups: the {@link CidTree} again, with a bound. Only ranges that are served
 * are kept. Sources: "CID ranges" paper, section 3.3; ADR 0022.
 *
 * <p>What is cached may be out of date and must be treated as a hint: the node that is asked decides whether it owns
 * the chunk, and a refusal is answered by {@link #invalidate(long, long)} or a newer range.
 *
 * <p>Thread-safe. A lookup takes no lock as long as no writer is active: it reads the tree optimistically, validates,
 * and waits for the writer only when that fails. Lookups that return numbers allocate nothing.
 */
public final class RangeCache {

    /** The answer of {@link #lookup} for a CID that is not cached. */
    public static final long MISS = CidTree.NO_RANGE;

    private final StampedLock lock = new StampedLock();
    private final CidTree tree = new CidTree();
    private final long maxRanges;

    /** The CID from which the next range to evict is searched. */
    private long hand;

    /**
     * An empty cache.
     *
     * @param maxRanges the largest number of ranges, at least 1
     */
    public RangeCache(long maxRanges) {
        if (maxRanges < 1) {
            throw new IllegalArgumentException("a cache of " + maxRanges + " ranges; at least 1 is needed");
        }
        this.maxRanges = maxRanges;
    }

    /** The owner of a CID and the epoch of its placement in one number, or {@link #MISS}. Allocates nothing. */
    public long lookup(long cid) {
        long stamp = lock.tryOptimisticRead();
        if (stamp != 0) {
            try {
                long answer = tree.lookup(cid);
                if (lock.validate(stamp)) {
                    return answer;
                }
            } catch (RuntimeException e) {
                // A writer moved what was being read. A true fault shows again under the lock.
                assert !lock.validate(stamp) : e;
            }
        }
        stamp = lock.readLock();
        try {
            return tree.lookup(cid);
        } finally {
            lock.unlockRead(stamp);
        }
    }

    /** Returns a mark for {@link #isUnchangedSince}. Take it before looking anything up. */
    public long mark() {
        return lock.tryOptimisticRead();
    }

    /**
     * Returns whether nothing was changed since a mark was taken, so that every lookup would find what it found then.
     * Costs a few nanoseconds; may be false without a change.
     */
    public boolean isUnchangedSince(long mark) {
        return lock.validate(mark);
    }

    /** The NID in an answer of {@link #lookup}; {@link Nid#NONE} for a miss. */
    public static int owner(long answer) {
        return CidTree.owner(answer);
    }

    /** The epoch in an answer of {@link #lookup}; 0 for a miss. */
    public static long epoch(long answer) {
        return CidTree.epoch(answer);
    }

    /** The NID of the owner of a CID, or {@link Nid#NONE} when it is not cached. Allocates nothing. */
    public int ownerOf(long cid) {
        return owner(lookup(cid));
    }

    /** The cached range that holds a CID. */
    public Optional<CidRange> find(long cid) {
        return underReadLock(() -> tree.find(cid));
    }

    /** The cached range that holds a CID, or else the next one after it. */
    public Optional<CidRange> findAtOrAfter(long cid) {
        return underReadLock(() -> tree.findAtOrAfter(cid));
    }

    /** The bytes of heap that the cached ranges take; computed from array sizes, a few percent off. */
    public long footprintBytes() {
        return underReadLock(tree::footprintBytes);
    }

    /** The number of cached ranges. */
    public long rangeCount() {
        return underReadLock(tree::rangeCount);
    }

    /**
     * Remembers a range. Where CIDs of it are cached with a newer epoch, those stay as they are. A range that nobody
     * serves is not kept, but what it makes out of date is forgotten.
     *
     * @return whether any CID of the range now has this placement in the cache
     */
    public boolean put(CidRange range) {
        long stamp = lock.writeLock();
        try {
            Placement kept = range.placement().isServed() ? range.placement() : null;
            boolean stored = false;
            for (Span span : spansNotNewer(range)) {
                tree.assign(span.startCid, span.endCidInclusive, kept);
                stored |= kept != null;
            }
            evictBeyondLimit(range.startCid(), range.endCidInclusive());
            return stored;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Forgets the range that holds a CID. */
    public void invalidate(long cid) {
        invalidate(cid, Long.MAX_VALUE);
    }

    /**
     * Forgets the range that holds a CID, unless it is newer than the one that turned out to be wrong.
     *
     * @param wrongEpoch the epoch of the placement that was wrong
     */
    public void invalidate(long cid, long wrongEpoch) {
        long stamp = lock.writeLock();
        try {
            Optional<CidRange> known = tree.find(cid);
            if (known.isPresent() && known.get().placement().epoch() <= wrongEpoch) {
                remove(known.get());
            }
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Forgets the CIDs of a span; the rest of ranges that reach beyond it stays. */
    public void invalidateRange(long startCid, long endCidInclusive) {
        CidRange.requireRange(startCid, endCidInclusive);
        long stamp = lock.writeLock();
        try {
            tree.assign(startCid, endCidInclusive, null);
            // A hole in a range makes two ranges of it.
            evictBeyondLimit(startCid, endCidInclusive);
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Forgets all ranges of an owner and returns their number. */
    public int invalidateOwner(int nid) {
        long stamp = lock.writeLock();
        try {
            List<CidRange> owned = new ArrayList<>();
            tree.forEachRange((start, end, placement) -> {
                if (placement.owner() == nid) {
                    owned.add(new CidRange(start, end, placement));
                }
            });
            owned.forEach(this::remove);
            return owned.size();
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    /** Checks the tree's invariants and the bound; throws {@link IllegalStateException} when one does not hold. */
    public void verify() {
        underReadLock(() -> {
            tree.verify();
            if (tree.rangeCount() > maxRanges) {
                throw new IllegalStateException(tree.rangeCount() + " ranges cached, at most " + maxRanges);
            }
            return maxRanges;
        });
    }

    /** A part of a range. */
    private record Span(long startCid, long endCidInclusive) {}

    /** The parts of a range where nothing newer is cached, in order. */
    private List<Span> spansNotNewer(CidRange range) {
        List<Span> spans = new ArrayList<>();
        long[] from = {range.startCid()};
        tree.forEachRange(range.startCid(), range.endCidInclusive(), (start, end, known) -> {
            if (known.epoch() > range.placement().epoch()) {
                if (Cid.compare(from[0], start) < 0) {
                    spans.add(new Span(from[0], start - 1));
                }
                from[0] = end + 1;
            }
        });
        // Past the end, or wrapped to 0 because the newer range reaches the largest CID of all.
        if (from[0] != 0 && Cid.compare(from[0], range.endCidInclusive()) <= 0) {
            spans.add(new Span(from[0], range.endCidInclusive()));
        }
        return spans;
    }

    /** Evicts ranges in order of their CIDs, cyclically; those just written go last. */
    private void evictBeyondLimit(long newStartCid, long newEndCid) {
        boolean skippedNew = false;
        while (tree.rangeCount() > maxRanges) {
            CidRange victim =
                    tree.findAtOrAfter(hand).or(() -> tree.findAtOrAfter(0)).orElseThrow();
            hand = victim.endCidInclusive() + 1;
            boolean overlapsNew = Cid.compare(victim.startCid(), newEndCid) <= 0
                    && Cid.compare(newStartCid, victim.endCidInclusive()) <= 0;
            if (overlapsNew && !skippedNew) {
                skippedNew = true;
            } else {
                remove(victim);
            }
        }
    }

    private void remove(CidRange range) {
        tree.assign(range.startCid(), range.endCidInclusive(), null);
    }

    private <T> T underReadLock(Supplier<T> body) {
        long stamp = lock.readLock();
        try {
            return body.get();
        } finally {
            lock.unlockRead(stamp);
        }
    }
}
