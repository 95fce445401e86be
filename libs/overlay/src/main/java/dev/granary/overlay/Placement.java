package dev.granary.overlay;

import dev.granary.schema.I32;
import dev.granary.schema.U16;
import dev.granary.schema.U8;
import java.util.Arrays;

/**
 * Who holds a range. Immutable, compared by value, so that ranges can point to interned records. The paper's entry of
 * four NIDs has no room for an epoch, the in-sync state, the zone and "recovering"; this one has (SAFETY rule
 * "placement records", ADR 0021).
 *
 * @param owner the NID of the storage peer that serves the range, or 0 when nobody does
 * @param backups the NIDs of the in-sync backups in the order of recovery, at most {@link #MAX_BACKUPS}; copied
 * @param epoch rises with each change of who serves or holds the range, from 1 to {@link #MAX_EPOCH}
 * @param zone the backup zone that logs the range, 0 for none
 * @param state whether the range is in sync, degraded, recovering or lost
 */
// The array never escapes and equality is by content, which is what the check is about; a list would box every NID.
@SuppressWarnings("ArrayRecordComponent")
public record Placement(
        @U16 int owner,
        @U16 int @U8 [] backups,
        long epoch,
        @I32 int zone,
        PlacementState state) {

    /** The largest number of backups. */
    public static final int MAX_BACKUPS = 3;

    /** The largest epoch: 32 bits. */
    public static final long MAX_EPOCH = 0xFFFF_FFFFL;

    private static final int[] NO_BACKUPS = {};

    /** Copies the backups and checks every part. */
    public Placement {
        backups = backups.clone();
        if (owner != Nid.NONE) {
            requireStoragePeer("owner", owner);
        }
        if (backups.length > MAX_BACKUPS) {
            throw new IllegalArgumentException(backups.length + " backups; at most " + MAX_BACKUPS + " are allowed");
        }
        for (int i = 0; i < backups.length; i++) {
            requireStoragePeer("backup", backups[i]);
            for (int k = 0; k < i; k++) {
                if (backups[k] == backups[i]) {
                    throw new IllegalArgumentException("backup " + Nid.toHex(backups[i]) + " is there twice");
                }
            }
            if (backups[i] == owner) {
                throw new IllegalArgumentException("owner " + Nid.toHex(owner) + " is a backup of itself");
            }
        }
        if (epoch < 1) {
            throw new IllegalArgumentException("placement epoch " + epoch + " is less than 1");
        }
        if (epoch > MAX_EPOCH) {
            throw new IllegalArgumentException("placement epoch " + epoch + " is beyond " + MAX_EPOCH);
        }
        if (zone < 0) {
            throw new IllegalArgumentException("zone " + zone + " is negative");
        }
        boolean served = state == PlacementState.IN_SYNC || state == PlacementState.DEGRADED;
        if (served && owner == Nid.NONE) {
            throw new IllegalArgumentException("a placement that is " + state + " needs an owner");
        }
    }

    /** A placement on one node, without backups and without a zone. */
    public static Placement unreplicated(int owner, long epoch) {
        return new Placement(owner, NO_BACKUPS, epoch, 0, PlacementState.IN_SYNC);
    }

    /** Whether the owner serves the range. */
    public boolean isServed() {
        return state == PlacementState.IN_SYNC || state == PlacementState.DEGRADED;
    }

    /** The NIDs of the backups in order; a copy. */
    @Override
    public int[] backups() {
        return backups.clone();
    }

    /** The number of backups. */
    public int backupCount() {
        return backups.length;
    }

    /** The NID of a backup, by its place in the order of recovery from 0. */
    public int backup(int index) {
        return backups[index];
    }

    private static void requireStoragePeer(String what, int nid) {
        if (Nid.role(nid) != NodeRole.STORAGE_PEER) {
            throw new IllegalArgumentException(what + " " + Nid.toHex(nid) + " is not a storage peer");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Placement that
                && owner == that.owner
                && epoch == that.epoch
                && zone == that.zone
                && state == that.state
                && Arrays.equals(backups, that.backups);
    }

    /** Depends on values only, so that it is the same in every JVM (the simulator replays by seed). */
    @Override
    public int hashCode() {
        int hash = 31 * owner + Arrays.hashCode(backups);
        hash = 31 * hash + Long.hashCode(epoch);
        hash = 31 * hash + zone;
        return 31 * hash + state.code();
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("owner ").append(Nid.toHex(owner)).append(", backups [");
        for (int i = 0; i < backups.length; i++) {
            text.append(i == 0 ? "" : ", ").append(Nid.toHex(backups[i]));
        }
        return text.append("], epoch ")
                .append(epoch)
                .append(", zone ")
                .append(zone)
                .append(", ")
                .append(state)
                .toString();
    }
}
