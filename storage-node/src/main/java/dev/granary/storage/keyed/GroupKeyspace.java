package dev.granary.storage.keyed;

import dev.granary.keyed.KeyEntry;
import dev.granary.keyed.Keyspace;
import dev.granary.keyed.KeyspaceFullException;
import dev.granary.keyed.ValueType;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.storage.replicate.ZoneBatch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The keyspace of one call on a slot group, under the lock of the group's zone. Changes are in memory at once. What has
 * changed is logged at the end of the call, each entry once, so that all changes of a call survive together.
 */
final class GroupKeyspace implements Keyspace {

    /** A batch that has grown to this size is ended: it must fit into a request to a backup. */
    private static final int MAX_BATCH_BYTES = 2 << 20;

    private static final int FEW = 8;
    private static final int[] NONE = {};

    private final KeyedGroup group;
    private final long nowMillis;
    private final boolean sync;
    private final KeyedLoan loan;

    /** Whether backups lacked nothing when the call began: the marks of changes need not be looked at. */
    private final boolean settled;

    private int[] changed = NONE;
    private int changedCount;
    private long hidden;
    private long hiddenUntilSynced;
    private @Nullable KeyedLack lack;
    private int hits;
    private int misses;
    private int expired;
    private int evicted;

    /**
     * @param nowMillis by which keys expire during the call
     * @param sync whether backups must sync what the call changes
     */
    GroupKeyspace(KeyedGroup group, long nowMillis, boolean sync) {
        this(group, nowMillis, sync, new KeyedLoan(group.keyedMemory(), 0));
    }

    /** The same for a call for which memory was taken before. */
    GroupKeyspace(KeyedGroup group, long nowMillis, boolean sync, KeyedLoan loan) {
        this.group = group;
        this.settled = group.zone().isSettled();
        this.loan = loan;
        this.nowMillis = nowMillis;
        this.sync = sync;
    }

    @Override
    public long nowMillis() {
        return nowMillis;
    }

    @Override
    public @Nullable KeyEntry find(byte[] key) {
        long hash = group.hash(key);
        shows(hash);
        boolean isThere = group.find(key, hash) != 0 && group.expiry() > nowMillis;
        hits += isThere ? 1 : 0;
        misses += isThere ? 0 : 1;
        return isThere ? group.entry() : null;
    }

    /** Notes that the answer tells something of a key. */
    private void shows(long hash) {
        if (settled && changedCount == 0) {
            return;
        }
        hidden = Math.max(hidden, group.hides(hash));
        hiddenUntilSynced = Math.max(hiddenUntilSynced, group.hidesUntilSynced(hash));
    }

