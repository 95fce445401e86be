package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Blob;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.JoinRing;
import dev.granary.net.message.RingMessages.JoinRingReply;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.RingMessages.SwitchRing;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.ring.MembershipFile.Founding;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RingRequestsTest {

    private static final UUID DISK = new UUID(7, 7);
    private static final HostAddress S1 = LoneNode.address("s1");

    private LoneRing ring = answering(new LoneRing(1));

    private static LoneRing answering(LoneRing ring) {
        RingRequests requests = new RingRequests(ring.lone.node(), ring.book, ring.membership);
        ring.lone.answer(MessageType.GET_RING, (request, empty) -> requests.getRing(request));
        ring.lone.answer(MessageType.JOIN_RING, requests::joinRing);
        ring.lone.answer(MessageType.ASSIGN_NID, requests::assignNid);
        ring.lone.answer(MessageType.SWITCH_RING, requests::switchRing);
        ring.lone.answer(MessageType.RESIZE_RING, requests::resize);
        return ring;
    }

    @AfterEach
    void nothingFailed() {
        assertThat(ring.lone.failures).isEmpty();
    }

    private static JoinRing join(UUID disk, String name, HostAddress address) {
        return new JoinRing(disk, 1, name, address, address);
    }

    private JoinRingReply joined(JoinRing join) {
        JoinRingReply reply = ring.lone.reply(MessageType.JOIN_RING, join);
        assertThat(RingView.read(reply.view().bytes()))
                .as("what is told is committed")
                .isEqualTo(ring.view());
        return reply;
    }

    private int assigned(UUID disk) {
        return ring.lone
                .reply(MessageType.ASSIGN_NID, new AssignNid(disk, 1, "p"))
                .nid();
    }

    private ErrorReply refusedNid(UUID disk) {
        return ring.lone.refusal(MessageType.ASSIGN_NID, new AssignNid(disk, 1, "p"));
    }

    @Test
    void requests_superPeerBelongsToNoRing_areRefused() {
        ErrorReply[] refusals = {
            ring.lone.refusal(MessageType.GET_RING, new Empty()),
            ring.lone.refusal(MessageType.JOIN_RING, join(DISK, "s1", S1)),
            refusedNid(DISK),
            ring.lone.refusal(MessageType.SWITCH_RING, new SwitchRing(1)),
            ring.lone.refusal(MessageType.RESIZE_RING, new ResizeRing(3))
        };
        assertThat(refusals).extracting(ErrorReply::code).containsOnly(ErrorCode.RING_INCOMPLETE);
    }

    @Test
    void joinRing_newDisk_isAdmittedOnceAndKeepsItsNid() {
        ring.begin();
        JoinRingReply first = joined(join(DISK, "s1", S1));
        assertThat(first.yourNid()).isEqualTo(LoneRing.SECOND);
        assertThat(ring.view().isMember(LoneRing.SECOND)).as("a candidate").isFalse();
        assertThat(joined(join(DISK, "s1", S1)))
                .as("once more, without a change")
                .isEqualTo(first);
    }

    @Test
    void joinRing_hasMovedOrGotAnotherName_isCommitted() {
        ring.begin();
        joined(join(DISK, "s1", S1));
        HostAddress moved = new HostAddress("s1", 9999);
        for (JoinRing join : new JoinRing[] {
            join(DISK, "other", S1),
            new JoinRing(DISK, 1, "other", moved, S1),
            new JoinRing(DISK, 1, "other", moved, new HostAddress("s1", 9998))
        }) {
            assertThat(joined(join).yourNid()).isEqualTo(LoneRing.SECOND);
            SuperPeerRecord known = ring.view().superPeer(LoneRing.SECOND).orElseThrow();
            assertThat(known.address()).isEqualTo(join.address());
            assertThat(known.name()).isEqualTo(join.name());
            assertThat(known.httpAddress()).isEqualTo(join.httpAddress());
        }
    }

    @Test
    void requests_diskOfANodeOfTheOtherRole_areRefused() {
        ring.begin();
        int nid = assigned(DISK);
        ErrorReply refused = ring.lone.refusal(MessageType.JOIN_RING, join(DISK, "s1", S1));
        assertThat(refused.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refused.message()).contains(DISK.toString()).contains("of the other role");
        UUID other = new UUID(7, 8);
        joined(join(other, "s1", S1));
        assertThat(refusedNid(other).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(assigned(DISK)).isEqualTo(nid);
    }

    @Test
    void assignNid_diskThatHasOne_isToldTheSameForEver() {
        ring.begin();
        int nid = assigned(DISK);
        int other = assigned(new UUID(7, 8));
        assertThat(other).isNotEqualTo(nid);
        assertThat(assigned(DISK)).isEqualTo(nid);
        assertThat(ring.membership.group().state().storagePeers())
                .containsOnlyKeys(nid, other)
                .containsEntry(nid, DISK);
        ring = answering(ring.restarted()).begin();
        assertThat(assigned(DISK)).as("by the next process").isEqualTo(nid);
    }

    @Test
    void requests_superPeersAreMissing_noStoragePeerGetsANidYet() {
        ring = answering(new LoneRing(2)).begin();
        ErrorReply refused = refusedNid(DISK);
        assertThat(refused.code()).isEqualTo(ErrorCode.RING_INCOMPLETE);
        assertThat(refused.message()).endsWith("1 of 2 super-peers have joined, 1 is missing");
        assertThat(ring.lone.refusal(MessageType.RESIZE_RING, new ResizeRing(3)).message())
                .contains("is still being formed");
        assertThat(ring.lone.reply(MessageType.GET_RING, new Empty()).ring().formed())
                .isFalse();
        assertThat(ring.membership.group().state().storagePeerCount()).isZero();

        joined(join(new UUID(7, 8), "s1", S1));

        assertThat(ring.view().formed()).isTrue();
        assertThat(assigned(DISK)).isPositive();
    }

    @Test
    void resize_byAPerson_holdsFromThenOn() {
        ring.begin();
        ring.lone.reply(MessageType.RESIZE_RING, new ResizeRing(3));
        assertThat(ring.view().expectedSize()).isEqualTo(3);
        assertThat(ring.view().sizeChosen()).isTrue();
        assertThat(ring.lone.refusal(MessageType.RESIZE_RING, new ResizeRing(0)).code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(ring.view().expectedSize()).isEqualTo(3);
    }

    @Test
    void switchRing_ofTheOperationUnderWay_changesTheRingOnce() {
        ring.begin();
        int nid = ring.admit("s1", new Answers());
        int operation = ring.begin(RingOperation.Kind.PROMOTE, nid);
        long epoch = ring.view().epoch();
        for (int of : new int[] {operation + 1, operation, operation}) {
            Blob view =
                    ring.lone.reply(MessageType.SWITCH_RING, new SwitchRing(of)).view();
            assertThat(RingView.read(view.bytes())).isEqualTo(ring.view());
            assertThat(ring.view().isMember(nid)).isEqualTo(of == operation);
        }
        assertThat(ring.view().epoch()).isEqualTo(epoch + 1);
    }

    @Test
    void requests_anotherSuperPeerLeads_areReferredToItOnceItIsKnown() throws IOException {
        RingView view = ring.begin().view();
        LoneNode follower = new LoneNode(SimulatedRing.config("s0"));
        new MembershipFile(LoneNode.CLUSTER, LoneNode.NID, Founding.NONE, 0)
                .write(follower.node().environment().disk());
        ring = answering(new LoneRing(follower));
        follower.run(() -> ring.book.learn(view));
        ring.start();
        ErrorReply nobody = refusedNid(DISK);
        assertThat(nobody.code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(nobody.message()).contains("nobody leads the ring");
        follower.serve(
                "s1",
                LoneRing.SECOND,
                new Answers()
                        .to(MessageType.JOIN_RING, join -> new JoinRingReply(LoneNode.NID, new Blob(view.toBytes()))));
        follower.runFor(TimeUnit.SECONDS.toNanos(5));
        ErrorReply referred = refusedNid(DISK);
        assertThat(referred.code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(referred.redirect()).isEqualTo(S1);
        assertThat(referred.ringEpoch()).isEqualTo(view.epoch());
        assertThat(ring.lone.reply(MessageType.GET_RING, new Empty()).ring())
                .as("any super-peer tells the ring")
                .isEqualTo(view.ring());
    }
}
