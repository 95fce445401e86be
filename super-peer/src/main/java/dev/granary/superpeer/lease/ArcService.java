package dev.granary.superpeer.lease;

import dev.granary.env.Steps;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HibernationMessages.ParkPeer;
import dev.granary.net.message.HibernationMessages.UnparkPeer;
import dev.granary.net.message.LeaseMessages.CloseLease;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLease;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLids;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Ring;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Committer;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.peer.Loads;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service for the storage peers of one arc during one leadership of this super-peer: admits storage peers and their
 * incarnations, grants leases, reserves LIDs. Commits what must not be forgotten before it answers (ADR 0088). Runs as
 * tasks of the node's scheduler.
 *
 * <p>Invariants: (1) a new incarnation of a NID is admitted only after the lease of the old one has ended or was given
 * back (SAFETY rules "leases" and "incarnations"); (2) while an incarnation is being admitted no other one of its NID
 * gets or renews a lease; (3) no lease is granted or renewed unless a majority has confirmed, after the request had
 * come, that no other super-peer leads.
 */
public final class ArcService {

    private static final Logger LOG = LoggerFactory.getLogger(ArcService.class);

    /** After this time it is looked again whether the storage peers of all arcs are known. */
    private static final long CATALOG_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long BUSY_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A ring that has grown keeps its long leases for so many of them, at most {@link #MAX_WARM_UP_NANOS}. */
    private static final int WARM_UP_LEASES = 6;

    private static final long MAX_WARM_UP_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** The most LIDs of one request. More are a mistake, as no chunk memory holds as many chunks. */
    private static final long MAX_RESERVATION = 1L << 31;

    private final Node node;
    private final Steps steps;
    private final ArcState state;
    private final Committer<ArcCommand, ArcResult> committer;
    private final Supplier<@Nullable Ring> ring;
    private final LongPredicate grownWithinMillis;

    /** Incarnations whose admission is being committed, by NID. */
    private final Map<Integer, Long> opening = new HashMap<>();

    private final Map<Integer, PeerStatistics> statistics = new HashMap<>();
    private final Leases leases;
    private final Loads loads;
    private final ZonePlanner zones;
    private Runnable onDeath = () -> {};

    /** Incarnations whose end is being committed, by NID. */
    private final Map<Integer, Long> ending = new HashMap<>();

    /** The length of leases that are granted now. */
    private long leaseNanos;

    private boolean changingLeases;
    private boolean serving;
    private boolean ended;

    /**
     * @param committer through which all changes of the state go
     * @param leases the lease table, still empty
     * @param ring gives the newest ring that is known here, null when there is none
     * @param grownWithinMillis whether a super-peer has come to the ring within so many milliseconds
     * @param loads how busy the storage peers are
     */
    public ArcService(
            Node node,
            ArcState state,
            Committer<ArcCommand, ArcResult> committer,
            Leases leases,
            ZonePlanner zones,
            Supplier<@Nullable Ring> ring,
            LongPredicate grownWithinMillis,
            Loads loads) {
        this.node = node;
        this.steps = new Steps(node.environment().scheduler(), "lease-length", BUSY_RETRY_NANOS);
        this.state = state;
        this.committer = committer;
        this.leases = leases;
        this.zones = zones;
        this.ring = ring;
        this.grownWithinMillis = grownWithinMillis;
        this.loads = loads;
    }

    /** Sets the action to run when a storage peer has been declared dead by a committed command. */
    public void onDeath(Runnable action) {
        onDeath = action;
    }

    /**
     * Starts to serve. Each lease of the previous leader counts as if it had been granted at a moment that has passed.
     *
     * @param grantedBeforeNanos no other super-peer has granted a lease after this moment
     */
    public void begin(long grantedBeforeNanos) {
        long recordedNanos = state.leaseNanos();
        leaseNanos = wantedLeaseNanos(recordedNanos);
        leases.use(leaseNanos);
        leases.begin(state.peers(), recordedNanos, grantedBeforeNanos, this::leaseExpired);
        if (leaseNanos > recordedNanos) {
            recordLeaseLength(leaseNanos, () -> serving = true);
            return;
        }
        serving = true;
        if (leaseNanos < recordedNanos) {
            recordShorter(recordedNanos);
        }
    }

    /**
     * Returns how long leases should be on the present ring. They stay long for a while after the ring has grown: a
     * super-peer that has just started is slow, and its ring may be large for the time of an update only (ADR 0379).
     *
     * @param formerNanos how long leases have been
     */
    private long wantedLeaseNanos(long formerNanos) {
        Ring current = ring.get();
        int superPeers = current == null ? 0 : current.members().size();
        long wantedNanos = node.config().leaseNanos(superPeers);
        long warmUpNanos = Math.min(WARM_UP_LEASES * formerNanos, MAX_WARM_UP_NANOS);
        boolean warmsUp = wantedNanos < formerNanos
                && SuperPeerConfig.canLoseOne(superPeers)
                && grownWithinMillis.test(TimeUnit.NANOSECONDS.toMillis(warmUpNanos));
        return warmsUp ? formerNanos : wantedNanos;
    }

    /** Grants longer or shorter leases when the ring has shrunk or grown (ADR 0121). */
    private void adjustLeases() {
        long wantedNanos = wantedLeaseNanos(leaseNanos);
        if (changingLeases || wantedNanos == leaseNanos) {
            return;
        }
        changingLeases = true;
        if (wantedNanos > leaseNanos) {
            recordLeaseLength(wantedNanos, () -> {
                leaseNanos = wantedNanos;
                leases.use(wantedNanos);
                changingLeases = false;
            });
        } else {
            long formerNanos = leaseNanos;
            leaseNanos = wantedNanos;
            leases.use(wantedNanos);
            recordShorter(formerNanos);
        }
    }

    /**
     * Commits the shorter length of leases when the last lease of the former length has ended. Until then a next leader
     * must wait for the former length.
     */
    private void recordShorter(long formerNanos) {
        changingLeases = true;
        long newNanos = leaseNanos;
        steps.after(
                new LeaseTerms(formerNanos).waitNanos(),
                () -> recordLeaseLength(newNanos, () -> {
                    changingLeases = false;
                    LOG.atInfo()
                            .addKeyValue("leaseMillis", TimeUnit.NANOSECONDS.toMillis(newNanos))
                            .log("leases are shorter now");
                }));
    }

    /** Commits the length of leases, and tries again until that succeeds. To commit it twice does no harm. */
    private void recordLeaseLength(long newNanos, Runnable then) {
        Runnable again = () -> recordLeaseLength(newNanos, then);
        steps.run(
                () -> {
                    if (ended) {
                        return;
                    }
                    Async.whenDone(committer.commit(new PeerCommand.SetLeaseLength(newNanos)), (result, failure) -> {
                        if (failure != null) {
                            steps.after(BUSY_RETRY_NANOS, again);
                        } else if (!ended) {
                            steps.run(then, again);
                        }
                    });
                },
                again);
    }

    /** Ends the service: it answers no request any more. */
    public void end() {
        serving = false;
        ended = true;
        leases.stop();
    }

    /** Whether this super-peer answers for the arc. */
    public boolean isServing() {
        return serving;
    }

    /** Whether a storage peer of the arc holds a lease. */
    public boolean isLive(int nid) {
        return leases.isLive(nid);
    }

    /** Returns whether this super-peer still serves the arc. If not, refuses the request. */
    public boolean answersFor(RpcRequest request) {
        if (!serving) {
            request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, "this super-peer does not lead the arc any more"));
        }
        return serving;
    }

    public void openLease(RpcRequest request, OpenLease open) {
        if (!Nid.isValid(open.nid())
                || Nid.role(open.nid()) != NodeRole.STORAGE_PEER
                || SlotGroup.isGroup(open.nid())
                || open.incarnation() == 0) {
            request.fail(ErrorCode.BAD_REQUEST, "a lease is for a storage peer's NID and an incarnation that is not 0");
            return;
        }
        if (isChanging(request, open.nid())) {
            return;
        }
        if (zones.isNotReady(request)) {
            return;
        }
        PeerRecord known = state.peer(open.nid());
        if (known != null && mayReplace(known, open)) {
            long remainingNanos = leases.remainingNanos(open.nid());
            if (remainingNanos > 0) {
                SuperPeerProbe.LEASE_WAITS_FOR_THE_FORMER.hit();
                request.fail(ErrorReply.retryLater(
                        remainingNanos,
                        "an earlier incarnation of this peer may still hold its lease, for at most "
                                + TimeUnit.NANOSECONDS.toMillis(remainingNanos) + " ms"));
                return;
            }
        }
        boolean goesOn = known != null
                && (known.incarnation() == open.incarnation()
                        || (known.parked() && known.dumpId() == open.resumeDump()));
        if (!goesOn && !zones.hasNumbersFor(open.nid(), 1)) {
            outOfZones(request, open.nid(), ErrorCode.BAD_REQUEST);
            return;
        }
        admit(request, open, known);
    }

    private static void outOfZones(RpcRequest request, int nid, ErrorCode code) {
        String message = ArcState.outOfZonesMessage(nid);
        LOG.atError().addKeyValue("nid", Nid.toHex(nid)).log("refused a storage peer: {}", message);
        request.fail(code, message);
    }

    /**
     * Returns whether an incarnation of a storage peer is being admitted or declared dead. If so, refuses the request.
     */
    private boolean isChanging(RpcRequest request, int nid) {
        boolean changing = opening.containsKey(nid) || ending.containsKey(nid);
        if (changing) {
            SuperPeerProbe.PEER_IS_CHANGING.hit();
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS,
                    "an incarnation of storage peer " + Nid.toHex(nid) + " is being admitted or declared dead"));
        }
        return changing;
    }

    /**
     * Whether this incarnation may replace the known one when the former's lease has ended. The state refuses all
     * others and says why.
     */
    private static boolean mayReplace(PeerRecord known, OpenLease open) {
        return known.diskId().equals(open.diskId())
                && known.incarnation() != open.incarnation()
                && known.fencedIncarnation() != open.incarnation();
    }

    private void admit(RpcRequest request, OpenLease open, @Nullable PeerRecord known) {
        opening.put(open.nid(), open.incarnation());
        ArcCommand command = new PeerCommand.OpenPeer(
                open.nid(),
                open.diskId(),
                open.incarnation(),
                open.name(),
                open.address(),
                open.httpAddress(),
                open.capacityBytes(),
                zones.blockOf(null),
                open.machine(),
                open.failureZone(),
                zones.plan(open.nid(), zones.blockOf(null), zones.blockOf(null)),
                open.resumeDump(),
                open.redisAddress());
        CompletableFuture<ArcResult> commit = committer.commit(command);
        // When the outcome of the command is unknown, this leader admits no other incarnation.
        Async.whenDone(commit, (result, failure) -> {
            if (failure == null || Answers.isRefusal(failure)) {
                opening.remove(open.nid());
            }
        });
        Answers.whenCommitted(request, commit, result -> {
            if (!answersFor(request)) {
                return;
            }
            switch (result) {
                case ArcResult.Done done -> {
                    if (known == null || known.incarnation() != open.incarnation()) {
                        statistics.remove(open.nid());
                    }
                    leases.grant(done.peer());
                    if (isChanging(request, open.nid())) {
                        return;
                    }
                    logAdmission(done.peer());
                    request.reply(new OpenLeaseReply(
                            leaseNanos,
                            done.peer().epoch(),
                            done.peer().firstLid(),
                            done.peer().lidLimit(),
                            zones.wantedIfKnown(open.nid()),
                            hasResumed(done.peer(), open),
                            rangesOf(done.peer(), done.peer().firstLid())));
                }
                case ArcResult.Refused refused -> {
                    LOG.atWarn()
                            .addKeyValue("nid", Nid.toHex(open.nid()))
                            .addKeyValue("address", open.address())
                            .log("refused a storage peer: {}", refused.message());
                    SuperPeerProbe.PEER_REFUSED_AS_ENDED.hitIf(refused.reason() == ArcResult.Reason.ENDED);
                    ErrorCode code = refused.reason() == ArcResult.Reason.ENDED
                            ? ErrorCode.INCARNATION_ENDED
                            : ErrorCode.BAD_REQUEST;
                    request.fail(code, refused.message());
                }
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    private static void logAdmission(PeerRecord peer) {
        LOG.atInfo()
                .addKeyValue("nid", Nid.toHex(peer.nid()))
                .addKeyValue("peer", peer.name())
                .addKeyValue("address", peer.address())
                .addKeyValue("epoch", peer.epoch())
                .addKeyValue("lostLidsBelow", peer.firstLid())
                .log("a storage peer has a lease");
    }

    /** Renews a lease. A majority must have confirmed that no other super-peer leads and waits for leases to end. */
    public void renewLease(RpcRequest request, RenewLease renew) {
        if (isChanging(request, renew.nid())) {
            return;
        }
        PeerRecord peer = present(request, renew.nid(), renew.incarnation());
        if (peer == null) {
            return;
        }
        if (peer.epoch() != renew.epoch() || !leases.renew(renew.nid(), renew.incarnation())) {
            unknownLease(request, renew.nid());
            return;
        }
        // To renew a lease is to look at all leases: this one may have been found expired just now.
        if (isChanging(request, renew.nid())) {
            return;
        }
        adjustLeases();
        statistics.put(renew.nid(), renew.statistics());
        Ring current = ring.get();
        request.reply(new RenewLeaseReply(
                leaseNanos,
                peer.lidLimit(),
                current == null ? 0 : current.epoch(),
                zones.wantedIfKnown(renew.nid()),
                state.zonesMark(renew.nid())));
    }

    public void reserveLids(RpcRequest request, ReserveLids reserve) {
        PeerRecord peer = present(request, reserve.nid(), reserve.incarnation());
        if (peer == null || zones.isNotReady(request)) {
            return;
        }
        if (reserve.wantedLimit() <= peer.lidLimit()) {
            request.reply(reserved(peer, reserve.knownLimit()));
            return;
        }
        long missing = reserve.wantedLimit() - peer.lidLimit();
        if (missing > MAX_RESERVATION || reserve.wantedLimit() > Cid.MAX_LID + 1) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "LIDs below " + reserve.wantedLimit() + " are wanted and " + peer.lidLimit()
                            + " are reserved: at most " + MAX_RESERVATION + " at once, and " + (Cid.MAX_LID + 1)
                            + " in all");
            return;
        }
        long block = zones.blockOf(peer);
        long blocks = (missing + block - 1) / block;
        long newLimit = Math.min(peer.lidLimit() + blocks * block, Cid.MAX_LID + 1);
        if (!zones.hasNumbersFor(reserve.nid(), blocks)) {
            outOfZones(request, reserve.nid(), ErrorCode.OUT_OF_MEMORY);
            return;
        }
        if (blocks > ZonePlanner.MAX_ZONES) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "the requested LIDs would need " + blocks + " more zones; at most " + ZonePlanner.MAX_ZONES
                            + " are made at once");
            return;
        }
        ArcCommand command = new PeerCommand.ReserveLids(
                reserve.nid(),
                reserve.incarnation(),
                peer.lidLimit(),
                newLimit,
                zones.plan(reserve.nid(), newLimit - peer.lidLimit(), block));
        Answers.whenCommitted(request, committer.commit(command), result -> {
            switch (result) {
                case ArcResult.Done done -> {
                    if (done.peer().lidLimit() < reserve.wantedLimit()) {
                        request.fail(ErrorReply.retryLater(
                                0,
                                "other LIDs were reserved meanwhile: up to "
                                        + done.peer().lidLimit()));
                    } else {
                        request.reply(reserved(done.peer(), reserve.knownLimit()));
                    }
                }
                case ArcResult.Refused refused -> {
                    ErrorCode code = refused.reason() == ArcResult.Reason.ZONES_EXHAUSTED
                            ? ErrorCode.OUT_OF_MEMORY
                            : ErrorCode.UNKNOWN_LEASE;
                    request.fail(code, refused.message());
                }
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    private ReserveLidsReply reserved(PeerRecord peer, long knownLimit) {
        long from = Math.clamp(knownLimit, peer.firstLid(), peer.lidLimit());
        return new ReserveLidsReply(peer.lidLimit(), zones.wantedIfKnown(peer.nid()), rangesOf(peer, from));
    }

    /** Returns the ranges of a peer's reserved LIDs from {@code fromLid} on that the peer owns, cut at both ends. */
    private List<CidRange> rangesOf(PeerRecord peer, long fromLid) {
        if (fromLid >= peer.lidLimit()) {
            return List.of();
        }
        long first = Cid.of(peer.nid(), fromLid);
        long last = Cid.of(peer.nid(), peer.lidLimit() - 1);
        return state.rangesIn(first, last).stream()
                .filter(range -> range.placement().owner() == peer.nid())
                .map(range -> new CidRange(
                        Math.max(first, range.startCid()), Math.min(last, range.endCidInclusive()), range.placement()))
                .toList();
    }

    /**
     * Reacts to the end of a lease. If other storage peers have copies of what the incarnation owned, commits that the
     * incarnation has ended, so that they take its place (SAFETY rule "two arcs for one range"). Until the outcome of
     * that command is known, the incarnation gets no lease. Without such copies the incarnation may go on when it comes
     * back.
     *
     * <p>The arcs of other creators are not asked whether their chunks have copies: where copies are kept, they have.
     * So a storage peer that owns only such chunks, as after a drain, is replaced, too.
     */
    void leaseExpired(int nid, long incarnation) {
        PeerRecord peer = state.peer(nid);
        if (!serving
                || peer == null
                || peer.incarnation() != incarnation
                || peer.closed()
                || peer.parked()
                || opening.containsKey(nid)
                || leases.isLive(nid)) {
            return;
        }
        boolean replaceable = state.hasCopies(nid);
        if (!replaceable && !state.ownsItsOwn(peer)) {
            int wanted = zones.wantedIfKnown(nid);
            if (wanted == WantedCopies.UNKNOWN) {
                steps.after(CATALOG_NANOS, () -> leaseExpired(nid, incarnation));
                return;
            }
            replaceable = wanted > 0;
        }
        if (!replaceable || ending.putIfAbsent(nid, incarnation) != null) {
            return;
        }
        Async.whenDone(committer.commit(new PeerCommand.CloseLease(nid, incarnation)), (result, failure) -> {
            if (failure == null || Answers.isRefusal(failure)) {
                ending.remove(nid);
            }
            if (result instanceof ArcResult.Done done) {
                leases.close(done.peer());
                LOG.atWarn()
                        .addKeyValue("nid", Nid.toHex(nid))
                        .addKeyValue("epoch", done.peer().epoch())
                        .log("a storage peer is declared dead; storage peers with copies take its place");
                SuperPeerProbe.PEER_DECLARED_DEAD.hit();
                onDeath.run();
            }
        });
    }

    public void closeLease(RpcRequest request, CloseLease close) {
        ArcCommand command = new PeerCommand.CloseLease(close.nid(), close.incarnation());
        Answers.whenCommitted(request, committer.commit(command), result -> {
            switch (result) {
                case ArcResult.Done done -> {
                    leases.close(done.peer());
                    LOG.atInfo()
                            .addKeyValue("nid", Nid.toHex(close.nid()))
                            .log("a storage peer has given its lease back");
                    request.reply(new Empty());
                }
                case ArcResult.Refused refused -> request.fail(ErrorCode.UNKNOWN_LEASE, refused.message());
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    /** Commits that a storage peer is parked: its lease is over, but nobody takes its place (ADR 0120). */
    public void parkPeer(RpcRequest request, ParkPeer park) {
        if (park.dumpId() == 0) {
            request.fail(ErrorCode.BAD_REQUEST, "a dump cannot have the number 0");
            return;
        }
        ArcCommand command = new PeerCommand.Park(park.nid(), park.incarnation(), park.dumpId());
        Answers.whenCommitted(request, committer.commit(command), result -> {
            switch (result) {
                case ArcResult.Done done -> {
                    leases.close(done.peer());
                    LOG.atInfo()
                            .addKeyValue("nid", Nid.toHex(park.nid()))
                            .log("a storage peer is parked: its chunks wait for it");
                    request.reply(new Empty());
                }
                case ArcResult.Refused refused -> request.fail(ErrorCode.UNKNOWN_LEASE, refused.message());
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    /** Forgets the lease of an incarnation that a committed command has ended. */
    public void hasEnded(PeerRecord peer) {
        leases.close(peer);
    }

    /** Gives up a parked storage peer: it counts as dead from now on. */
    public void unparkPeer(RpcRequest request, UnparkPeer unpark) {
        PeerRecord peer = state.peer(unpark.nid());
        if (peer == null || !peer.parked()) {
            request.fail(ErrorCode.BAD_REQUEST, "storage peer " + Nid.toHex(unpark.nid()) + " is not parked");
            return;
        }
        closeLease(request, new CloseLease(unpark.nid(), peer.incarnation()));
    }

    /** Whether the admitted incarnation has resumed a parked one, with this request or an earlier one. */
    private static boolean hasResumed(PeerRecord admitted, OpenLease open) {
        return open.resumeDump() != 0 && admitted.dumpId() == open.resumeDump();
    }

    /** Returns the storage peers of this arc, by NID. */
    public List<PeerInfo> peerInfos() {
        Map<Integer, Long> ranges = state.rangesByOwner();
        return state.peers().stream()
                .map(peer -> infoOf(peer, ranges.getOrDefault(peer.nid(), 0L)))
                .toList();
    }

    /**
     * Returns the same as {@link #peerInfos} without numbers of ranges, for which all ranges would have to be counted.
     */
    public List<PeerInfo> peersUncounted() {
        return state.peers().stream().map(peer -> infoOf(peer, 0)).toList();
    }

    /** Returns a storage peer of this arc, without its number of ranges; null when the arc has none with this NID. */
    @Nullable
    public PeerInfo peerInfo(int nid) {
        PeerRecord peer = state.peer(nid);
        return peer == null ? null : infoOf(peer, 0);
    }

    private PeerInfo infoOf(PeerRecord peer, long ranges) {
        PeerStatistics reported =
                statistics.getOrDefault(peer.nid(), new PeerStatistics(0, 0, 0, 0, peer.capacityBytes(), 0, 0));
        return new PeerInfo(
                peer.nid(),
                peer.name(),
                peer.address(),
                peer.httpAddress(),
                leases.isLive(peer.nid()),
                leases.remainingForPeopleNanos(peer.nid()),
                peer.epoch(),
                peer.firstLid(),
                ranges,
                state.drainOf(peer.nid()),
                loads.usesPerSecond(peer.nid()),
                reported,
                peer.closed() ? peer.epoch() : peer.epoch() - 1,
                peer.machine(),
                peer.failureZone(),
                peer.parked(),
                peer.redisAddress());
    }

    /** Returns the peer if {@code incarnation} is its present one. If not, refuses the request and returns null. */
    private @Nullable PeerRecord present(RpcRequest request, int nid, long incarnation) {
        PeerRecord peer = state.peer(nid);
        if (peer == null || peer.incarnation() != incarnation || peer.closed() || peer.parked()) {
            unknownLease(request, nid);
            return null;
        }
        return peer;
    }

    private static void unknownLease(RpcRequest request, int nid) {
        request.fail(ErrorCode.UNKNOWN_LEASE, "storage peer " + Nid.toHex(nid) + " has no lease for this incarnation");
    }
}