    @Override
    public void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis) {
        long hash = group.hash(key);
        int lid = group.find(key, hash);
        if (expiresAtMillis <= nowMillis) {
            if (lid != 0) {
                remove(hash, lid);
            }
            return;
        }
        byte[] bytes = EntryBytes.of(key, type, content, expiresAtMillis);
        if (lid == 0) {
            lid = add(hash, bytes, expiresAtMillis);
        } else {
            replace(lid, bytes, expiresAtMillis);
        }
        group.changes(hash, sync);
        noteChanged(lid);
    }

    private void replace(int lid, byte[] bytes, long expiresAtMillis) {
        long before = group.expiry();
        long growth = (long) bytes.length - group.entryBytes();
        take(Math.max(0, growth));
        try {
            group.memory().replace(group.cid(lid), MemorySegment.ofArray(bytes), 0, bytes.length);
        } catch (OutOfChunkMemoryException e) {
            loan.back(Math.max(0, growth));
            throw noChunkMemory(e, bytes.length);
        }
        loan.back(Math.max(0, -growth));
        group.counts(growth);
        group.expiryChanged(before, expiresAtMillis);
    }

    private int add(long hash, byte[] bytes, long expiresAtMillis) {
        if (group.freeLids() == 0) {
            lack = KeyedLack.ofLids(hash);
            throw new KeyspaceFullException("all " + group.lidLimit() + " identifiers of the slot group are in use");
        }
        long cost = group.cost(group.freeLid(), bytes.length);
        // With what the index may take.
        take(cost + KeyIndex.GROWTH_BYTES);
        boolean added = false;
        try {
            makeRoom(hash);
            int lid = group.freeLid();
            if (!group.memory().insert(group.cid(lid), MemorySegment.ofArray(bytes), 0, bytes.length)) {
                throw new IllegalStateException("LID " + lid + " of a slot group is free, and there is a chunk");
            }
            group.added(hash, lid, expiresAtMillis);
            group.counts(cost);
            added = true;
            return lid;
        } catch (OutOfChunkMemoryException e) {
            throw noChunkMemory(e, bytes.length);
        } finally {
            loan.back(KeyIndex.GROWTH_BYTES + (added ? 0 : cost));
        }
    }

    private void makeRoom(long hash) {
        try {
            group.makeRoom(hash);
        } catch (KeyspaceFullException e) {
            lack = KeyedLack.ofIndex(hash);
            throw e;
        }
    }

    private void take(long room) {
        if (!loan.take(room)) {
            lack = KeyedLack.ofBytes(room);
            throw new KeyspaceFullException("keys have used the memory that they may have");
        }
    }

    private KeyspaceFullException noChunkMemory(OutOfChunkMemoryException e, int sizeBytes) {
        lack = KeyedLack.ofChunkMemory(sizeBytes, e.isPassing());
        return new KeyspaceFullException(String.valueOf(e.getMessage()));
    }

    @Override
    public boolean remove(byte[] key) {
        long hash = group.hash(key);
        shows(hash);
        int lid = group.find(key, hash);
        if (lid == 0) {
            return false;
        }
        boolean wasThere = group.expiry() > nowMillis;
        remove(hash, lid);
        return wasThere;
    }

    private void remove(long hash, int lid) {
        remove(hash, lid, false);
    }

    /** Removes the entry that was looked at last. */
    private void remove(long hash, int lid, boolean evict) {
        boolean isOver = group.expiry() <= nowMillis;
        expired += isOver ? 1 : 0;
        evicted += evict && !isOver ? 1 : 0;
        group.changes(hash, sync);
        group.memory().delete(group.cid(lid));
        group.removed(hash, lid, evict && !isOver);
        noteChanged(lid);
    }

    /** Removes an entry to make way for others. It was looked at last. */
    void evict(int lid) {
        remove(group.hash(group.key()), lid, true);
    }

    /** Removes entries that have expired, of those from a LID on. Returns the LID to go on with, 0 at the end. */
    int removeExpired(int fromLid, int looks) {
        int lid = group.lidAtOrAfter(Math.max(1, fromLid));
        for (int i = 0; i < looks && lid > 0; i++, lid = group.lidAtOrAfter(lid + 1)) {
            if (group.readHead(lid) && group.expiry() <= nowMillis) {
                remove(group.hash(group.key()), lid);
            }
        }
        return Math.max(0, lid);
    }

    @Override
    public long size() {
        hidden = Math.max(hidden, group.zone().last());
        return group.size();
    }

    @Override
    public long scan(long cursor, int count, KeyVisitor visitor) {
        hidden = Math.max(hidden, group.zone().last());
        int lid = cursor > KeyIndex.MAX_LID ? -1 : group.lidAtOrAfter((int) Math.max(1, cursor));
        for (int i = 0; i < count && lid > 0; i++, lid = group.lidAtOrAfter(lid + 1)) {
            if (group.read(lid) && group.expiry() > nowMillis) {
                visitor.visit(group.key(), group.entry());
            }
        }
        return Math.max(0, lid);
    }

    @Override
    public byte @Nullable [] anyKey() {
        hidden = Math.max(hidden, group.zone().last());
        int start = group.random().nextInt(1, group.lidLimit());
        for (int from : new int[] {start, 1}) {
            for (int lid = group.lidAtOrAfter(from); lid > 0; lid = group.lidAtOrAfter(lid + 1)) {
                if (group.read(lid) && group.expiry() > nowMillis) {
                    return group.key();
                }
            }
        }
        return null;
    }

    @Override
    public void clear() {
        if (group.size() > 0) {
            group.clears();
        }
        for (int lid = group.lidAtOrAfter(1); lid > 0; lid = group.lidAtOrAfter(lid + 1)) {
            if (group.readHead(lid)) {
                remove(group.hash(group.key()), lid);
            }
        }
    }

    @Override
    public boolean isEvictedByFrequency() {
        EvictionPolicy policy = group.keyedMemory().policy();
        return policy == EvictionPolicy.ALLKEYS_LFU || policy == EvictionPolicy.VOLATILE_LFU;
    }

    /** Returns the mark of a watched key. */
    long watchMark(byte[] key) {
        long hash = group.hash(key);
        shows(hash);
        int lid = group.find(key, hash);
        if (lid != 0 && group.expiry() <= nowMillis) {
            // Its end is a change: a later look must not find the same mark.
            remove(hash, lid);
        }
        return group.watchMark(hash);
    }

    /**
     * Returns whether a watched key has not changed since it had a mark. Changes nothing, as nobody logs what a
     * transaction that is not carried out has changed.
     */
    boolean isUnchanged(byte[] key, long mark) {
        long hash = group.hash(key);
        shows(hash);
        int lid = group.find(key, hash);
        // A key that had expired when it was watched was removed then.
        boolean expiredSince = lid != 0 && group.expiry() <= nowMillis;
        return !expiredSince && group.watchMark(hash) == mark;
    }

    private void noteChanged(int lid) {
        if (changedCount == changed.length) {
            changed = Arrays.copyOf(changed, Math.max(FEW, 2 * changedCount));
        }
        changed[changedCount++] = lid;
    }

    /** Returns how often a key was looked for and was there. */
    int hits() {
        return hits;
    }

    /** Returns how often a key was looked for and was not there. */
    int misses() {
        return misses;
    }

    /** Returns how many keys were removed because they had expired. */
    int expired() {
        return expired;
    }

    /** Returns how many keys were removed to make way for others. */
    int evicted() {
        return evicted;
    }

    /** Returns what the last put lacked that was refused; null when none was. */
    @Nullable
    KeyedLack lack() {
        return lack;
    }

    /** Returns whether anything was changed. */
    boolean hasChanged() {
        return changedCount > 0;
    }

    /** Returns the sequence that all members must hold before the answer is shown, as far as it tells of others. */
    long hidden() {
        return hidden;
    }

    /** Returns the same as far as members must have synced. */
    long hiddenUntilSynced() {
        return hiddenUntilSynced;
    }

    /** Returns the CIDs of the entries that have changed. */
    long[] changedCids() {
        long[] cids = new long[changedCount];
        for (int i = 0; i < changedCount; i++) {
            cids[i] = group.cid(changed[i]);
        }
        return cids;
    }

    /**
     * Logs what has changed. A call that changes more than {@value #MAX_BATCH_BYTES} bytes makes several batches.
     *
     * @param batch with room that was taken before
     * @return the sequence of the last batch, 0 when nothing has changed
     */
    long log(ZoneBatch batch) {
        if (changedCount == 0) {
            return 0;
        }
        int[] lids = Arrays.copyOf(changed, changedCount);
        Arrays.sort(lids);
        batch.start(group.zone());
        long sequence = 0;
        for (int i = 0; i < lids.length; i++) {
            if (i > 0 && lids[i] == lids[i - 1]) {
                continue;
            }
            if (batch.sizeBytes() > MAX_BATCH_BYTES) {
                sequence = batch.append(group.zone(), sync);
                batch.start(group.zone());
            }
            log(batch, lids[i]);
        }
        return batch.isEmpty() && sequence != 0 ? sequence : batch.append(group.zone(), sync);
    }

    private void log(ZoneBatch batch, int lid) {
        long cid = group.cid(lid);
        if (group.memory().sizeOf(cid) == ChunkMemory.ABSENT) {
            batch.tombstone(cid);
        } else if (batch.isLogged() && group.read(lid)) {
            batch.chunk(cid, group.segment(), 0, group.entryBytes());
        }
    }
}
