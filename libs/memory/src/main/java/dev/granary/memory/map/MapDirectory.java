package dev.granary.memory.map;

import java.lang.invoke.VarHandle;

/**
 * The directory of groups by linear hashing (Litwin, "Linear hashing: a new tool for file and table addressing", VLDB
 * 1980): n groups, of which the first n - 2^L and those from 2^L on take one bit of the hash more than the others. It
 * grows by one group at a time, at its end, so it never moves.
 *
 * <pre>
 * 0                        8                       16
 * +------------------------+------------------------+
 * | version; odd: latched  | word of the block, or 0|
 * +------------------------+------------------------+
 * </pre>
 *
 * A writer holds the latch; a reader reads the version, then checks that the hash still belongs to this group, reads
 * whatever it wants, and believes it if the version is the same afterwards. The version counts 2 for each latching, in
 * 63 bits, so no version ever comes twice. A thread that holds a latch waits for no other latch, except the one thread
 * that splits or merges groups.
 */
final class MapDirectory {

    static final int ENTRY_BYTES = 16;

    /** The least groups; their number is a power of two. */
    static final long MIN_GROUPS = 64;

    private static final int SPINS = 100;

    private final MapMemory memory;
    private final long start;
    private final long maxGroups;
    private volatile long groups = MIN_GROUPS;

    /** @param start address of the first entry; all of the directory is zero */
    MapDirectory(MapMemory memory, long start, long maxGroups) {
        this.memory = memory;
        this.start = start;
        this.maxGroups = maxGroups;
    }

    long groups() {
        return groups;
    }

    long maxGroups() {
        return maxGroups;
    }

    /** By the only thread that splits or merges, which holds the latches of all groups concerned. */
    void setGroups(long count) {
        groups = count;
    }

    long groupOf(long hash) {
        return groupOf(hash, groups);
    }

    /** Returns the group of a hash in a map of {@code groups} hash groups. */
    static long groupOf(long hash, long groups) {
        long mask = -1L >>> Long.numberOfLeadingZeros(groups);
        long group = hash & mask;
        return group < groups ? group : group & (mask >>> 1);
    }

    /** Returns how many bits of the hash the number of a group stands for, in a map of {@code groups} hash groups. */
    static int bitsOf(long group, long groups) {
        int level = 63 - Long.numberOfLeadingZeros(groups);
        long full = 1L << level;
        return group >= full || group < groups - full ? level + 1 : level;
    }

    /** The version, and with it everything that its last writer wrote. Odd while a writer is there. */
    long version(long group) {
        return memory.getAcquire(entry(group));
    }

    /**
     * Whether nothing was written since this even version. Everything that was read before the call is covered.
     */
    boolean isSame(long group, long version) {
        VarHandle.acquireFence();
        return memory.getAcquire(entry(group)) == version;
    }

    /** The word of the group's block, 0 if it is empty. */
    long block(long group) {
        return memory.word(entry(group) + 8);
    }

    /** Under the latch. */
    void setBlock(long group, long word) {
        memory.setWord(entry(group) + 8, word);
    }

    /** Waits for the latch of the group that a hash belongs to. */
    long latch(long hash) {
        for (int tries = 0; ; tries++) {
            long group = groupOf(hash);
            if (tryLatch(group)) {
                if (groupOf(hash) == group) {
                    return group;
                }
                unlatchUnchanged(group);
            }
            pause(tries);
        }
    }

    /** Waits for the latch of a group. */
    void latchGroup(long group) {
        for (int tries = 0; !tryLatch(group); tries++) {
            pause(tries);
        }
    }

    boolean tryLatch(long group) {
        long version = version(group);
        boolean latched = (version & 1) == 0 && memory.compareAndSet(entry(group), version, version + 1);
        // What is written under the latch must not be seen before it.
        VarHandle.storeStoreFence();
        return latched;
    }

    void unlatch(long group) {
        memory.setRelease(entry(group), memory.word(entry(group)) + 1);
    }

    /** Nothing was written, so readers need not read again. */
    void unlatchUnchanged(long group) {
        memory.setRelease(entry(group), memory.word(entry(group)) - 1);
    }

    /** Holders need a microsecond, unless they were preempted: then the processor is theirs. */
    @SuppressWarnings("ThreadPriorityCheck")
    static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    private long entry(long group) {
        return start + group * ENTRY_BYTES;
    }
}
