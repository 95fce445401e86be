package dev.granary.storage.keyed;

import dev.granary.keyed.KeyEntry;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.map.MapHash;
import dev.granary.overlay.Cid;
import dev.granary.serialization.BufferTooSmallException;
import dev.granary.serialization.Importable;
import dev.granary.storage.data.KeyedAccess;
import dev.granary.storage.replicate.OwnedZone;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a slot group that this peer owns: where the entry of each key is, and which LIDs are free. It is made
 * anew from the chunks whenever the peer gets the group, by {@link KeyedGroups}. From then on it is used
 * under the lock of the group's zone.
 *
 * <p>Invariants: (1) {@code lids} are the LIDs of the chunks that there are; (2) each of them is in the index, by the
 * hash of its key; (3) no two entries have the same key.
 */
final class KeyedGroup implements KeyIndex.Entries, AutoCloseable {

    private static final int WATCH_SLOTS = 1 << 10;
    private static final int SMALL_BYTES = 1 << 8;
    private static final int SPARE_LIDS_DIVISOR = 8;

    /** A larger buffer is given back with the next small entry. */
    private static final int LARGE_BYTES = 1 << 16;

    private final int nid;
    private final long epoch;
    private final OwnedZone zone;
    private final ChunkMemory memory;
    private final KeyedMemory keyedMemory;
    private final long seed;
    private final KeyIndex index;
    private final SplittableRandom random;
    private final BitSet lids = new BitSet();

    private volatile KeyedAccess.@Nullable Seen owned;

    /** No LID below it is free. */
    private int firstFree = 1;

    /** By a part of the hash, the sequence of the last batch that changed a key; null as long as nobody watches. */
    private long @Nullable [] watchMarks;

    /** The sequence of the batch that removed all keys last. */
    private long clearedSequence;

    /** How many times {@link KeyedMemory#LIDS_COUNTED} LIDs have an entry. */
    private int lidsInUse;

    private int lidLimit;
    private int expiring;

    /** How many requests were carried out. */
    private long requests;

    /** What the entries count of the memory of keys. */
    private long takenBytes;

    // What the last look has found.
    private byte[] bytes = new byte[SMALL_BYTES];
    private MemorySegment segment = MemorySegment.ofArray(bytes);
    private int size;
    private byte[] wanted = {};

    /**
     * @param nid of the group
     * @param epoch of the group's range, which another owner would have raised
     * @param lidLimit LIDs below it belong to the group
     * @param seed of the hashes, so that nobody can choose keys that collide
     */
    KeyedGroup(
            int nid, long epoch, int lidLimit, OwnedZone zone, ChunkMemory memory, KeyedMemory keyedMemory, long seed) {
        this.nid = nid;
        this.epoch = epoch;
        this.lidLimit = lidLimit;
        this.zone = zone;
        this.memory = memory;
        this.seed = seed;
        this.keyedMemory = keyedMemory;
        this.index = new KeyIndex(keyedMemory, KeyedMemory.Lender.of(memory));
        this.random = new SplittableRandom(seed);
    }

    int nid() {
        return nid;
    }

    /** Returns whether the zone and the epoch of the range are those of the group, as they were when it was seen so. */
    boolean isStillOwned(KeyedAccess.Inside inside) {
        KeyedAccess.Seen last = owned;
        return last != null && !zone.isEnded() && inside.isUnchanged(last);
    }

    /** Notes when the zone and the epoch of the range were seen to be those of the group. */
    void owned(KeyedAccess.Seen seen) {
        owned = seen;
    }

    /** Returns whether this is what the peer knows of the group in a zone at an epoch of its range. */
    boolean isOf(OwnedZone other, long otherEpoch) {
        return zone == other && epoch == otherEpoch;
    }

    OwnedZone zone() {
        return zone;
    }

    /** Counts a request and returns its number. */
    long nextRequest() {
        return ++requests;
    }

    ChunkMemory memory() {
        return memory;
    }

    int lidLimit() {
        return lidLimit;
    }

    /** Allows more LIDs. */
    void lidLimit(int limit) {
        lidLimit = Math.max(lidLimit, limit);
    }

    long cid(int lid) {
        return Cid.of(nid, lid);
    }

    int size() {
        return index.size();
    }

    /** Returns how many entries expire at some time. */
    int expiring() {
        return expiring;
    }

    /** Returns how many bytes all entries have. */
    long payloadBytes() {
        return takenBytes - (long) KeyedMemory.LIDS_COST_BYTES * lidsInUse;
    }

    /** Returns how many bytes an entry counts that is added, or was just removed, with a LID that is not in use. */
    long cost(int lid, int entryBytes) {
        return entryBytes + (isFirstOfItsLids(lid) ? KeyedMemory.LIDS_COST_BYTES : 0L);
    }

