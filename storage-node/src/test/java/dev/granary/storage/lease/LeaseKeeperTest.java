package dev.granary.storage.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Environment;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.AnsweringSuperPeer;
import dev.granary.testkit.SimulatedNode;
import dev.granary.testkit.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {

    private static final int NID = 0x8000;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final HostAddress ADDRESS = new HostAddress("peer", 7500);
    private static final PeerStatistics STATISTICS = new PeerStatistics(1, 2, 3, 4, 5, 6, 7);
    private static final PeerDescription DESCRIPTION =
            new PeerDescription(new UUID(5, 5), "peer", ADDRESS, ADDRESS, 1 << 20, "", "", 0, null);

    private final Simulation world = new Simulation(20_261_121);
    private final AnsweringSuperPeer superPeer = new AnsweringSuperPeer(world);
    private final SimulatedNode machine = world.node("peer");

    /** What the node was told: admitted, readmitted, renewed and so on. */
    private final List<String> told = new ArrayList<>();

    private @Nullable Throwable failure;
    private @Nullable Environment environment;
    private @Nullable Lease lease;
    private @Nullable LeaseKeeper keeper;

    private final LeaseHolder holder = new LeaseHolder() {
        @Override
        public void admitted(int nid, OpenLeaseReply grant) {
            told.add("admitted " + nid + " epoch " + grant.epoch());
        }

        @Override
        public void readmitted(OpenLeaseReply grant) {
            told.add("readmitted epoch " + grant.epoch());
        }

        @Override
        public void lidsReserved(ReserveLidsReply reserved) {
            told.add("reserved " + reserved.lidLimit());
        }

        @Override
        public void renewed(RenewLeaseReply renewal) {
            assertThat(renewal.leaseNanos()).isEqualTo(superPeer.leaseNanos);
        }

        @Override
        public PeerStatistics statistics() {
            return STATISTICS;
        }

        @Override
        public void failed(String reason, Throwable cause) {
            told.add("failed: " + reason);
            failure = cause;
        }
    };

    private void start(long incarnation) {
        machine.start(begun -> {
            RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, incarnation);
            environment = begun.environment();
            Lease made = new Lease(begun.environment().clock());
            RpcClient rpc = new RpcClient(
                    begun.transport(),
                    begun.environment().clock(),
                    begun.environment().scheduler(),
                    identity);
            LeaseKeeper started = new LeaseKeeper(
                    begun.environment(), rpc, identity, DESCRIPTION, List.of(superPeer.address), made, holder);
            lease = made;
            keeper = started;
            try {
                started.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        world.runFor(500 * MILLI);
    }

    private LeaseKeeper keeper() {
        return Objects.requireNonNull(keeper);
    }

    private boolean holdsLease() {
        return Objects.requireNonNull(lease).isValid();
    }

    private <T> T run(Supplier<T> task) {
        List<T> result = new ArrayList<>();
        AtomicBoolean done = new AtomicBoolean();
        Objects.requireNonNull(environment).scheduler().execute(() -> {
            result.add(task.get());
            done.set(true);
        });
        assertThat(world.runUntil(done::get, SECOND)).isTrue();
        return result.getFirst();
    }

    private long received(MessageType<?, ?> type) {
        String name = MessageType.nameOf(type.code());
        return superPeer.received.stream().filter(name::equals).count();
    }

    @Test
    void start_newDisk_takesANidThenALeaseAndRemembersTheNid() {
        start(1);
        assertThat(told).containsExactly("admitted " + NID + " epoch 1");
        assertThat(holdsLease()).isTrue();
        assertThat(keeper().epoch()).isEqualTo(1);
        assertThat(keeper().firstLid()).isEqualTo(1);
        assertThat(keeper().waitingFor()).isEmpty();
        assertThat(run(() -> keeper().known().leaseNanos())).isEqualTo(superPeer.leaseNanos);
        machine.kill();
        told.clear();
        start(2);
        assertThat(told).as("the same NID").containsExactly("admitted " + NID + " epoch 2");
    }

    @Test
    void renew_threeTimesALease_itNeverEndsAndFiguresAreReported() {
        start(1);
        for (int i = 0; i < 100; i++) {
            world.runFor(superPeer.leaseNanos / 10);
            assertThat(holdsLease()).isTrue();
        }
        assertThat(received(MessageType.RENEW_LEASE)).isBetween(28L, 34L);
        assertThat(superPeer.reported).isEqualTo(STATISTICS);
    }

    @Test
    void renew_superPeerIsSilent_leaseEndsInTimeAndGoesOnWithTheNextAnswer() {
        start(1);
        superPeer.unanswered.add(MessageType.RENEW_LEASE.code());
        long lastGrant = superPeer.lastGrantNanos;
        world.runFor(lastGrant + superPeer.leaseNanos - world.nowNanos());
        assertThat(holdsLease()).as("it counts from when the renewal was sent").isFalse();
        world.runFor(2 * SECOND);
        assertThat(keeper().waitingFor()).startsWith("the renewal of its lease");
        superPeer.unanswered.clear();
        world.runFor(SECOND);
        assertThat(holdsLease()).isTrue();
        assertThat(keeper().waitingFor()).isEmpty();
        assertThat(told).as("it was never given up").hasSize(1);
    }

    @Test
    void renew_superPeerKnowsNoLease_servesNothingUntilItIsReadmitted() {
        start(1);
        superPeer.knowsLease = false;
        superPeer.unanswered.add(MessageType.OPEN_LEASE.code());
        world.runFor(400 * MILLI);
        assertThat(holdsLease()).as("revoked before its end").isFalse();
        superPeer.unanswered.clear();
        world.runFor(5 * SECOND);
        assertThat(told).containsExactly("admitted " + NID + " epoch 1", "readmitted epoch 1");
        assertThat(holdsLease()).isTrue();
    }

    @Test
    void open_firstLidIsAnotherOne_incarnationEndsForGood() {
        start(1);
        superPeer.firstLid = 77;
        superPeer.knowsLease = false;
        world.runFor(2 * SECOND);
        assertThat(failure).isInstanceOf(IncarnationEndedException.class);
        assertThat(told.getLast()).contains("has given its chunks up").contains("below LID 77");
        assertThat(holdsLease()).isFalse();
        int received = superPeer.received.size();
        world.runFor(5 * SECOND);
        assertThat(superPeer.received).as("nothing is asked any more").hasSize(received);
    }

    @Test
    void open_refusedForGood_failsAndIsNotRepeated() {
        superPeer.unanswered.add(MessageType.OPEN_LEASE.code());
        start(1);
        superPeer.unanswered.clear();
        superPeer.refusal = ErrorReply.of(ErrorCode.BAD_REQUEST, "the disk is another one");
        world.runFor(10 * SECOND);
        assertThat(told).singleElement().asString().contains("gives no lease").contains("the disk is another one");
        assertThat(failure).isNotInstanceOf(IncarnationEndedException.class);
    }

    @Test
    void start_diskOfAnotherCluster_fails() {
        start(1);
        machine.kill();
        superPeer.join(new UUID(9, 9));
        told.clear();
        start(2);
        world.runFor(5 * SECOND);
        assertThat(told).singleElement().asString().startsWith("failed: ");
        assertThat(holdsLease()).isFalse();
    }

    @Test
    void reserveLids_moreAreWanted_areKnownBeforeTheLimit() {
        start(1);
        CompletableFuture<Long> reserved = run(() -> keeper().reserveLids(superPeer.lidLimit, 5_000_000));
        world.runFor(SECOND / 2);
        assertThat(reserved).isCompletedWithValue(5_000_000L);
        assertThat(told).contains("reserved 5000000");
    }

    @Test
    void revoke_thenGiveBack_nobodyHasToWaitForItsEnd() {
        start(1);
        run(() -> {
            keeper().revoke();
            return true;
        });
        assertThat(holdsLease()).isFalse();
        CompletableFuture<Void> given = run(() -> keeper().giveBack());
        world.runFor(SECOND);
        assertThat(given).isCompleted();
        assertThat(superPeer.knowsLease).isFalse();
        long renewals = received(MessageType.RENEW_LEASE);
        world.runFor(5 * SECOND);
        assertThat(received(MessageType.RENEW_LEASE)).isEqualTo(renewals);
        assertThat(holdsLease()).isFalse();
    }

    @Test
    void giveBack_noLeaseWasEverGranted_asksNobody() {
        superPeer.unanswered.add(MessageType.OPEN_LEASE.code());
        start(1);
        assertThat(run(() -> keeper().giveBack())).isCompleted();
        assertThat(received(MessageType.CLOSE_LEASE)).isZero();
    }

    @Test
    void park_superPeersCannotCommit_isAskedAgainUntilTheyRefuse() {
        start(1);
        run(() -> {
            keeper().revoke();
            return true;
        });
        superPeer.refusal = ErrorReply.retryLater(10 * MILLI, "no majority");
        CompletableFuture<Void> parked = run(() -> keeper().park(3));
        world.runFor(SECOND);
        assertThat(parked).isNotDone();
        assertThat(received(MessageType.PARK_PEER)).isGreaterThan(5);
        superPeer.refusal = ErrorReply.of(ErrorCode.UNKNOWN_LEASE, "another incarnation");
        world.runFor(SECOND);
        assertThat(parked).isCompletedExceptionally();
    }
}
