package dev.granary.net.message;

import dev.granary.net.message.LeaseMessages.ReportLoad.HotRange;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Placement;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
import dev.granary.schema.U8;
import java.util.Comparator;
import java.util.List;

/** Zones: opened by owners at the arc of the creator, which changes and lists them. */
public final class ZoneMessages {

    private ZoneMessages() {}

    /**
     * An owner asks the arc of a creator for the zone in which it is to log this creator's chunks that it takes over.
     * There is one for each creator and owner; asking again changes nothing. Answered with a {@link ZonePlacement}.
     *
     * @param creatorNid whose chunks they are
     * @param ownerNid the asking storage peer
     * @param ownerEpoch of its incarnation
     */
    public record OpenZone(@U16 int creatorNid, @U16 int ownerNid, long ownerEpoch) implements Message {}

    /**
     * Who serves and logs a zone, as committed.
     *
     * @param placement of the zone, whose id it has
     */
    public record ZonePlacement(Placement placement) implements Message {}

    /**
     * An owner asks to drop in-sync backups of its zone, or to add filled ones. The arc commits it with the next epoch
     * before it answers, if the owner's incarnation has not ended and the zone is still at the expected epoch;
     * otherwise nothing changes. The last in-sync backup is never dropped unless another one is added. Answered with
     * the {@link ZonePlacement} that holds now.
     *
     * @param zone whose in-sync backups they are
     * @param ownerNid the asking storage peer
     * @param ownerEpoch of its incarnation
     * @param expectedEpoch of the zone as the owner knows it
     * @param dropped NIDs that are no longer in-sync backups
     * @param added NIDs of filled copies that become in-sync backups, last in the order
     * @param reason for people: why backups are dropped, otherwise empty
     */
    public record ChangeCopies(
            @I32 int zone,
            @U16 int ownerNid,
            long ownerEpoch,
            long expectedEpoch,
            List<@U16 Integer> dropped,
            List<@U16 Integer> added,
            String reason)
            implements Message {

        public ChangeCopies {
            dropped = List.copyOf(dropped);
            added = List.copyOf(added);
        }
    }

    /**
     * A zone in an epoch.
     *
     * @param zone its id
     * @param epoch of its placement
     */
    public record ZoneEpoch(@I32 int zone, long epoch) {}

    /**
     * Zones.
     *
     * @param wantedCopies how many in-sync backups a zone should have now, {@link WantedCopies#UNKNOWN} when that is
     *     not known yet
     * @param nextZone the zone after which to ask next, 0 when these are all
     * @param zones by their ids, ascending
     */
    public record ZoneList(@U8 int wantedCopies, @I32 int nextZone, List<Placement> zones) implements Message {

        public ZoneList {
            zones = List.copyOf(zones);
        }
    }

    /**
     * An owner asks the arc of a creator which of this creator's zones it owns, and how they are placed now.
     * Answered with a {@link ZoneList}.
     *
     * @param creatorNid whose chunks are in the zones
     * @param ownerNid whose zones are wanted
     * @param afterZone zones up to this one are left out, 0 to begin
     */
    public record ListZones(
            @U16 int creatorNid, @U16 int ownerNid, @I32 int afterZone) implements Message {}

    /**
     * An owner tells the arc of a creator which members of its zones have lost their copies. It tells that again each
     * second for as long as it is so. Owners ask to have such members dropped; only members without which a zone is
     * below its floor are told here. Answered with {@link Empty}.
     *
     * @param creatorNid whose chunks are in the zones
     * @param ownerNid who tells
     * @param ownerEpoch of its incarnation
     */
    public record ReportLostCopies(@U16 int creatorNid, @U16 int ownerNid, long ownerEpoch, List<LostCopy> copies)
            implements Message {

        /** The most copies of one request. */
        public static final int MAX_COPIES = 4096;

        public ReportLostCopies {
            copies = List.copyOf(copies);
        }
    }

    /**
     * A copy that its backup does not have any more, or cannot keep.
     *
     * @param zone its id
     * @param epoch of the placement in which the backup is a member
     * @param backupNid the backup
     */
    public record LostCopy(@I32 int zone, long epoch, @U16 int backupNid) {}

    /**
     * Asks the arc of a zone's creator which ranges are in the zone now. Answered with a {@link RangeList}.
     *
     * @param zone its id
     * @param fromCid from here on
     */
    public record ZoneRanges(@I32 int zone, long fromCid) implements Message {}

    /**
     * The zones of the arcs that the answering super-peer serves.
     *
     * @param inSync how many have as many in-sync backups as they should
     * @param degraded how many have fewer
     * @param recovering how many are without an owner and are being recovered, or wait for members
     * @param lost how many had no copy left
     * @param recovered how many recoveries have ended since these super-peers lead
     * @param recoveries those that are not done, at most {@link #MAX_RECOVERIES}
     * @param peers what storage peers own and hold by what is committed in these arcs, by their NIDs
     * @param hotRanges the ranges of these arcs' storage peers that are used most, the busiest first
     */
    public record ZoneStatus(
            @I32 int inSync,
            @I32 int degraded,
            @I32 int recovering,
            @I32 int lost,
            long recovered,
            List<Recovery> recoveries,
            List<Holding> peers,
            List<OwnedRange> hotRanges)
            implements Message {

        /** The most recoveries of one reply. */
        public static final int MAX_RECOVERIES = 256;

        /**
         * A recovery.
         *
         * @param zone that is recovered
         * @param epoch of the attempt
         * @param candidateNid who replays, 0 while that is not decided
         * @param waitingFor the members that must answer before it is decided
         * @param chunks in memory so far
         * @param bytes of these chunks
         * @param ageMillis how long it has run, as far as the answering super-peer knows
         * @param note for people: what it waits for or what failed last
         */
        public record Recovery(
                @I32 int zone,
                long epoch,
                @U16 int candidateNid,
                List<@U16 Integer> waitingFor,
                long chunks,
                long bytes,
                long ageMillis,
                String note) {

            public Recovery {
                waitingFor = List.copyOf(waitingFor);
            }
        }

        /**
         * What a storage peer has of zones.
         *
         * @param nid its NID
         * @param ranges that it owns
         * @param zones that it owns
         * @param copies of others' zones for which it is an in-sync backup
         */
        public record Holding(
                @U16 int nid,
                long ranges,
                @I32 int zones,
                @I32 int copies) {}

        /**
         * A range that is used much.
         *
         * @param nid of its owner
         */
        public record OwnedRange(@U16 int nid, HotRange range) {

            /** The order in which ranges are told. */
            public static final Comparator<OwnedRange> HOTTEST_FIRST = Comparator.comparingLong(
                            (OwnedRange owned) -> owned.range.perSecond())
                    .reversed()
                    .thenComparingLong(owned -> owned.range.startCid());
        }

        public ZoneStatus {
            recoveries = List.copyOf(recoveries);
            peers = List.copyOf(peers);
            hotRanges = List.copyOf(hotRanges);
        }
    }

    /** How many in-sync backups a zone should have, as messages tell it in a byte. */
    public static final class WantedCopies {

        /**
         * In place of a number: the sender has not heard of all storage peers yet, and the number told before holds.
         */
        public static final int UNKNOWN = 255;

        private WantedCopies() {}

        /**
         * Returns how many in-sync backups a zone needs to take writes: one fewer than it should have, but at least
         * one.
         */
        public static int floor(int wanted) {
            return wanted == 0 ? 0 : Math.max(1, wanted - 1);
        }
    }
}
