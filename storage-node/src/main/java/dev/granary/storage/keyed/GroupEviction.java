package dev.granary.storage.keyed;

import dev.granary.keyed.KeyEntry;
import dev.granary.storage.keyed.EvictionPolicy.Way;

/**
 * Removes keys of a slot group to make way for others, as a part of a call, under the lock of the group's zone. What is
 * removed is logged with what the call has changed, so that no copy brings it back. Each removal takes some
 * microseconds, whatever the size of the entry.
 */
final class GroupEviction {

    /** At how many slots of the index is looked for an entry that makes way: 8 KiB. */
    private static final int VICTIM_LOOKS = 2048;

    /** Of so many entries that expire the one makes way that does so soonest. */
    private static final int EXPIRY_SAMPLE = 16;

    /** At how many entries is looked for those. */
    private static final int EXPIRY_LOOKS = 128;

    private final KeyedGroup group;
    private final GroupKeyspace keys;
    private final Way way;

    /** @param keys those of the group, in the call */
    GroupEviction(KeyedGroup group, GroupKeyspace keys, Way way) {
        this.group = group;
        this.keys = keys;
        this.way = way;
    }

    /**
     * Removes those that go first.
     *
     * @return how many; fewer than wanted when it would take too long to find more
     */
    int evict(int wanted) {
        int gone = 0;
        int lid = next();
        while (lid != 0 && group.readHead(lid)) {
            keys.evict(lid);
            gone++;
            lid = gone < wanted ? next() : 0;
        }
        return gone;
    }

    private int next() {
        return switch (way) {
            case NONE -> 0;
            case LEAST_WANTED -> group.victim(VICTIM_LOOKS);
            case SOONEST_EXPIRY -> soonest();
        };
    }

    /** Returns the LID of the one that expires soonest of the next entries that expire; 0 when none was found. */
    private int soonest() {
        int found = 0;
        long soonest = KeyEntry.NEVER;
        int seen = 0;
        for (int i = 0; i < EXPIRY_LOOKS && seen < EXPIRY_SAMPLE && group.expiring() > 0; i++) {
            int lid = group.nextInTurn();
            if (group.readHead(lid) && group.expiry() != KeyEntry.NEVER) {
                seen++;
                found = group.expiry() < soonest ? lid : found;
                soonest = Math.min(soonest, group.expiry());
            }
        }
        return found;
    }

    /**
     * Removes those with which a key with a hash shares a page of the index, until the page has room.
     *
     * @return how many; 0 when they may not make way
     */
    int evictBeside(long hash, int most) {
        int gone = 0;
        for (int lid = group.victimBeside(hash); gone < most && lid != 0 && may(lid); lid = group.victimBeside(hash)) {
            keys.evict(lid);
            gone++;
        }
        return gone;
    }

    /** Looks at an entry. Returns whether it may make way. */
    private boolean may(int lid) {
        return group.readHead(lid)
                && switch (way) {
                    case NONE -> false;
                    case LEAST_WANTED -> true;
                    case SOONEST_EXPIRY -> group.expiry() != KeyEntry.NEVER;
                };
    }
}
