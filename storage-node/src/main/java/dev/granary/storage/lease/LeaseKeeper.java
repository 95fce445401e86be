package dev.granary.storage.lease;

import dev.granary.env.Backoff;
import dev.granary.env.Clock;
import dev.granary.env.Confined;
import dev.granary.env.Environment;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.env.Steps;
import dev.granary.net.cluster.ArcRoute;
import dev.granary.net.cluster.Inquiry;
import dev.granary.net.cluster.Inquiry.Outcome;
import dev.granary.net.cluster.Refusals;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HibernationMessages.ParkPeer;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RestoreMessages.RestoreCreator;
import dev.granary.net.message.RingMessages.AssignNid;
import dev.granary.net.message.RingMessages.AssignNidReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.storage.probe.StorageProbe;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets a NID and a lease and keeps the lease (ADR 0072).
 *
 * <pre>{@code
 *   SEEKING --NID given--> OPENING --granted--> HOLDING <--+
 *                             ^                    |  |     | renewed
 *                             +---unknown lease----+  +-----+
 *
 *   any of them --stop--> CLOSED        any of them --given up, replaced, wrong cluster--> FAILED
 * }</pre>
 *
 * <p>A loop takes one step after the other. It goes on whatever happens to a request and its answer.
 *
 * <p>Invariants: (1) the lease's end is counted from before the request was sent; (2) at most one of assign, open and
 * renew is on its way or waits for its time; (3) after {@link #revoke} and after a failure the lease is never extended;
 * (4) the first LID of an incarnation never changes: a super-peer that names another one has given the chunks up, and
 * the node must not serve them.
 *
 * <p>All methods run as tasks of the node's scheduler, except {@link #epoch}, {@link #firstLid} and {@link
 * #waitingFor}, which any thread may call.
 */
public final class LeaseKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);

    private static final long CALL_TIMEOUT_NANOS = 2_000_000_000L;
    private static final long MIN_CALL_TIMEOUT_NANOS = 50_000_000L;
    private static final long CLOSE_TIMEOUT_NANOS = 2_000_000_000L;
    /** Longer than a step takes that asks 1 + {@link ArcClient#MAX_REFERRALS} super-peers, one after the other. */
    private static final long ANSWER_LIMIT_NANOS = 6 * CALL_TIMEOUT_NANOS;

    private static final Backoff PAUSES = new Backoff(50_000_000, 2_000_000_000);
    private static final long FAILURE_RETRY_NANOS = 200_000_000L;
    private static final long REMINDER_NANOS = 10_000_000_000L;
    private static final int MAX_PROBLEMS = 32;

    /** Renewals are sent after this part of the lease, so that two may be lost. */
    private static final int RENEWALS_PER_LEASE = 3;

    /** A super-peer that does not answer within this part of a lease counts as silent, and the next one is asked. */
    private static final int SILENCES_PER_LEASE = 8;

    /** Renewals carry the figures that people see in the cluster's status, which should not be older than this. */
    private static final long MAX_PERIOD_NANOS = 1_000_000_000;

    private final Confined confined = new Confined();

    private enum State {
        SEEKING,
        OPENING,
        HOLDING,
        CLOSED,
        FAILED
    }

    private final Environment environment;
    private final Clock clock;
    private final Scheduler scheduler;
    private final RpcIdentity identity;
    private final PeerDescription description;
    private final Lease lease;
    private final LeaseHolder holder;
    private final RingView ring;
    private final ArcClient superPeers;

    /** The route to this peer's own arc. */
    private final ArcRoute arc;

    /** How many steps have failed since the last success. */
    private int failures;

    private final Loop loop;
    private final Steps ending;

    /** The inquiry of the present step. */
    private @Nullable Inquiry<?, ?> asking;

    private State state = State.SEEKING;
    private volatile long epoch;
    private volatile long firstLid;
    private volatile String lastProblem = "a super-peer";
    private long leaseNanos;
    private boolean lapseSaid = true;

    /** When each problem of the present wait was last logged. Attempts go round super-peers, each with its own. */
    private final Map<String, Long> loggedNanos = new HashMap<>();

    public LeaseKeeper(
            Environment environment,
            RpcClient rpc,
            RpcIdentity identity,
            PeerDescription description,
            List<HostAddress> seeds,
            Lease lease,
            LeaseHolder holder) {
        this.environment = environment;
        this.clock = environment.clock();
        this.scheduler = environment.scheduler();
        this.identity = identity;
        this.description = description;
        this.lease = lease;
        this.holder = holder;
        this.ring = new RingView(seeds);
        this.superPeers = new ArcClient(rpc, scheduler, identity, ring);
        this.arc = new ArcRoute(ring::present);
        this.ending = new Steps(scheduler, "lease-end", FAILURE_RETRY_NANOS);
        this.loop = Loop.answered(scheduler, "lease", FAILURE_RETRY_NANOS, ANSWER_LIMIT_NANOS, this::nextStep)
                .vital();
    }

    /**
     * Starts to look for a super-peer.
     *
     * @throws IOException when the disk fails
     */
    public void start() throws IOException {
        assert confined.here() : confined;
        Optional<ClusterFile> known = ClusterFile.read(environment.disk());
        known.ifPresent(cluster -> identity.joinCluster(cluster.clusterId()));
        loop.begin();
    }

    private void nextStep() {
        switch (state) {
            case SEEKING -> assign();
            case OPENING -> open();
            case HOLDING -> renew();
            case CLOSED, FAILED -> loop.stop();
        }
    }

    /** Returns the epoch of this incarnation; 0 before the first lease. */
    public long epoch() {
        return epoch;
    }

    /** Returns the first LID of this incarnation; 0 before the first lease. */
    public long firstLid() {
        return firstLid;
    }

    /** Returns the LIDs, lease and ring that this peer knows. Called by tasks of the scheduler. */
    public Known known() {
        assert confined.here() : confined;
        return new Known(epoch, firstLid, leaseNanos, ring.present());
    }

    /**
     * What a peer knows of its cluster.
     *
     * @param epoch the epoch of this incarnation, 0 before its first lease
     * @param firstLid the first LID of this incarnation
     * @param leaseNanos how long the last lease was, 0 before the first
     * @param ring the newest ring, null when none is known
     */
    public record Known(
            long epoch,
            long firstLid,
            long leaseNanos,
            @Nullable Ring ring) {}

    /** Returns the NID that this peer's disk has, if it has one. */
    public Optional<Integer> nidOnDisk() throws IOException {
        return ClusterFile.read(environment.disk()).map(ClusterFile::nid);
    }

    /** Notes the address of a super-peer that has contacted this peer. */
    public void heardOf(HostAddress superPeer) {
        ring.heardOf(superPeer);
    }

    /** Returns what the node waits for, as a text for people; empty when it waits for nothing. */
    public String waitingFor() {
        return lastProblem;
    }

    private void assign() {
        AssignNid request = new AssignNid(description.diskId(), identity.incarnation(), description.name());
        step(Target.at(ring.next()), MessageType.ASSIGN_NID, request, CALL_TIMEOUT_NANOS, (from, reply, failure) -> {
            if (state != State.SEEKING) {
                return;
            }
            if (reply != null) {
                assigned(reply);
            } else if (failure != null && isFinal(failure)) {
                fail("the super-peer at " + from.address() + " refuses this peer", failure);
            } else if (failure != null) {
                waiting("a NID from the super-peers", failure);
                loop.again(pauseNanos(failure, Long.MAX_VALUE));
            }
        });
    }

    private void assigned(AssignNidReply reply) {
        ring.update(reply.ring());
        try {
            remember(new ClusterFile(reply.ring().clusterId(), reply.nid()));
        } catch (IOException | IllegalStateException e) {
            fail("the NID cannot be taken", e);
            return;
        }
        LOG.atInfo()
                .addKeyValue("nid", Nid.toHex(reply.nid()))
                .addKeyValue("clusterId", reply.ring().clusterId())
                .log("this storage peer has a NID");
        failures = 0;
        state = State.OPENING;
        loop.again(0);
    }

    /** Takes cluster and NID and writes them to the disk. Refuses them when the disk has others. */
    private void remember(ClusterFile given) throws IOException {
        Optional<ClusterFile> known = ClusterFile.read(environment.disk());
        if (known.isEmpty()) {
            given.write(environment.disk());
        } else if (!known.get().equals(given)) {
            throw new IllegalStateException(
                    "the data directory belongs to " + known.get().describe() + ", the ring gives " + given.describe()
                            + ": use another data directory, or other seeds");
        }
        identity.joinCluster(given.clusterId());
        identity.takeNid(given.nid());
    }

    private void open() {
        assert confined.here() : confined;
        OpenLease request = new OpenLease(
                identity.nid(),
                description.diskId(),
                identity.incarnation(),
                description.name(),
                description.address(),
                description.httpAddress(),
                description.capacityBytes(),
                description.machine(),
                description.failureZone(),
                description.resumeDump(),
                description.redisAddress());
        long sentNanos = clock.nanoTime();
        Target asked = arc.target(identity.nid());
        step(asked, MessageType.OPEN_LEASE, request, CALL_TIMEOUT_NANOS, (from, reply, failure) -> {
            StorageProbe.LEASE_RENEWED_ELSEWHERE.hitIf(!from.equals(asked));
            if (state != State.OPENING) {
                return;
            }
            if (reply != null) {
                arc.answered(identity.nid(), from);
                opened(reply, sentNanos);
            } else if (failure != null) {
                notOpened(asked, from, failure);
            }
        });
    }

    private void notOpened(Target asked, Target from, Throwable failure) {
        if (hasEnded(failure)) {
            end("others have taken this peer's place since its lease ended", failure);
        } else if (isFinal(failure)) {
            fail(
                    "super-peer " + from + " gives no lease: another process may serve with this peer's disk, or the"
                            + " disk belongs to another peer",
                    failure);
        } else {
            arc.failed(identity.nid(), asked);
            waiting("a lease from super-peer " + from, failure);
            superPeers.refreshRing();
            loop.again(pauseNanos(failure, Long.MAX_VALUE));
        }
    }

    private void opened(OpenLeaseReply reply, long sentNanos) {
        assert confined.here() : confined;
        boolean first = epoch == 0;
        if (!first && reply.firstLid() != firstLid) {
            end(
                    "its super-peer has given its chunks up (they count as lost below LID " + reply.firstLid() + ")",
                    new IllegalStateException("first LID was " + firstLid + ", is " + reply.firstLid()));
            return;
        }
        epoch = reply.epoch();
        firstLid = reply.firstLid();
        state = State.HOLDING;
        extend(reply.leaseNanos(), sentNanos);
        if (first) {
            try {
                holder.admitted(identity.nid(), reply);
            } catch (RuntimeException e) {
                fail("it cannot serve", e);
            }
        } else {
            holder.readmitted(reply);
        }
    }

    private void extend(long newLeaseNanos, long sentNanos) {
        failures = 0;
        leaseNanos = newLeaseNanos;
        lease.extend(sentNanos + newLeaseNanos);
        if (lapseSaid) {
            lapseSaid = false;
            LOG.atInfo()
                    .addKeyValue("nid", Nid.toHex(identity.nid()))
                    .addKeyValue("epoch", epoch)
                    .addKeyValue("firstLid", firstLid)
                    .addKeyValue("leaseMillis", newLeaseNanos / 1_000_000)
                    .log("this storage peer holds a lease and serves");
            StorageProbe.LEASE_TAKEN.hit();
        }
        lastProblem = "";
        loggedNanos.clear();
        long periodNanos = Math.min(newLeaseNanos / RENEWALS_PER_LEASE, MAX_PERIOD_NANOS);
        long delayNanos = sentNanos + periodNanos - clock.nanoTime();
        loop.again(delayNanos);
        scheduler.schedule(sentNanos + newLeaseNanos - clock.nanoTime(), this::sayIfLapsed);
    }

    private void renew() {
        assert confined.here() : confined;
        RenewLease request = new RenewLease(identity.nid(), identity.incarnation(), epoch, holder.statistics());
        long sentNanos = clock.nanoTime();
        long timeoutNanos = Math.max(MIN_CALL_TIMEOUT_NANOS, leaseNanos / SILENCES_PER_LEASE);
        Target asked = arc.target(identity.nid());
        step(asked, MessageType.RENEW_LEASE, request, timeoutNanos, (from, reply, failure) -> {
            if (state != State.HOLDING) {
                return;
            }
            if (reply != null) {
                arc.answered(identity.nid(), from);
                renewed(reply, sentNanos);
            } else if (failure != null) {
                notRenewed(asked, from, failure);
            }
        });
    }

    private void renewed(RenewLeaseReply reply, long sentNanos) {
        assert confined.here() : confined;
        extend(reply.leaseNanos(), sentNanos);
        holder.renewed(reply);
        if (reply.ringEpoch() > ring.epoch()) {
            superPeers.refreshRing();
        }
    }

    private void notRenewed(Target asked, Target from, Throwable failure) {
        if (failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.UNKNOWN_LEASE) {
            // The lease ended, or the super-peer restarted. The super-peer knows whether this incarnation may go on.
            LOG.atWarn()
                    .addKeyValue("nid", Nid.toHex(identity.nid()))
                    .addKeyValue("address", from.address())
                    .log("the super-peer knows no lease of this peer; serving nothing until it gives one again");
            StorageProbe.LEASE_UNKNOWN.hit();
            lease.revoke();
            lapseSaid = true;
            state = State.OPENING;
            loop.again(0);
        } else if (isFinal(failure)) {
            fail("super-peer " + from + " does not renew the lease", failure);
        } else {
            arc.failed(identity.nid(), asked);
            StorageProbe.LEASE_RENEWAL_REPEATED.hit();
            waiting("the renewal of its lease by super-peer " + from, failure);
            superPeers.refreshRing();
            loop.again(pauseNanos(failure, leaseNanos / (4 * RENEWALS_PER_LEASE)));
        }
    }

    private void sayIfLapsed() {
        if (state == State.HOLDING && !lapseSaid && !lease.isValid()) {
            StorageProbe.LEASE_LAPSED.hit();
            lapseSaid = true;
            LOG.atWarn()
                    .addKeyValue("nid", Nid.toHex(identity.nid()))
                    .log("the lease has ended without a renewal; serving nothing until there is one");
        }
    }

    /** Returns the newest ring that this peer knows, or null. For tasks of the scheduler. */
    public @Nullable Ring ring() {
        return ring.present();
    }

    /** Returns how to call the super-peers of this and other arcs. */
    public ArcCalls arcs() {
        return superPeers;
    }

    /**
     * Asks for more LIDs. The future completes with the new limit, or fails, on the scheduler.
     *
     * @param knownLimit LIDs below it are known to be reserved, with their zones
     */
    public CompletableFuture<Long> reserveLids(long knownLimit, long wantedLimit) {
        CompletableFuture<Long> reserved = new CompletableFuture<>();
        ReserveLids request = new ReserveLids(identity.nid(), identity.incarnation(), knownLimit, wantedLimit);
        Target asked = arc.target(identity.nid());
        superPeers.ask(asked, MessageType.RESERVE_LIDS, request, CALL_TIMEOUT_NANOS, (from, reply, failure) -> {
            if (reply != null) {
                arc.answered(identity.nid(), from);
                holder.lidsReserved(reply);
                reserved.complete(reply.lidLimit());
            } else if (failure != null) {
                arc.failed(identity.nid(), asked);
                reserved.completeExceptionally(failure);
            }
        });
        return reserved;
    }

    /** Revokes the lease: from now on this peer serves nothing. The super-peer does not hear of that yet. */
    public void revoke() {
        assert confined.here() : confined;
        lease.revoke();
        stopAsking();
        if (state != State.FAILED) {
            state = State.CLOSED;
        }
    }

    /**
     * Gives the lease back, so that nobody has to wait for its end. Call it after {@link #revoke}, when this peer
     * serves nothing any more. The future always completes, on the scheduler.
     */
    public CompletableFuture<Void> giveBack() {
        assert confined.here() : confined;
        CompletableFuture<Void> closed = new CompletableFuture<>();
        if (epoch == 0 || state == State.FAILED) {
            closed.complete(null);
            return closed;
        }
        CloseLease request = new CloseLease(identity.nid(), identity.incarnation());
        Target superPeer = arc.target(identity.nid());
        superPeers.ask(superPeer, MessageType.CLOSE_LEASE, request, CLOSE_TIMEOUT_NANOS, (from, reply, failure) -> {
            if (failure == null) {
                LOG.atInfo().addKeyValue("nid", Nid.toHex(identity.nid())).log("the lease is given back");
            } else {
                LOG.atWarn()
                        .addKeyValue("reason", failure.getMessage())
                        .log("the lease could not be given back; it ends by itself");
            }
            closed.complete(null);
        });
        return closed;
    }

    /**
     * Asks the super-peers to commit that this peer is parked with a dump of its memory. Call it after {@link #revoke}.
     * Asks until the super-peers have committed that or refuse it. The future completes on the scheduler, with a
     * failure only when the super-peers refuse.
     */
    public CompletableFuture<Void> park(long dumpId) {
        return haveWrittenDown(
                "that it is parked",
                MessageType.PARK_PEER,
                new ParkPeer(identity.nid(), identity.incarnation(), dumpId),
                code -> code == ErrorCode.UNKNOWN_LEASE);
    }

    /**
     * Asks the super-peers to end this incarnation, which has no chunk, so that the LIDs of the next incarnation begin
     * at {@code lidMark} or behind it (ADR 0140). Asks until the super-peers have committed that or refuse it. The
     * future completes on the scheduler, with a failure only when the super-peers refuse.
     */
    public CompletableFuture<Void> endAtMark(long lidMark, long backup) {
        return haveWrittenDown(
                "that this empty incarnation has ended",
                MessageType.RESTORE_CREATOR,
                new RestoreCreator(identity.nid(), identity.incarnation(), lidMark, backup),
                code -> !code.isRetryable());
    }

    private <Q extends Message, R extends Message> CompletableFuture<Void> haveWrittenDown(
            String what, MessageType<Q, R> type, Q request, Predicate<ErrorCode> refuses) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        haveWrittenDown(what, type, request, refuses, done);
        return done;
    }

    private <Q extends Message, R extends Message> void haveWrittenDown(
            String what,
            MessageType<Q, R> type,
            Q request,
            Predicate<ErrorCode> refuses,
            CompletableFuture<Void> done) {
        Runnable attempt = () -> haveWrittenDown(what, type, request, refuses, done);
        Consumer<Throwable> failed = failure -> {
            if (failure instanceof RemoteErrorException remote && refuses.test(remote.code())) {
                done.completeExceptionally(failure);
            } else {
                waiting("the super-peers to write down " + what, failure);
                again(failure, attempt);
            }
        };
        superPeers.callArc(
                identity.nid(),
                type,
                request,
                reply -> done.complete(null),
                failure -> ending.run(() -> failed.accept(failure), attempt));
    }

    /** Ends this incarnation, because the super-peers have ended it on its own request; the process joins again. */
    public void joinAgain(String reason) {
        end(reason, new IllegalStateException("its next incarnation is awaited"));
    }

    /** Asks one super-peer, and those to which it redirects. Handling the answer is a part of the present step. */
    private <Q extends Message, R extends Message> void step(
            Target to, MessageType<Q, R> type, Q request, long timeoutNanos, Outcome<R> outcome) {
        asking = superPeers.ask(
                to,
                type,
                request,
                timeoutNanos,
                (from, reply, failure) -> loop.part(() -> outcome.take(from, reply, failure)));
    }

    /** Ends all steps and the present inquiry, because either could take a lease again that was given back. */
    private void stopAsking() {
        loop.stop();
        Inquiry<?, ?> present = asking;
        if (present != null) {
            present.stop();
        }
    }

    private void again(Throwable failure, Runnable attempt) {
        State expected = state;
        ending.after(pauseNanos(failure, Long.MAX_VALUE), () -> {
            if (state == expected) {
                attempt.run();
            }
        });
    }

    /** The pause that the other side asks for, or else one that grows with each failure up to {@code maxNanos}. */
    private long pauseNanos(Throwable failure, long maxNanos) {
        long toldNanos = Refusals.retryAfterNanos(failure);
        if (toldNanos > 0) {
            return toldNanos;
        }
        failures++;
        return Backoff.upperHalf(Math.min(PAUSES.nanos(failures), maxNanos), environment.random());
    }

    /** Returns whether no retry can help, because this disk does not belong to that cluster. */
    private static boolean isFinal(Throwable failure) {
        return failure instanceof RemoteErrorException remote
                && switch (remote.code()) {
                    case BAD_REQUEST, WRONG_CLUSTER, UNSUPPORTED_VERSION -> true;
                    default -> false;
                };
    }

    private static boolean hasEnded(Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.INCARNATION_ENDED;
    }

    /** Logs what this peer waits for: at once when that is new, then every 10 s. */
    private void waiting(String what, Throwable failure) {
        String problem = what + ": " + failure.getMessage();
        lastProblem = problem;
        long now = clock.nanoTime();
        Long logged = loggedNanos.get(problem);
        if (logged == null || now - logged >= REMINDER_NANOS) {
            if (loggedNanos.size() == MAX_PROBLEMS) {
                loggedNanos.clear();
            }
            loggedNanos.put(problem, now);
            LOG.atWarn().addKeyValue("reason", failure.getMessage()).log("waiting for {}", what);
        }
    }

    /** Ends this incarnation, which gets no lease again; a later incarnation of the same disk does. */
    private void end(String reason, Throwable cause) {
        fail(reason, new IncarnationEndedException(cause));
    }

    private void fail(String reason, Throwable cause) {
        lease.revoke();
        stopAsking();
        state = State.FAILED;
        holder.failed(reason + " (" + cause.getMessage() + ")", cause);
    }
}
