package dev.granary.storage.migrate;

import dev.granary.overlay.Nid;

/** What a migration is called: whose chunks, and the number that their arc has given it. */
record MigrationKey(int creatorNid, long number) {

    /** Depends on values only, so that it is the same in every JVM. */
    @Override
    public int hashCode() {
        return 31 * creatorNid + Long.hashCode(number);
    }

    @Override
    public String toString() {
        return Nid.toHex(creatorNid) + "/" + number;
    }
}
