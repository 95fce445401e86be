package dev.granary.superpeer.state.arc;

import dev.granary.overlay.Arc;
import dev.granary.overlay.CidRange;
import dev.granary.schema.I32;
import dev.granary.schema.Nullable;
import dev.granary.schema.U16;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.MigrationRecord;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.Plan;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.List;

/** What a snapshot of an arc, or of a part of it, consists of, but for its names and locks. */
public interface ArcSnapshot {

    /**
     * The storage peers: part 1.
     *
     * @param leaseNanos no lease that is out is longer
     * @param peers by NID
     * @param restored by NID
     */
    record Peers(long leaseNanos, List<PeerRecord> peers, List<Restored> restored) {}

    /**
     * A creator of chunks that were restored from a cluster backup.
     *
     * @param lidMark the LID below which they are
     * @param backup the fingerprint of the backup
     */
    record Restored(@U16 int nid, long lidMark, long backup) {}

    /**
     * The ranges: part 2.
     *
     * @param ranges by their CIDs
     * @param holders by NID
     */
    record Ranges(List<CidRange> ranges, List<Holder> holders, Migrations migrations, Plans plans, Zones zones) {}

    /** A storage peer that owns, owned or copies something: its incarnations with a lower epoch have ended. */
    record Holder(@U16 int nid, long epoch) {}

    /**
     * The migrations.
     *
     * @param lastNumber the last that was given
     * @param migrations those that run, then those that have ended
     */
    record Migrations(long lastNumber, List<MigrationRecord> migrations) {}

    /**
     * The rebalance plans.
     *
     * @param lastNumber the last that was given
     * @param plans by their numbers
     */
    record Plans(long lastNumber, List<Plan> plans) {}

    /**
     * The zones.
     *
     * @param numbers by creator
     * @param zones by their ids
     */
    record Zones(List<LastNumber> numbers, List<ZoneRecord> zones) {}

    /** The last number that was given to a zone of a creator. */
    record LastNumber(@U16 int creatorNid, @I32 int number) {}

    /**
     * The parts on their way, which stand behind all others and only in the snapshot of a whole arc.
     *
     * @param sealed the part that is leaving
     * @param incoming what has arrived of the part that is coming, as one piece
     * @param lastLeft the last operation that has ended on the way out; none up to it is sealed again
     * @param lastArrived the last one that has ended on the way in; none up to it is imported again
     * @param gone what has left and has not come back: commands about it are refused
     */
    record Transfers(
            ArcTransfer.@Nullable Seal sealed,
            ArcTransfer.@Nullable Import incoming,
            @I32 int lastLeft,
            @I32 int lastArrived,
            @Nullable Arc gone) {}
}
