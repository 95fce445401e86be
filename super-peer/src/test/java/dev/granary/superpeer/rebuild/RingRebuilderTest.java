package dev.granary.superpeer.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.RingMessages.RebuildProgress;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.net.message.RingMessages.RingReply;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.ring.LoneRing;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RingRebuilderTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final HostAddress PA = LoneNode.address("a");
    private static final HostAddress PB = LoneNode.address("b");
    private static final long RING_EPOCH = 6;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LEASE_SECONDS = TimeUnit.NANOSECONDS.toSeconds(SimulatedRing.LEASE_NANOS);

    /** A super-peer on an empty disk, which waits to be admitted by nobody. */
    private LoneRing ring = answering(new LoneRing(LoneNode.withoutCluster(SimulatedRing.config("s0"))));

    private long leaseRemainingNanos;
    private UUID clusterOfB = LoneNode.CLUSTER;

    private static LoneRing answering(LoneRing ring) {
        RingRebuilder rebuilder = new RingRebuilder(ring.lone.node(), ring.book, ring.membership, ring.arcs);
        ring.lone.answer(MessageType.REBUILD_RING, rebuilder::rebuild);
        return ring;
    }

    @AfterEach
    void nothingFailed() {
        assertThat(ring.lone.failures).isEmpty();
    }

    private static CidRange range(int creator, int owner) {
        return new CidRange(Cid.of(creator, 1), Cid.of(creator, 50), Placement.unreplicated(owner, 1));
    }

    private Holdings holdings(int nid, HostAddress address, UUID cluster, long leaseNanos, CidRange... ranges) {
        return new Holdings(
                cluster,
                nid,
                new UUID(1, nid),
                1,
                1,
                1,
                100,
                0,
                leaseNanos,
                SimulatedRing.LEASE_NANOS,
                RING_EPOCH,
                List.of(),
                List.of(LoneNode.address("s1")),
                "p",
                address,
                address,
                1,
                "",
                "",
                List.of(),
                0,
                List.of(ranges),
                null);
    }

    private void serve(String name, int nid, HostAddress address, CidRange... ranges) {
        ring.lone.serve(
                name,
                nid,
                new Answers()
                        .to(
                                MessageType.REPORT_HOLDINGS,
                                ask -> holdings(
                                        nid,
                                        address,
                                        nid == B ? clusterOfB : LoneNode.CLUSTER,
                                        leaseRemainingNanos,
                                        ranges))
                        .to(MessageType.LIST_COPIES, ask -> new CopyList(1, 0, List.of()))
                        .to(MessageType.LIST_NAME_COPIES, ask -> new NameCopyList(List.of())));
    }

    private RebuildProgress asked(boolean acceptLoss, HostAddress... storagePeers) {
        return ring.lone.reply(MessageType.REBUILD_RING, new RebuildRing(List.of(storagePeers), acceptLoss));
    }

    /** What a person sees who asks once a second. */
    private RebuildProgress asked(int times, boolean acceptLoss, HostAddress... storagePeers) {
        RebuildProgress last = asked(acceptLoss, storagePeers);
        for (int i = 1; i < times; i++) {
            ring.lone.runFor(SECOND);
            last = asked(acceptLoss, storagePeers);
        }
        return last;
    }

    private void assertNothingIsBegun() {
        assertThat(ring.membership.mayRebuild()).isTrue();
        assertThat(ring.book.view()).isNull();
        assertThat(ring.lone.machine().disk().fileNames()).doesNotContain("super-peer");
    }

    @Test
    void rebuild_noStoragePeerAnswers_saysWho() {
        ring.start();
        RebuildProgress progress = asked(20, true, PA);
        assertThat(progress.done()).isFalse();
        assertThat(progress.text()).startsWith("no storage peer has answered: a:7400");
        assertNothingIsBegun();
    }

    @Test
    void rebuild_superPeerOfARing_isNotBegun() {
        ring = answering(new LoneRing(2)).begin();
        assertThat(ring.lone
                        .refusal(MessageType.REBUILD_RING, new RebuildRing(List.of(PA), true))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
        ring = answering(new LoneRing(1)).begin();
        assertThat(asked(true, PA)).isEqualTo(new RebuildProgress(true, "all arcs are served", 0, List.of()));
        assertThat(ring.view().operation()).isNull();
    }

    @Test
    void rebuild_hasJustStarted_comesLater() {
        assertThat(ring.lone
                        .refusal(MessageType.REBUILD_RING, new RebuildRing(List.of(PA), true))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
    }

    /** Invariant 1: somebody grants leases, so there is a super-peer that knows the cluster. */
    @Test
    void rebuild_storagePeerHoldsALease_waits() {
        ring.start();
        leaseRemainingNanos = 2 * SECOND;
        serve("a", A, PA, range(A, A));
        for (int i = 0; i < 3 * LEASE_SECONDS; i++) {
            RebuildProgress progress = asked(2, true, PA);
            assertThat(progress.text()).startsWith("storage peer 0x8000 holds a lease for 3 s more");
        }
        assertNothingIsBegun();
    }

    /** Invariant 3. */
    @Test
    void rebuild_leasesMayBeOut_waitsForTheLongestOne() {
        ring.start();
        serve("a", A, PA, range(A, A));
        RebuildProgress progress = asked(2, true, PA);
        assertThat(progress.text()).matches("waiting \\d+ s more for leases to end that may still be out");
        assertThat(progress.answered()).isEqualTo(1);
        asked((int) LEASE_SECONDS - 2, true, PA);
        assertNothingIsBegun();
        assertThat(asked(5, true, PA).text()).doesNotContain("leases");
    }

    /** Invariant 2. */
    @Test
    void rebuild_anotherIsMentioned_waitsForItUnlessItsLossIsAccepted() {
        ring.start();
        serve("a", A, PA, range(A, B));
        RebuildProgress progress = asked(3 * (int) LEASE_SECONDS, false, PA);
        assertThat(progress.missing()).containsExactly(B);
        assertThat(progress.text()).contains("0x4000").contains("accept their loss");
        assertNothingIsBegun();
        assertThat(asked(2, true, PA).text()).doesNotContain("0x4000");
    }

    @Test
    void rebuild_oneThatWasNamedIsSilent_waitsForItUnlessItsLossIsAccepted() {
        ring.start();
        serve("a", A, PA, range(A, A));
        assertThat(asked(2 * (int) LEASE_SECONDS, false, PA, PB).text())
                .startsWith("waiting for the storage peers at b:7400");
        assertNothingIsBegun();
    }

    /** Invariant 1. */
    @Test
    void rebuild_aSuperPeerStillKnowsTheCluster_isNotBegunBeforeItIsStopped() {
        ring.start();
        serve("a", A, PA, range(A, A));
        HostAddress s1 = LoneNode.address("s1");
        Ring known =
                new Ring(LoneNode.CLUSTER, RING_EPOCH, 1, true, List.of(new RingMember(LoneRing.SECOND, "s1", s1, s1)));
        ring.lone.serve("s1", LoneRing.SECOND, new Answers().to(MessageType.GET_RING, ask -> new RingReply(known)));
        String text = "";
        for (int i = 0; i < 3 * LEASE_SECONDS && !text.contains("still know"); i++) {
            text = asked(2, true, PA).text();
        }
        assertThat(text).startsWith("the super-peers at s1:7400 still know the cluster");
        assertNothingIsBegun();
        ring.lone.simulation.node("s1").kill();
        ring.await(() -> !asked(true, PA).text().contains("looking for") && !ring.membership.mayRebuild());
    }

    @Test
    void rebuild_storagePeersOfSeveralClusters_isNotBegun() {
        ring.start();
        clusterOfB = new UUID(9, 9);
        serve("a", A, PA, range(A, A));
        serve("b", B, PB, range(B, B));
        assertThat(asked(3 * (int) LEASE_SECONDS, false, PA, PB).text())
                .startsWith("the storage peers are of several clusters: [")
                .contains(clusterOfB.toString());
        assertNothingIsBegun();
    }

    @Test
    void rebuild_allHaveReported_ringAndArcAreThereAgain() {
        ring.start();
        serve("a", A, PA, range(B, A), range(A, A));
        serve("b", B, PB, range(B, A));
        RebuildProgress progress = asked(false, PA, PB);
        for (int i = 0; i < 4 * LEASE_SECONDS && !progress.done(); i++) {
            progress = asked(2, false, PA, PB);
        }
        assertThat(progress.text()).isEqualTo("all arcs are served");
        assertThat(ring.view().clusterId()).isEqualTo(LoneNode.CLUSTER);
        assertThat(ring.view().epoch())
                .as("higher than any former ring may have")
                .isGreaterThan(RING_EPOCH + (1L << 31));
        assertThat(ring.view().operation()).isNull();
        assertThat(ring.membership.group().state().storagePeers())
                .containsEntry(A, new UUID(1, A))
                .containsEntry(B, new UUID(1, B));
        int self = ring.lone.node().rpcIdentity().nid();
        assertThat(ring.arcs.servedArcs()).containsExactly(self);
        CidRange moved = ring.arc(self).state().find(Cid.of(B, 7));
        assertThat(moved)
                .isNotNull()
                .satisfies(found -> assertThat(found.placement().owner()).isEqualTo(A));
        assertThat(ring.membership.mayRebuild()).isFalse();
    }
}
