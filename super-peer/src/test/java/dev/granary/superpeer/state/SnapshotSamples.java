package dev.granary.superpeer.state;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.NidAllocator;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.superpeer.state.arc.ArcSnapshot;
import dev.granary.superpeer.state.name.LockRecord;
import dev.granary.superpeer.state.name.NameSnapshot;
import dev.granary.superpeer.state.ring.RingEvent;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingSnapshot;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Instances of the records that snapshots consist of: with everything that there may be, and with nothing. */
final class SnapshotSamples {

    private static final long CID = Cid.of(0x8000, 5);
    private static final Arc ARC = new Arc(0x0001, 0x8001);
    private static final int ZONE = 0x10000001;

    private SnapshotSamples() {}

    /** By the names of their lines in golden/snapshots.txt. */
    static Map<String, Record> all() {
        Map<String, Record> all = new LinkedHashMap<>();
        all.put("ring", new RingSnapshot(2, view(), List.of(new NidAllocator.Assignment(CommandSamples.DISK, 0x8000))));
        all.put("ring-unfounded", new RingSnapshot(1, null, List.of()));
        all.put("view", view());
        all.put("peers", peers());
        all.put("ranges", ranges());
        all.put("client", new NameSnapshot.Client(1, 2, 3, List.of(new NameSnapshot.Answer(4, true, CID))));
        all.put("name", new NameEntry("né", CID));
        all.put(
                "locks",
                new NameSnapshot.Locks(
                        5,
                        List.of(new LockRecord(CID, 6, 4, 0x0708)),
                        List.of(new NameSnapshot.EndedLock(7, CID + 1))));
        ArcTransfer.Seal sealed = new ArcTransfer.Seal(3, ARC, 4);
        ArcTransfer.Import incoming = new ArcTransfer.Import(5, ARC, 6, 0, 7, new byte[] {8, 9});
        all.put("transfers", new ArcSnapshot.Transfers(sealed, incoming, 1, 2, ARC));
        all.put("transfers-none", new ArcSnapshot.Transfers(null, null, 0, 0, null));
        return all;
    }

    private static RingView view() {
        return new RingView(
                3,
                new UUID(4, 5),
                6,
                7,
                true,
                false,
                List.of(new SuperPeerRecord(
                        0x8001, CommandSamples.DISK, "sü", CommandSamples.ADDRESS, CommandSamples.HTTP, 8)),
                new RingOperation(9, RingOperation.Kind.REBUILD, 0x8001, 10),
                List.of(new RingEvent(11, 12, RingEvent.Kind.PROMOTED, 0x0001)));
    }

    private static ArcSnapshot.Peers peers() {
        PeerRecord peer = new PeerRecord(
                0x8000,
                CommandSamples.DISK,
                0x1122334455667788L,
                2,
                3,
                4,
                5,
                true,
                false,
                6,
                "né",
                CommandSamples.ADDRESS,
                CommandSamples.HTTP,
                7,
                "m",
                "z",
                CommandSamples.REDIS);
        return new ArcSnapshot.Peers(8, List.of(peer), List.of(new ArcSnapshot.Restored(0xC000, 9, 10)));
    }

    private static ArcSnapshot.Ranges ranges() {
        Placement placement = new Placement(0x4000, new int[] {0xC000}, 2, ZONE, PlacementState.DEGRADED);
        Placement lost = new Placement(0, new int[0], 3, ZONE + 1, PlacementState.LOST);
        ZoneRecord.Recovery recovery = new ZoneRecord.Recovery(0x4000, 4, 5, 6, List.of(new ZoneMember(0xC000, 7)));
        SpareCopies spares = new SpareCopies(8, List.of(new SpareCopies.Spare(0x2000, 9)));
        return new ArcSnapshot.Ranges(
                List.of(new CidRange(CID, CID + 1, placement)),
                List.of(new ArcSnapshot.Holder(0x4000, 10)),
                new ArcSnapshot.Migrations(
                        11,
                        List.of(new MigrationRecord(
                                0x8000, 12, CID, CID + 1, 0x4000, 13, 0xC000, 14, MigrationState.COMMITTED, 15, "n"))),
                new ArcSnapshot.Plans(
                        16,
                        List.of(new Plan(
                                0x8000,
                                17,
                                PlanKind.SPREAD,
                                0x4000,
                                Plan.State.FAILED,
                                "p",
                                List.of(new Move(CID, CID + 1, 0xC000, 18, 19, Move.State.DONE))))),
                new ArcSnapshot.Zones(
                        List.of(new ArcSnapshot.LastNumber(0x8000, 20)),
                        List.of(
                                new ZoneRecord(placement, 21, List.of(22L), true, false, true, spares, recovery),
                                new ZoneRecord(lost, 0, List.of(), false, true, false, null, null))));
    }
}
