package dev.granary.memory.map;

import dev.granary.memory.map.MapWriter.Result;
import dev.granary.memory.map.OffHeapMapListener.Change;
import dev.granary.memory.map.OffHeapMapUpdate.Decision;
import java.lang.foreign.MemorySegment;

/**
 * Reads, decides and writes under one latch. Chains of large values are written under it, too: only then is it known
 * what to write.
 */
final class MapUpdater {

    private static final int USUAL_BYTES = 256;

    private final MapDirectory directory;
    private final MapChains chains;
    private final MapEntries entries;
    private final MapGrowth growth;
    private final MapCleaner cleaner;
    private final MapEvictor evictor;
    private final MapUses uses;
    private final int inlineBytes;

    /** @param inlineBytes key and value of more go into a chain */
    MapUpdater(
            MapParts parts,
            MapEntries entries,
            MapGrowth growth,
            MapCleaner cleaner,
            MapEvictor evictor,
            int inlineBytes) {
        this.directory = parts.directory();
        this.chains = parts.chains();
        this.entries = entries;
        this.growth = growth;
        this.cleaner = cleaner;
        this.evictor = evictor;
        this.uses = parts.uses();
        this.inlineBytes = inlineBytes;
    }

    /** Returns whether something has changed. */
    boolean update(
            long hash, MemorySegment key, long keyOffset, int keyBytes, boolean mayExpire, OffHeapMapUpdate function) {
        // So that a usual value finds room at once, and the function need not be asked again.
        evictor.makeWay(keyBytes + USUAL_BYTES);
        Decision decision = new Decision(keyBytes, mayExpire);
        for (int tries = 0; tries < MapWriter.TRIES; tries++) {
            Result result = once(hash, key, keyOffset, keyBytes, function, decision);
            if (result != Result.NO_ROOM && result != Result.GROUP_FULL) {
                return result != Result.KEPT;
            }
            boolean way = result != Result.GROUP_FULL && evictor.makeWay((long) keyBytes + decision.valueBytes());
            if (!way || !(cleaner.makeRoom() || evictor.shrink())) {
                break;
            }
        }
        throw new OffHeapMapException.OutOfMemory(keyBytes, decision.valueBytes(), evictor.roomBytes());
    }

    private Result once(
            long hash, MemorySegment key, long keyOffset, int keyBytes, OffHeapMapUpdate function, Decision decision) {
        long group = directory.latch(hash);
        Result result = null;
        try {
            long found = entries.find(group, hash, key, keyOffset, keyBytes);
            boolean there = found != MapGroup.NONE && !entries.isExpired(group, found);
            ask(group, there ? found : MapGroup.NONE, function, decision);
            result = switch (decision.kind()) {
                case KEEP -> Result.KEPT;
                case REMOVE -> remove(group, found, there);
                case EXPIRE -> there ? expire(group, found, decision) : Result.KEPT;
                case PUT -> put(group, found, there, decision.entry(hash, key, keyOffset));
            };
        } finally {
            if (result == Result.KEPT) {
                directory.unlatchUnchanged(group);
            } else {
                directory.unlatch(group);
            }
        }
        if (result == Result.INSERTED) {
            growth.afterInsert(group);
        } else if (result == Result.REMOVED) {
            growth.afterRemove(group);
        }
        if (result != Result.KEPT) {
            cleaner.step();
        }
        return result;
    }

    private void ask(long group, long found, OffHeapMapUpdate function, Decision decision) {
        decision.keep();
        if (found == MapGroup.NONE) {
            function.decide(null, decision);
            return;
        }
        uses.mark(group, MapGroup.foundIndex(found));
        OffHeapMapView present = entries.view(group, MapGroup.foundIndex(found));
        try {
            function.decide(present, decision);
        } finally {
            present.end();
        }
    }

    /** What has expired is as good as absent; the sweep takes it. */
    private Result remove(long group, long found, boolean there) {
        if (!there) {
            return Result.KEPT;
        }
        entries.remove(group, MapGroup.foundIndex(found), Change.REMOVED);
        return Result.REMOVED;
    }

    private Result expire(long group, long found, Decision decision) {
        return MapWriter.result(
                entries.expireAt(group, MapGroup.foundIndex(found), decision.expiryMillis()), Result.REPLACED);
    }

    private Result put(long group, long found, boolean there, MapEntry entry) {
        return MapWriter.result(write(group, found, entry), there ? Result.REPLACED : Result.INSERTED);
    }

    private MapGroups.Outcome write(long group, long found, MapEntry entry) {
        if (!evictor.fits(entry.payloadBytes())) {
            return MapGroups.Outcome.NO_ROOM;
        }
        if (entry.payloadBytes() <= inlineBytes) {
            MapGroups.Outcome outcome = entries.put(group, found, entry);
            if (outcome != MapGroups.Outcome.GROUP_FULL || entry.payloadBytes() <= MapGroup.FORWARD_BYTES) {
                return outcome;
            }
        }
        long first = chains.write(entry);
        return first == 0 ? MapGroups.Outcome.NO_ROOM : entries.put(group, found, entry.withChain(first));
    }
}