    /** Returns whether no LID is in use of those that count together with one. */
    private boolean isFirstOfItsLids(int lid) {
        int begin = lid & -KeyedMemory.LIDS_COUNTED;
        int next = lids.nextSetBit(begin);
        return next < 0 || next >= begin + KeyedMemory.LIDS_COUNTED;
    }

    /** Returns how many bytes the index takes. */
    long indexBytes() {
        return index.bytes();
    }

    KeyedMemory keyedMemory() {
        return keyedMemory;
    }

    /** Notes that entries take more room, which was taken before, or less, which is given back afterwards. */
    void counts(long more) {
        takenBytes += more;
    }

    /** Returns how many LIDs are free. */
    int freeLids() {
        return lidLimit - 1 - index.size();
    }

    /** Returns whether more LIDs should be asked for: before the last one is taken, so that no put has to wait. */
    boolean isShortOfLids() {
        return freeLids() <= lidLimit / SPARE_LIDS_DIVISOR;
    }

    /** Returns the lowest LID at or behind another one that has an entry; -1 when there is none. */
    int lidAtOrAfter(int lid) {
        return lids.nextSetBit(lid);
    }

    /** Returns the lowest free LID. There must be one, see {@link #freeLids}. */
    int freeLid() {
        firstFree = lids.nextClearBit(firstFree);
        return firstFree;
    }

    long hash(byte[] key) {
        return MapHash.of(key, seed);
    }

    /** Returns the LID of a key's entry, 0 when it is not there. The entry is {@linkplain #read looked at} then. */
    int find(byte[] key, long hash) {
        wanted = key;
        return index.find(hash, this);
    }

    @Override
    public boolean isWanted(int lid) {
        return read(lid) && EntryBytes.isOf(wanted, bytes, size);
    }

    @Override
    public long hashOf(int lid) {
        if (!read(lid)) {
            throw new IllegalStateException("the entry " + Cid.toHex(cid(lid)) + " is in the index and not in memory");
        }
        return hash(EntryBytes.key(bytes, size));
    }

    /**
     * Looks at an entry. Returns whether it is there. Nobody else changes it: either the zone's lock is held, or the
     * group is being built.
     */
    boolean read(int lid) {
        try {
            size = memory.get(cid(lid), segment, 0, bytes.length);
        } catch (BufferTooSmallException e) {
            room(memory.sizeOf(cid(lid)));
            size = memory.get(cid(lid), segment, 0, bytes.length);
        }
        if (bytes.length > LARGE_BYTES && size != ChunkMemory.ABSENT && size < SMALL_BYTES) {
            byte[] large = bytes;
            room(SMALL_BYTES);
            System.arraycopy(large, 0, bytes, 0, size);
        }
        return size != ChunkMemory.ABSENT;
    }

    /**
     * Looks at an entry as {@link #read} does, but only at the beginning of one that is large: at its key, its expiry
     * and its size. So this takes microseconds whatever the size.
     */
    boolean readHead(int lid) {
        int whole = memory.sizeOf(cid(lid));
        if (whole <= LARGE_BYTES) {
            return read(lid);
        }
        room(LARGE_BYTES);
        byte[] head = bytes;
        size = whole;
        memory.get(cid(lid), (Importable) in -> in.readBytes(head, 0, LARGE_BYTES));
        return EntryBytes.keyEnd(head, whole) <= LARGE_BYTES || read(lid);
    }

    private void room(int sizeBytes) {
        bytes = new byte[Math.max(SMALL_BYTES, sizeBytes)];
        segment = MemorySegment.ofArray(bytes);
    }

    SplittableRandom random() {
        return random;
    }

    /** Returns the entry that was looked at last. */
    KeyEntry entry() {
        return EntryBytes.entry(bytes, size);
    }

    /** Returns when the entry that was looked at last expires. */
    long expiry() {
        return EntryBytes.expiry(bytes);
    }

    /** Returns the key of the entry that was looked at last. */
    byte[] key() {
        return EntryBytes.key(bytes, size);
    }

    /** Returns the bytes of the entry that was looked at last, from the segment's beginning on. */
    MemorySegment segment() {
        return segment;
    }

    /** Returns how many bytes the entry has that was looked at last. */
    int entryBytes() {
        return size;
    }

    /**
     * Makes room in the index for a key that is not there, which gets the lowest free LID.
     *
     * @throws dev.granary.keyed.KeyspaceFullException when there is none
     */
    void makeRoom(long hash) {
        index.makeRoom(hash, freeLid(), this);
    }

    /** Notes an entry that is in memory now, behind {@link #makeRoom}. */
    void added(long hash, int lid, long expiresAtMillis) {
        index.add(hash, lid);
        lidsInUse += isFirstOfItsLids(lid) ? 1 : 0;
        lids.set(lid);
        expiring += expiresAtMillis == KeyEntry.NEVER ? 0 : 1;
    }

    /** Notes that an entry has another time to expire. */
    void expiryChanged(long before, long after) {
        expiring += (after == KeyEntry.NEVER ? 0 : 1) - (before == KeyEntry.NEVER ? 0 : 1);
    }

