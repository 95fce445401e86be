package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.SlotGroupCommand;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CopyCleanerTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final HostAddress ADDRESS = LoneNode.address("s0");

    /** A little longer than the cleaner waits between two peers. */
    private static final long ROUND = TimeUnit.SECONDS.toNanos(10) + TimeUnit.MILLISECONDS.toNanos(500);

    private final LoneNode lone = new LoneNode();
    private final ArcState state = new ArcState();
    private final List<PeerInfo> peers = new ArrayList<>();
    private final List<ListCopies> listed = new ArrayList<>();
    private final List<DropCopies> dropped = new ArrayList<>();
    private final Ring ring =
            new Ring(LoneNode.CLUSTER, 1, 1, true, List.of(new RingMember(LoneNode.NID, "s0", ADDRESS, ADDRESS)));
    private final ArcCaller arcs = new ArcCaller(lone.node(), () -> ring);
    private final CopyCleaner cleaner = new CopyCleaner(
            lone.node(),
            state,
            arcs,
            new PeerCatalog(lone.node(), arcs, () -> ring, () -> peers, nid -> null, () -> List.of(LoneNode.NID)));

    /** Adds a creator to the arc, whose zone has copies on these peers. */
    private void open(int nid, int... members) {
        List<ZoneMember> list = new ArrayList<>();
        for (int member : members) {
            list.add(new ZoneMember(member, 1));
        }
        state.apply(new PeerCommand.OpenPeer(
                nid,
                new UUID(1, nid),
                7,
                "p",
                ADDRESS,
                ADDRESS,
                1,
                100,
                "",
                "",
                List.of(new NewZone(100, list, list.size())),
                0,
                null));
    }

    private static CopyList.Held copy(int zone, long epoch) {
        return new CopyList.Held(zone, epoch, epoch, List.of(), 5, true, true, 10);
    }

    private void holds(int nid, boolean live, CopyList.Held... copies) {
        String name = "p" + nid;
        HostAddress address = lone.serve(
                name,
                nid,
                new Answers()
                        .to(MessageType.LIST_COPIES, ask -> {
                            listed.add(ask);
                            return new CopyList(1, 0, List.of(copies));
                        })
                        .to(MessageType.DROP_COPIES, drop -> {
                            dropped.add(drop);
                            return new Empty();
                        }));
        known(nid, live, address);
    }

    private void known(int nid, boolean live, HostAddress address) {
        PeerStatistics nothing = new PeerStatistics(0, 0, 0, 0, 1, 0, 0);
        peers.add(new PeerInfo(
                nid, "p", address, address, live, 0, 1, 1, 0, PeerInfo.Drain.NONE, 0, nothing, 0, "", "", false, null));
    }

    private void rounds(int count) {
        lone.runFor(count * ROUND);
    }

    private List<ZoneEpoch> dropOf(CopyList.Held... copies) {
        holds(B, true, copies);
        lone.run(cleaner::begin);
        rounds(1);
        assertThat(listed).hasSize(1);
        return dropped.stream().flatMap(drop -> drop.zones().stream()).toList();
    }

    /** A slot group is a creator without a record of a storage peer. */
    @Test
    void look_copyOfAnEarlierZoneOfASlotGroup_goes() {
        int group = SlotGroup.nid(5);
        state.apply(new SlotGroupCommand.OpenSlotGroup(group, A, 1, List.of(), 0));
        state.apply(new RangeCommand.FencePeer(A, 2));
        state.apply(new SlotGroupCommand.OpenSlotGroup(group, A, 2, List.of(new ZoneMember(B, 1)), 1));
        int lost = BackupZone.id(group, 1);
        int present = BackupZone.id(group, 2);
        int unknown = BackupZone.id(group, 3);
        int otherGroup = BackupZone.id(SlotGroup.nid(6), 1);
        assertThat(dropOf(copy(lost, 9), copy(present, 9), copy(unknown, 9), copy(otherGroup, 9)))
                .containsExactly(new ZoneEpoch(lost, Placement.MAX_EPOCH));
    }

    @Test
    void look_copyOfAZoneThatIsNoMore_goesAtAnyEpoch() {
        open(A, C);
        int closed = BackupZone.id(A, 2);
        state.apply(new ZoneCommand.OpenZone(A, C, 1, List.of(new ZoneMember(B, 1)), 1));
        state.apply(new ZoneCommand.CloseZones(A, List.of(new ZoneCommand.ZoneAt(closed, 2))));
        assertThat(state.zone(closed)).isNull();

        assertThat(dropOf(copy(closed, 77))).containsExactly(new ZoneEpoch(closed, Placement.MAX_EPOCH));
        assertThat(dropped.getFirst().clusterId()).isEqualTo(LoneNode.CLUSTER);
    }

    @Test
    void look_peerIsNoMemberAnyMore_goesWhenItIsOfAnEarlierEpoch() {
        open(A, C);
        int zone = BackupZone.id(A, 1);
        state.apply(new ZoneCommand.ChangeCopies(zone, A, 1, 1, List.of(), List.of(new ZoneMember(0x2000, 1)), 2));
        assertThat(dropOf(copy(zone, 1))).containsExactly(new ZoneEpoch(zone, 2));
    }

    @Test
    void look_spareCopy_staysUntilTheZoneHasItsMembers() {
        open(A, B, C);
        int zone = BackupZone.id(A, 1);
        state.apply(new RangeCommand.FencePeer(A, 2));
        ZoneRecord.Recovery fromC = new ZoneRecord.Recovery(C, 1, 5, 1, List.of(new ZoneMember(C, 1)));
        state.apply(new ZoneCommand.DecideRecoveries(A, List.of(new ZoneCommand.Decision(zone, 2, fromC))));
        state.apply(new ZoneCommand.EndRecovery(zone, 3, C, 1, 2));
        holds(B, true, copy(zone, 1));
        lone.run(cleaner::begin);
        rounds(2);
        assertThat(listed).isNotEmpty();
        assertThat(dropped).isEmpty();

        List<ZoneMember> added = List.of(new ZoneMember(0x2000, 1), new ZoneMember(0x6000, 1));
        state.apply(new ZoneCommand.ChangeCopies(zone, C, 1, 3, List.of(), added, 2));
        rounds(2);

        assertThat(dropped.getFirst().zones()).containsExactly(new ZoneEpoch(zone, 4));
    }

    @Test
    void look_copyThatMayBeNewerThanWhatIsKnownHere_stays() {
        open(A, C);
        assertThat(dropOf(
                        copy(BackupZone.id(A, 1), 1), copy(BackupZone.id(A, 2), 1), copy(BackupZone.id(0x2000, 1), 1)))
                .as("of the same epoch, of a number that was not given, of a creator of another arc")
                .isEmpty();
    }

    @Test
    void look_copyOfAMemberOrOfAZoneThatIsRecovered_stays() {
        open(A, B);
        open(C, 0x2000);
        int recovering = BackupZone.id(C, 1);
        state.apply(new PeerCommand.CloseLease(C, 7));
        assertThat(state.zone(recovering)).isNotNull().matches(zone -> zone.isRecovering());
        assertThat(dropOf(copy(BackupZone.id(A, 1), 0), copy(recovering, 1))).isEmpty();
    }

    @Test
    void look_logOfAnOwnerWithoutMembers_stays() {
        open(B);
        assertThat(dropOf(copy(BackupZone.id(B, 1), 0))).isEmpty();
    }

    @Test
    void look_manyPeers_oneAfterTheOtherThatHoldsALeaseAndAgainFromTheFirst() {
        for (int nid : new int[] {0x1000, 0x2000, 0x3000}) {
            holds(nid, nid != 0x2000);
        }
        List<Integer> asked = new ArrayList<>();
        lone.run(cleaner::begin);
        for (int i = 0; i < 3; i++) {
            int before = listed.size();
            rounds(1);
            asked.add(listed.size() - before);
        }
        assertThat(asked).as("one a round").containsExactly(1, 1, 1);
        assertThat(dropped).isEmpty();

        peers.clear();
        rounds(2);
        assertThat(listed).as("there is nobody any more").hasSize(3);
    }

    @Test
    void look_listOfManyPages_allAreLookedAtAndARepeatedPageEndsIt() {
        open(A, C);
        int zone = BackupZone.id(A, 1);
        state.apply(new ZoneCommand.ChangeCopies(zone, A, 1, 1, List.of(), List.of(new ZoneMember(0x2000, 1)), 2));
        HostAddress address = lone.serve(
                "p",
                B,
                new Answers()
                        .to(MessageType.LIST_COPIES, ask -> {
                            listed.add(ask);
                            return ask.afterZone() == 0
                                    ? new CopyList(1, zone - 1, List.of())
                                    : new CopyList(1, zone - 1, List.of(copy(zone, 1)));
                        })
                        .to(MessageType.DROP_COPIES, drop -> {
                            dropped.add(drop);
                            return new Empty();
                        }));
        known(B, true, address);
        lone.run(cleaner::begin);
        rounds(1);
        assertThat(listed).extracting(ListCopies::afterZone).containsExactly(0, zone - 1);
        assertThat(dropped).hasSize(1);
    }

    @Test
    void stop_answerThatComesLate_dropsNothing() {
        open(A, C);
        state.apply(new ZoneCommand.ChangeCopies(
                BackupZone.id(A, 1), A, 1, 1, List.of(), List.of(new ZoneMember(0x2000, 1)), 2));
        HostAddress address = lone.serve(
                "p",
                B,
                new Answers()
                        .to(MessageType.LIST_COPIES, ask -> {
                            lone.node().environment().scheduler().execute(cleaner::stop);
                            return new CopyList(1, 0, List.of(copy(BackupZone.id(A, 1), 1)));
                        })
                        .to(MessageType.DROP_COPIES, drop -> {
                            dropped.add(drop);
                            return new Empty();
                        }));
        known(B, true, address);
        lone.run(cleaner::begin);
        rounds(3);
        assertThat(dropped).isEmpty();
    }
}
