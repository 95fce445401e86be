package dev.granary.storage.migrate;

import dev.granary.overlay.Nid;

/** The name of a migration: the creator of its chunks, and the number that the creator's arc has given it. */
record MigrationKey(int creatorNid, long number) {

    /** Returns a hash of the values, so that it is the same in every JVM. */
    @Override
    public int hashCode() {
        return 31 * creatorNid + Long.hashCode(number);
    }

    @Override
    public String toString() {
        return Nid.toHex(creatorNid) + "/" + number;
    }
}