    /**
     * Notes that the entry that was looked at last is not in memory any more.
     *
     * @param evicted whether it made way for others, and is to be known again
     */
    void removed(long hash, int lid, boolean evicted) {
        long expiresAtMillis = EntryBytes.expiry(bytes);
        index.remove(hash, lid, evicted);
        lids.clear(lid);
        lidsInUse -= isFirstOfItsLids(lid) ? 1 : 0;
        long cost = cost(lid, size);
        keyedMemory.give(cost);
        takenBytes -= cost;
        firstFree = Math.min(firstFree, lid);
        expiring -= expiresAtMillis == KeyEntry.NEVER ? 0 : 1;
    }

    /** Returns the LID of the entry that should go first; 0 when there is none among so many slots of the index. */
    int victim(int looks) {
        return index.victim(looks);
    }

    /** Returns the LID of an entry that makes room in the index for one with a hash; 0 when there is room. */
    int victimBeside(long hash) {
        return index.isRoomyBeside(hash) ? 0 : index.victimBeside(hash);
    }

    /** Returns the LID of the next entry in an order that has no end; 0 when there is none. */
    int nextInTurn() {
        return index.nextInTurn();
    }

    /** Takes up an entry that is in memory, while the group is being built. Returns whether it is there. */
    boolean takeUp(int lid) {
        if (!read(lid)) {
            return false;
        }
        long hash = hash(EntryBytes.key(bytes, size));
        long expiresAtMillis = EntryBytes.expiry(bytes);
        long cost = cost(lid, size);
        index.makeRoom(hash, lid, this);
        added(hash, lid, expiresAtMillis);
        keyedMemory.add(cost);
        takenBytes += cost;
        return true;
    }

    /** Notes that the zone's next batch changes a key. */
    void changes(long hash, boolean sync) {
        zone.mark(hash, sync);
        long[] watched = watchMarks;
        if (watched != null) {
            watched[watchSlot(hash)] = zone.nextSequence();
        }
    }

    /** Notes that the zone's next batch removes all keys. */
    void clears() {
        clearedSequence = zone.nextSequence();
        long[] watched = watchMarks;
        if (watched != null) {
            Arrays.fill(watched, clearedSequence);
        }
    }

    /** Returns the sequence of the batch that all members must hold before a key is shown; 0 for none. */
    long hides(long hash) {
        return Math.max(zone.hides(hash), clearedSequence > zone.acked() ? clearedSequence : 0);
    }

    /** Returns the same as far as members must have synced the batch. */
    long hidesUntilSynced(long hash) {
        return zone.hidesUntilSynced(hash);
    }

    /**
     * Returns a mark that is another one once the key has changed. It may become another one without that. No key that
     * changed before the first call of this has a mark, and needs none.
     */
    long watchMark(long hash) {
        long[] watched = watchMarks;
        if (watched == null) {
            watched = new long[WATCH_SLOTS];
            watchMarks = watched;
        }
        // Sequences of another owner, or of another zone of this one, are numbers as well: with the seed, who watched
        // the group before it was built anew finds another mark.
        return seed ^ watched[watchSlot(hash)];
    }

    private static int watchSlot(long hash) {
        return (int) (hash >>> Short.SIZE) & (WATCH_SLOTS - 1);
    }

    /**
     * Checks the invariants.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    void verify() {
        index.verify(this);
        if (lids.cardinality() != index.size()) {
            throw new IllegalStateException(
                    "(2) " + lids.cardinality() + " LIDs are taken, and " + index.size() + " are in the index");
        }
        int found = 0;
        long counted = 0;
        BitSet lidBlocks = new BitSet();
        for (int lid = lids.nextSetBit(0); lid >= 0; lid = lids.nextSetBit(lid + 1)) {
            if (!read(lid)) {
                throw new IllegalStateException("(1) LID " + lid + " is taken and has no chunk");
            }
            found += expiry() == KeyEntry.NEVER ? 0 : 1;
            counted += size;
            lidBlocks.set(lid / KeyedMemory.LIDS_COUNTED);
            byte[] key = key();
            if (find(key, hash(key)) != lid) {
                throw new IllegalStateException("(3) the key of LID " + lid + " is found elsewhere");
            }
        }
        counted += (long) KeyedMemory.LIDS_COST_BYTES * lidBlocks.cardinality();
        if (counted != takenBytes) {
            throw new IllegalStateException("entries take " + counted + " bytes, and " + takenBytes + " were counted");
        }
        if (found != expiring) {
            throw new IllegalStateException(found + " entries expire, and " + expiring + " were counted");
        }
    }

    /** Gives the index back, and the room of the entries. Nobody uses the group any more. */
    @Override
    public void close() {
        keyedMemory.give(takenBytes);
        takenBytes = 0;
        index.close();
    }
}
