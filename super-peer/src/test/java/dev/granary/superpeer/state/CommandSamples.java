package dev.granary.superpeer.state;

import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.NidAllocator;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.SlotGroupCommand;
import dev.granary.superpeer.state.arc.ZoneCommand;
import dev.granary.superpeer.state.name.LockCommand;
import dev.granary.superpeer.state.name.NameCommand;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingOperation;
import java.util.List;
import java.util.UUID;

/** One instance of each persisted command; each field differs from zero and from its neighbours. */
final class CommandSamples {

    static final UUID DISK = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");
    static final HostAddress ADDRESS = new HostAddress("p", 7500);
    static final HostAddress HTTP = new HostAddress("p", 7501);
    static final HostAddress REDIS = new HostAddress("p", 6379);

    private static final UUID CLUSTER = new UUID(0x1112131415161718L, 0x191a1b1c1d1e1f20L);
    private static final long CID = Cid.of(0x8000, 5);
    private static final List<ZoneMember> MEMBERS = List.of(new ZoneMember(0x4000, 3), new ZoneMember(0xC000, 4));

    private CommandSamples() {}

    /** Returns the commands of the ring. */
    static List<RingCommand> ring() {
        return List.of(
                new RingCommand.FoundRing(7, CLUSTER, 3, DISK, "s", ADDRESS, HTTP),
                new RingCommand.Admit(8, DISK, "sü", ADDRESS, HTTP),
                new RingCommand.AssignNid(DISK),
                new RingCommand.Resize(9, 5, true),
                new RingCommand.Begin(9, RingOperation.Kind.DEMOTE, 0x8001),
                new RingCommand.Switch(9, 3),
                new RingCommand.Cancel(10, 4),
                new RingCommand.RebuildRing(
                        2,
                        CLUSTER,
                        0x0102,
                        3,
                        DISK,
                        "s",
                        ADDRESS,
                        HTTP,
                        List.of(new NidAllocator.Assignment(DISK, 0x8000))));
    }

    /** Returns the commands of arcs: for their peers, transfers, ranges, zones, names, locks and slot groups. */
    static List<ArcCommand> arc() {
        Arc arc = new Arc(0x0001, 0x8001);
        List<Move> moves = List.of(new Move(CID, CID + 1, 0xC000, 6, 7, Move.State.FAILED));
        List<ZoneCommand.ZoneAt> zones = List.of(new ZoneCommand.ZoneAt(0x10000001, 9));
        return List.of(
                new PeerCommand.OpenPeer(
                        0x8000,
                        DISK,
                        0x1122334455667788L,
                        "né",
                        ADDRESS,
                        HTTP,
                        4096,
                        256,
                        "m",
                        "z",
                        List.of(new NewZone(0x0102, MEMBERS, 2)),
                        0x21,
                        REDIS),
                new PeerCommand.ReserveLids(0xC000, -2, 0x03, 0x0102, List.of(new NewZone(5, List.of(), 1))),
                new PeerCommand.CloseLease(0x4000, 5),
                new PeerCommand.SetLeaseLength(0x10),
                new PeerCommand.Park(0xC000, 5, 6),
                new PeerCommand.RestoreCreator(0xC000, 5, 0x0102, 7),
                new PeerCommand.EndRestore(0xC000),
                new ArcTransfer.Seal(3, arc, 4),
                new ArcTransfer.Unseal(3),
                new ArcTransfer.Drop(4),
                new ArcTransfer.Import(3, arc, 4, 5, 6, new byte[] {7}),
                new ArcTransfer.Accept(5),
                new ArcTransfer.Discard(6),
                new RangeCommand.BeginMigration(CID, CID + 1, 0x4000, 2, 0xC000, 3),
                new RangeCommand.CommitMigration(0x8000, 4, 0x4000, 5),
                new RangeCommand.AbortMigration(0x8000, 6, "nö"),
                new RangeCommand.FencePeer(0x4000, 7),
                new RangeCommand.StartPlan(0x8000, PlanKind.SPREAD, 0x4000, moves),
                new RangeCommand.AddMoves(0x8000, 8, moves),
                new RangeCommand.EndMove(0x8000, 9, 10, Move.State.DONE),
                new RangeCommand.EndPlan(0x8000, 11, Plan.State.ABORTED, "done"),
                new ZoneCommand.OpenZone(0x8000, 0x4000, 12, MEMBERS, 3),
                new ZoneCommand.ChangeCopies(0x10000001, 0x4000, 13, 14, List.of(0xC000), MEMBERS, 3),
                new ZoneCommand.DecideRecoveries(
                        0x8000,
                        List.of(new ZoneCommand.Decision(
                                0x10000001, 15, new ZoneRecord.Recovery(0x4000, 16, 17, 18, MEMBERS)))),
                new ZoneCommand.EndRecovery(0x10000001, 18, 0x4000, 19, 3),
                new ZoneCommand.RestartRecoveries(0x8000, zones),
                new ZoneCommand.LoseZones(0x4000, zones),
                new ZoneCommand.CloseZones(0x2000, zones),
                new NameCommand(0x0102, 3, 2, true, "né", CID, NameCondition.IF_EXPECTED, 7),
                new LockCommand.Acquire(CID, 6, 0x0708),
                new LockCommand.Release(CID, 9),
                new SlotGroupCommand.OpenSlotGroup(0xFFFE, 0x4000, 19, MEMBERS, 3),
                new SlotGroupCommand.ExtendSlotGroup(0x7FFE, 0x4000, 20, 21, 22));
    }
}
