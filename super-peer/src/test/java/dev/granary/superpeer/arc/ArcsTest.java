package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.ArcPart;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.node.SuperPeerMetrics.PeerCounts;
import dev.granary.superpeer.ring.LoneRing;
import dev.granary.superpeer.state.ring.RingOperation.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ArcsTest {

    /** Storage peers in the arc of the second super-peer, once that is on the ring, and in that of the first. */
    private static final int THERE = 0x4000;

    private static final int HERE = 0xC000;

    private static final HostAddress PEER = new HostAddress("p", 7500);

    private LoneRing ring = answering(new LoneRing(1));

    private static LoneRing answering(LoneRing ring) {
        ring.lone.answer(
                MessageType.ASK_PEER,
                (request, ask) -> ring.arcs.atLeader(
                        request, ask.nid(), arc -> arc.migrations().askPeer(request, ask)));
        ring.lone.answer(
                MessageType.OPEN_LEASE,
                (request, open) -> ring.arcs.atSureLeader(
                        request, open.nid(), arc -> arc.peers().openLease(request, open)));
        ring.lone.answer(MessageType.LIST_PEERS, ring.arcs::listPeers);
        ring.lone.answer(MessageType.ARC_PART, ring.arcs::sendPart);
        return ring;
    }

    private ErrorReply refused(int nid) {
        return ring.lone.refusal(MessageType.ASK_PEER, new AskPeer(nid));
    }

    private void open(int nid) {
        ring.lone.reply(
                MessageType.OPEN_LEASE,
                new OpenLease(nid, new UUID(1, nid), 7, "p", PEER, PEER, 4096, "", "", 0, null));
    }

    /** Puts another super-peer on the ring. */
    private int promoted() {
        int nid = ring.admit("s1", new Answers());
        ring.finish(ring.begin(Kind.PROMOTE, nid));
        return nid;
    }

    private PeerCounts counted() {
        PeerCounts[] counts = new PeerCounts[1];
        ring.lone.run(() -> counts[0] = ring.arcs.countPeers(ring.arcs.zoneStates()));
        return counts[0];
    }

    @Test
    void atLeader_noRingOrAnIncompleteOne_isRefused() {
        assertThat(refused(HERE).message()).contains("belongs to no cluster");
        ring = answering(new LoneRing(2)).begin();
        assertThat(refused(HERE).code()).isEqualTo(ErrorCode.RING_INCOMPLETE);
        assertThat(refused(HERE).message()).contains("1 of 2 super-peers have joined");
        assertThat(ring.arcs.all())
                .as("there are no arcs before the ring is complete")
                .isEmpty();
    }

    @Test
    void atLeader_ownArc_isHandedToItsServices() {
        ring.begin();
        assertThat(refused(0).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refused(HERE).code()).isEqualTo(ErrorCode.NOT_FOUND);
        open(HERE);
        assertThat(ring.lone.reply(MessageType.ASK_PEER, new AskPeer(HERE)).live())
                .isTrue();
        PeerList list = ring.lone.reply(MessageType.LIST_PEERS, new Empty());
        assertThat(list.arcs()).containsExactly(LoneNode.NID);
        assertThat(list.peers()).extracting(PeerInfo::nid).containsExactly(HERE);
        assertThat(list.ringEpoch()).isEqualTo(ring.view().epoch());
        assertThat(ring.arcs.ledGroups()).extracting("nid").containsExactly(0, LoneNode.NID);
    }

    @Test
    void atLeader_arcOfAnother_isReferredToIt() {
        ring.begin();
        int other = promoted();
        ErrorReply referred = refused(THERE);
        assertThat(referred.code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(referred.redirect()).isEqualTo(LoneNode.address("s1"));
        assertThat(referred.ringEpoch()).isEqualTo(ring.view().epoch());
        assertThat(refused(HERE).code()).as("its own").isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(ring.arcs.copyOf(THERE)).isNull();

        ring.lone.run(() -> ring.arcs.openForOthers(groupOf(other), GroupId.member(1, LoneNode.NID)));

        assertThat(ring.arcs.copyOf(THERE)).isNotNull();
        ErrorReply nobody = refused(THERE);
        assertThat(nobody.code()).as("its copy knows of no leader").isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(nobody.message()).contains("nobody answers for the arc of 0x8001");
    }

    private long groupOf(int nid) {
        return GroupId.ofArc(ring.view().generationOf(nid), nid);
    }

    @Test
    void openForOthers_notAsTheRingSays_isIgnored() {
        ring.begin();
        int other = promoted();
        int generation = ring.view().generationOf(other);
        ArcReplica own = ring.arc(LoneNode.NID);
        ring.lone.run(() -> {
            ring.arcs.openForOthers(GroupId.ofArc(generation + 1, other), GroupId.member(1, LoneNode.NID));
            ring.arcs.openForOthers(GroupId.ofArc(generation, LoneRing.THIRD), GroupId.member(1, LoneNode.NID));
            ring.arcs.openForOthers(groupOf(other), GroupId.member(0, LoneNode.NID));
            ring.arcs.openForOthers(groupOf(LoneNode.NID), GroupId.member(1, LoneNode.NID));
        });
        assertThat(ring.arcs.all()).containsExactly(own);
    }

    @Test
    void openForOthers_addedOnceMore_isAnotherReplicaAndTheFormerIsGone() {
        ring.begin();
        int other = promoted();
        ring.lone.run(() -> ring.arcs.openForOthers(groupOf(other), GroupId.member(1, LoneNode.NID)));
        ArcReplica former = ring.arc(other);
        ring.lone.run(() -> ring.arcs.openForOthers(groupOf(other), GroupId.member(2, LoneNode.NID)));
        assertThat(ring.arc(other)).isNotSameAs(former);
        assertThat(ring.arcs.all()).hasSize(2);
        ring.lone.runFor(1_000_000_000);
        assertThat(logs(other)).isNotEmpty().allMatch(name -> name.contains("-m2-"));
    }

    private List<String> logs(int owner) {
        return ring.lone.machine().disk().fileNames().stream()
                .filter(name -> name.startsWith("raft-arc-") && name.contains("-" + Integer.toHexString(owner) + "-m"))
                .toList();
    }

    @Test
    void ringChanged_arcIsNoMore_itsReplicaAndItsLogAreDeleted() {
        ring.begin();
        int other = promoted();
        ring.lone.run(() -> ring.arcs.openForOthers(groupOf(other), GroupId.member(1, LoneNode.NID)));
        assertThat(logs(other)).isNotEmpty();
        ring.finish(ring.begin(Kind.DEMOTE, other));
        ring.lone.runFor(1_000_000_000);
        assertThat(ring.arcs.all()).extracting(ArcReplica::ownerNid).containsExactly(LoneNode.NID);
        assertThat(logs(other)).isEmpty();
    }

    @Test
    void begin_nextProcess_hasTheReplicasOfThePresentRingAndDeletesOthers() throws IOException {
        ring.begin();
        open(HERE);
        int other = promoted();
        ring.lone.run(() -> ring.arcs.openForOthers(groupOf(other), GroupId.member(1, LoneNode.NID)));
        ring.lone.runFor(1_000_000_000);
        String former = "raft-arc-99-8001-m1-0000000000000001.log";
        ring.lone.restart();
        ring.lone.node().environment().disk().writeAtomically(former, new byte[0]);
        LoneRing next = new LoneRing(ring.lone);
        next.start();
        assertThat(next.arcs.all()).extracting(ArcReplica::ownerNid).containsExactly(LoneNode.NID, other);
        assertThat(next.lone.machine().disk().fileNames()).doesNotContain(former);
        next.await(() -> next.arcs.servedArcs().contains(LoneNode.NID));
        assertThat(next.arc(LoneNode.NID).state().peer(HERE)).isNotNull();
        assertThat(next.lone.failures).isEmpty();
    }

    /** The votes of the lost log may have elected another leader: the same member must not begin anew. */
    @Test
    void begin_logOfItsArcIsLost_fails() {
        ring.begin();
        ring.lone.restart();
        ring.lone.run(() -> logs(LoneNode.NID).forEach(this::delete));
        new LoneRing(ring.lone).start();
        assertThat(ring.lone.failures).contains("the disk has failed, the arc cannot be opened");
    }

    private void delete(String file) {
        try {
            ring.lone.node().environment().disk().delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void notReadyReason_ownArcIsNotServedYet_saysSo() {
        assertThat(ring.arcs.notReadyReason()).as("it has none").isEmpty();
        ring.start();
        ring.await(() -> ring.arcs.notReadyReason().isPresent());
        assertThat(ring.arcs.notReadyReason().orElseThrow()).contains("is not served by enough super-peers yet");
        ring.await(() -> ring.arcs.notReadyReason().isEmpty());
        assertThat(ring.arcs.servedArcs()).containsExactly(LoneNode.NID);
    }

    @Test
    void countPeers_leaseEnds_isExpiredWhileItHasZonesAndHasLeftOtherwise() {
        ring.begin();
        open(HERE);
        assertThat(counted()).isEqualTo(new PeerCounts(1, 0, 0, 0));
        ring.lone.runFor(2 * SimulatedRing.LEASE_NANOS);
        PeerCounts after = counted();
        assertThat(after.live()).isZero();
        assertThat(after.expired() + after.left()).isEqualTo(1);
        assertThat(after.left()).isEqualTo(ring.arcs.zoneStates().peers().isEmpty() ? 1 : 0);
    }

    @Test
    void sendPart_nobodyMoves_isRefused() {
        ring.begin();
        assertThat(ring.lone
                        .refusal(MessageType.ARC_PART, new ArcPart(0, 1, 1, 0))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
        ErrorReply unknown = ring.lone.refusal(MessageType.ARC_PART, new ArcPart(LoneRing.SECOND, 5, 1, 0));
        assertThat(unknown.code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(unknown.message()).contains("operation 5 of the ring is not known here");
        promoted();
        assertThat(ring.lone
                        .refusal(MessageType.ARC_PART, new ArcPart(THERE, 5, 1, 0))
                        .code())
                .as("it has no copy of that arc")
                .isEqualTo(ErrorCode.REDIRECT);
    }

    @Test
    void stop_servesNothingMoreAndKeepsItsLogs() {
        ring.begin();
        ring.lone.run(ring.arcs::stop);
        assertThat(ring.arcs.all()).isEmpty();
        assertThat(refused(HERE).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(logs(LoneNode.NID)).isNotEmpty();
    }
}
