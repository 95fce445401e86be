package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.raft.MemberId;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.GroupId;
import dev.granary.superpeer.ring.LoneRing;
import dev.granary.superpeer.state.ring.RingOperation.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArcReplicaTest {

    private static final int A = 0xC000;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final HostAddress PEER = new HostAddress("p", 7500);

    private final LoneRing ring = new LoneRing(1).begin();
    private final ArcReplica arc = ring.arc(LoneNode.NID);

    @AfterEach
    void nothingFailed() {
        assertThat(ring.lone.failures).isEmpty();
    }

    private void open(int nid) {
        ring.lone.answer(
                MessageType.OPEN_LEASE,
                (request, open) -> arc.services().peers().openLease(request, open));
        ring.lone.reply(
                MessageType.OPEN_LEASE,
                new OpenLease(nid, new UUID(1, nid), 7, "p", PEER, PEER, 4096, "", "", 0, null));
    }

    @Test
    void open_ownArc_leadsItAlone() {
        assertThat(arc.ownerNid()).isEqualTo(LoneNode.NID);
        assertThat(arc.generation()).isEqualTo(ring.view().generationOf(LoneNode.NID));
        assertThat(arc.leaderNid()).isEqualTo(LoneNode.NID);
        assertThat(arc.leads()).isTrue();
        assertThat(arc.serves()).isTrue();
        ring.await(arc::isSettled);
        assertThat(arc.isComplete()).isTrue();
        assertThat(arc.voters()).containsExactly(LoneNode.NID);
        assertThat(arc.isRemoved()).isFalse();
    }

    @Test
    void open_copyOfAnothersArc_knowsNoLeaderAndServesNothing() {
        int other = ring.admit("s1", new Answers());
        ring.finish(ring.begin(Kind.PROMOTE, other));
        long group = GroupId.ofArc(ring.view().generationOf(other), other);
        ring.lone.run(() -> ring.arcs.openForOthers(group, GroupId.member(1, LoneNode.NID)));
        ring.lone.runFor(10 * SECOND);
        ArcReplica copy = ring.arc(other);
        assertThat(copy.leads()).isFalse();
        assertThat(copy.serves()).isFalse();
        assertThat(copy.isSettled()).isFalse();
        assertThat(copy.isComplete()).isFalse();
        assertThat(copy.voters()).isEmpty();
        assertThatThrownBy(copy::services).isInstanceOf(NullPointerException.class);
    }

    @Test
    void restartServices_leader_hasNewOnesThatTreatEachLeaseAsGrantedNow() {
        open(A);
        ArcServices former = arc.services();
        ring.lone.runFor(SimulatedRing.LEASE_NANOS * 3 / 4);
        ring.lone.run(arc::restartServices);
        ring.await(arc::serves);
        assertThat(arc.services()).isNotSameAs(former);
        assertThat(former.peers().isServing()).isFalse();
        ring.lone.runFor(SimulatedRing.LEASE_NANOS * 3 / 4);
        assertThat(arc.services().peers().isLive(A)).isTrue();
        ring.lone.runFor(SimulatedRing.LEASE_NANOS / 2);
        assertThat(arc.services().peers().isLive(A)).isFalse();
    }

    @Test
    void stop_servesNothing() {
        ring.lone.run(arc::stop);
        assertThat(arc.serves()).isFalse();
        assertThatThrownBy(arc::services).isInstanceOf(NullPointerException.class);
    }

    @Test
    void bytes_stateGrows_areCounted() {
        long before = arc.bytes();
        open(A);
        ring.lone.answer(
                MessageType.CHANGE_NAME,
                (request, change) -> arc.services().names().change(request, change));
        ring.lone.reply(
                MessageType.CHANGE_NAME, new ChangeName(5, 1, 0, false, "name", Cid.of(A, 1), NameCondition.ALWAYS, 0));
        assertThat(arc.bytes()).isGreaterThan(before);
        assertThat(arc.partBytes()).isZero();
    }

    private @Nullable MemberId memberOnDisk() {
        try {
            return ring.host.memberOnDisk(GroupId.ofArc(arc.generation(), LoneNode.NID));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void discard_itsLogIsDeleted() {
        ring.lone.run(arc::discard);
        ring.lone.runFor(SECOND);
        assertThat(arc.serves()).isFalse();
        assertThat(ring.lone.machine().disk().fileNames()).noneMatch(name -> name.startsWith("raft-arc-"));
        ring.lone.run(() -> assertThat(memberOnDisk())
                .as("it is never the same member again")
                .isNull());
    }
}
