package dev.granary.client.internal;

import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.probe.ClientProbe;
import dev.granary.client.view.ClusterView;
import dev.granary.env.Futures;
import dev.granary.net.cluster.Inquiry;
import dev.granary.net.cluster.Inquiry.Rules;
import dev.granary.net.cluster.NodeCalls;
import dev.granary.net.cluster.Refusals;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.tree.RangeCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a client knows of its cluster: the ring, the storage peers, and the owners of ranges. All of it is a cache that
 * may be old. Nodes then say so, and the client fetches it again. Thread-safe.
 */
public final class ClusterDirectory {

    /** The owner of a chunk and its address. */
    record Owner(int nid, HostAddress address) {}

    private static final int MAX_CACHED_RANGES = 1 << 20;

    /** The time after which a super-peer counts as silent, and the client asks another one. */
    static final long SILENCE_NANOS = 300_000_000;

    /**
     * The time after which a second super-peer is asked as well where that costs little: for the ring and for lookups.
     */
    static final long HEDGE_NANOS = 100_000_000;

    /**
     * How many fetches of the ring, or of the whole view, are allowed at once. Later ones are a period apart. The
     * client fetches the ring while calls fail.
     */
    private static final int FETCHES_AT_ONCE = 2;

    private static final long RING_PERIOD_NANOS = 400_000_000;

    /** The period of fetches of the whole view. Each asks all super-peers, so the period grows with their number. */
    private static final long VIEW_PERIOD_NANOS = 1_000_000_000;

    private static final long VIEW_PERIOD_PER_MEMBER_NANOS = 50_000_000;

    /** The age at which the next creation of a chunk fetches the view again. */
    static final long OLD_VIEW_NANOS = 30_000_000_000L;

    private final RpcClient rpc;
    private final NodeCalls calls;
    private final Retry.Context context;
    private final ViewFetcher fetcher;
    private final PeerQuestions questions;
    private final Allowance ringFetches;
    private final Allowance viewFetches;
    private final Allowance oldViews;
    private final RangeCache ranges = new RangeCache(MAX_CACHED_RANGES);
    private final ConcurrentHashMap<Integer, HostAddress> addresses = new ConcurrentHashMap<>();
    private final SingleFlight<Boolean, ClusterView> refreshes = new SingleFlight<>();
    private final SingleFlight<Boolean, Ring> ringFlights = new SingleFlight<>();
    private final SingleFlight<Long, LookupReply> lookups = new SingleFlight<>();
    private volatile @Nullable ClusterView view;

    private final OwnerWatch watch;
    private final LostSuperPeers lostSuperPeers;

    /** @param clientId a different one for each client */
    ClusterDirectory(
            RpcClient rpc, RpcIdentity identity, List<HostAddress> seeds, Retry.Context context, long clientId) {
        this.rpc = rpc;
        this.calls = NodeCalls.atOnce(rpc, context.scheduler());
        this.context = context;
        this.fetcher = new ViewFetcher(rpc, calls, identity, seeds, (int) clientId);
        this.questions = new PeerQuestions(context.clock(), clientId);
        this.ringFetches = new Allowance(FETCHES_AT_ONCE, clientId);
        this.viewFetches = new Allowance(FETCHES_AT_ONCE, clientId);
        this.oldViews = new Allowance(1, clientId);
        this.watch = new OwnerWatch(
                question -> askSuperPeer(
                        Cid.nid(question.cid()),
                        MessageType.AWAIT_OWNER,
                        question,
                        SILENCE_NANOS + OwnerWatch.WAIT_NANOS),
                this::remember,
                context.clock());
        this.lostSuperPeers = new LostSuperPeers(context, new KnownRing(), clientId);
        rpc.onLoss(this::lost);
    }

    /**
     * Forgets the address of a lost connection, so that later calls do not try it in vain. Pods come back at other
     * addresses.
     */
    private void lost(HostAddress address, int nid) {
        addresses.remove(nid, address);
        lostSuperPeers.lost(nid, address);
    }

    private final class KnownRing implements LostSuperPeers.Ringside {

        @Override
        public List<RingMember> members() {
            ClusterView known = view;
            return known == null ? List.of() : known.ring().members();
        }

        @Override
        public void fetch() {
            var _ = ringFlights.run(Boolean.TRUE, () -> ringNow(context.attemptTimeoutNanos()));
        }

        @Override
        public CompletableFuture<?> reach(int nid, HostAddress address) {
            return rpc.callUnlessRefused(address, nid, MessageType.GET_RING, new Empty(), SILENCE_NANOS);
        }
    }

    /** Returns the last known view. Fetches it when none is known. */
    CompletableFuture<ClusterView> view(long timeoutNanos) {
        ClusterView known = view;
        return known != null ? CompletableFuture.completedFuture(known) : refresh(timeoutNanos);
    }

    /** Fetches the view. Callers that ask meanwhile share the answer. */
    public CompletableFuture<ClusterView> refresh(long timeoutNanos) {
        return refreshes.run(
                Boolean.TRUE, () -> fetcher.view(view, timeoutNanos).thenApply(fetched -> {
                    oldViews.take(context.clock().nanoTime(), OLD_VIEW_NANOS);
                    fetched.peers().forEach(peer -> addresses.put(peer.nid(), peer.address()));
                    return see(fetched);
                }));
    }

    private synchronized ClusterView see(ClusterView fetched) {
        view = fetched;
        return fetched;
    }

    /**
     * Returns the view. Fetches it again unless it did so a moment ago, because each fetch asks all super-peers, and
     * all clients may have the same reason for it (ADR 0163).
     */
    CompletableFuture<ClusterView> refreshRarely(long timeoutNanos) {
        ClusterView known = view;
        int members = known == null ? 0 : known.ring().members().size();
        long periodNanos = Math.max(VIEW_PERIOD_NANOS, members * VIEW_PERIOD_PER_MEMBER_NANOS);
        return known != null && !viewFetches.take(context.clock().nanoTime(), periodNanos)
                ? CompletableFuture.completedFuture(known)
                : refresh(timeoutNanos);
    }

    /**
     * Returns the known view. When it is older than {@link #OLD_VIEW_NANOS}, also starts to fetch the next one, so that
     * clients see storage peers that have joined or come back.
     */
    CompletableFuture<ClusterView> viewForCreates(long timeoutNanos) {
        ClusterView known = view;
        if (known != null && oldViews.take(context.clock().nanoTime(), OLD_VIEW_NANOS)) {
            var _ = refresh(timeoutNanos);
        }
        return view(timeoutNanos);
    }

    /** Fetches only the ring, from one super-peer, unless it did so a moment ago. */
    private CompletableFuture<?> refreshRing(long timeoutNanos) {
        ClusterView known = view;
        if (known != null && !ringFetches.take(context.clock().nanoTime(), RING_PERIOD_NANOS)) {
            return CompletableFuture.completedFuture(known);
        }
        return ringFlights.run(Boolean.TRUE, () -> ringNow(timeoutNanos));
    }

    public CompletableFuture<Ring> ringNow(long timeoutNanos) {
        return fetcher.ring(view, timeoutNanos).thenApply(this::see);
    }

    private synchronized Ring see(Ring ring) {
        ClusterView known = view;
        if (known != null) {
            view = new ClusterView(ring, known.peers());
        }
        return ring;
    }

    /** Returns the owner of a chunk if it is in the cache, otherwise null. Allocates only the answer. */
    @Nullable
    Owner cachedOwner(long cid) {
        int nid = ranges.ownerOf(cid);
        if (nid == Nid.NONE) {
            return null;
        }
        HostAddress address = addresses.get(nid);
        return address == null ? null : new Owner(nid, address);
    }

    /** Returns the owner of a chunk, from the cache or from the responsible super-peer. */
    CompletableFuture<Owner> owner(long cid, long timeoutNanos) {
        Owner cached = cachedOwner(cid);
        return cached != null ? CompletableFuture.completedFuture(cached) : lookup(cid, timeoutNanos);
    }

    private CompletableFuture<Owner> lookup(long cid, long timeoutNanos) {
        return rangeOf(cid, timeoutNanos).handle((reply, failure) -> {
            if (reply != null) {
                return learn(cid, reply);
            }
            Throwable cause = Futures.causeOf(failure);
            throw isNotFound(cause) ? new ChunkNotFoundException(cid) : new CompletionException(cause);
        });
    }

    private static boolean isNotFound(Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.reply().code() == ErrorCode.NOT_FOUND;
    }

    /**
     * Looks up the range of a chunk. When many operations at once look up chunks of a range whose owner could not be
     * reached, one lookup serves all of them.
     */
    private CompletableFuture<LookupReply> rangeOf(long cid, long timeoutNanos) {
        CidRange doubted = watch.doubtedRange(cid);
        if (doubted == null) {
            return askForRange(cid, timeoutNanos);
        }
        // The answer for another chunk need not hold for this one: the range may have been split.
        return lookups.run(doubted.startCid(), () -> askForRange(cid, timeoutNanos))
                .thenCompose(reply -> reply.range().contains(cid)
                        ? CompletableFuture.completedFuture(reply)
                        : askForRange(cid, timeoutNanos))
                .exceptionallyCompose(failure -> isNotFound(Futures.causeOf(failure))
                        ? askForRange(cid, timeoutNanos)
                        : CompletableFuture.failedFuture(Futures.causeOf(failure)));
    }

    private CompletableFuture<LookupReply> askForRange(long cid, long timeoutNanos) {
        return askSuperPeer(Cid.nid(cid), MessageType.LOOKUP, new Lookup(cid), timeoutNanos);
    }

    /**
     * Asks the super-peer that answers for a place on the ring, or the next two, which stand in for it, when it is
     * silent. Follows redirects to the super-peer that answers.
     */
    public <Q extends Message, R extends Message> CompletableFuture<R> askSuperPeer(
            int place, MessageType<Q, R> type, Q request, long timeoutNanos) {
        return askSuperPeerAnew(place, type, () -> request, timeoutNanos);
    }

    /** Does the same with a new request for each attempt. */
    <Q extends Message, R extends Message> CompletableFuture<R> askSuperPeerAnew(
            int place, MessageType<Q, R> type, Supplier<Q> request, long timeoutNanos) {
        return view(timeoutNanos)
                .thenCompose(known -> askHolders(known.ring().holdersOf(place), type, request, timeoutNanos));
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> askHolders(
            List<RingMember> holders, MessageType<Q, R> type, Supplier<Q> request, long timeoutNanos) {
        long silenceNanos = type.equals(MessageType.LOOKUP) ? HEDGE_NANOS : SILENCE_NANOS;
        Rules rules =
                new Rules(Math.min(timeoutNanos, SILENCE_NANOS), timeoutNanos, silenceNanos, 1, Refusals::isAnswer);
        return inquire(holders, type, request, rules)
                .exceptionallyCompose(failure -> afterFailedCall(Futures.causeOf(failure), timeoutNanos));
    }

    /** Sends a request to super-peers in the given order, until one answers. */
    public <Q extends Message, R extends Message> CompletableFuture<R> inquire(
            List<RingMember> members, MessageType<Q, R> type, Supplier<Q> request, Rules rules) {
        return Inquiry.future(calls, type, request, Target.of(members), rules, (number, named) -> {
            ClientProbe.OTHER_SUPER_PEER_ASKED.hitIf(number > 0 && !named);
            ClientProbe.REFERRED.hitIf(named);
        });
    }

    private Owner learn(long cid, LookupReply reply) {
        remember(reply);
        if (!reply.range().placement().isServed()) {
            if (reply.range().placement().state() == PlacementState.LOST) {
                throw new ChunkLostException(cid, new LostRangeException(reply.range()));
            }
            ClientProbe.OWNER_DOUBTED.hit();
            watch.doubt(reply.range());
            throw new Retry.AgainException("no storage peer serves chunk " + Cid.toHex(cid) + " at the moment");
        }
        return new Owner(reply.range().placement().owner(), reply.ownerAddress());
    }

    private void remember(LookupReply reply) {
        if (reply.range().placement().isServed()) {
            addresses.put(reply.range().placement().owner(), reply.ownerAddress());
        }
        ranges.put(reply.range());
    }

    /**
     * Takes over the ranges that a storage peer without the chunks has named. Ranges that are known with a higher epoch
     * stay.
     */
    void learnMoved(List<CidRange> moved) {
        moved.forEach(ranges::put);
    }

    private <R> CompletableFuture<R> afterFailedCall(Throwable failure, long timeoutNanos) {
        if (failure instanceof RemoteErrorException remote && !remote.reply().isRetryable()) {
            return CompletableFuture.failedFuture(failure);
        }
        // The ring may have changed or the super-peer moved: fetch the ring, so that the next attempt asks the right
        // one.
        return refreshRing(timeoutNanos).handle((_, _) -> {
            throw new CompletionException(failure);
        });
    }

    /** Returns the address of a storage peer. Fetches it when it is not known. */
    CompletableFuture<HostAddress> addressOf(int nid, long timeoutNanos) {
        HostAddress known = addresses.get(nid);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return peerAnew(nid, timeoutNanos).thenApply(PeerInfo::address);
    }

    /** Returns what the super-peers say of a storage peer. Fetches it when it is not known. */
    CompletableFuture<PeerInfo> peer(int nid, long timeoutNanos) {
        ClusterView known = view;
        Optional<PeerInfo> peer = known == null ? Optional.empty() : known.peer(nid);
        return peer.isPresent() ? CompletableFuture.completedFuture(peer.get()) : peerAnew(nid, timeoutNanos);
    }

    /**
     * Asks the arc of a storage peer about the peer, unless it did so a moment ago. All operations use the answer from
     * then on.
     */
    CompletableFuture<PeerInfo> peerAnew(int nid, long timeoutNanos) {
        return questions
                .ask(nid, () -> askSuperPeer(nid, MessageType.ASK_PEER, new AskPeer(nid), timeoutNanos)
                        .thenApply(this::see))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(unknownPeer(nid, failure)));
    }

    private synchronized PeerInfo see(PeerInfo peer) {
        ClusterView known = view;
        addresses.put(peer.nid(), peer.address());
        boolean isLater = known != null
                && known.peer(peer.nid())
                        .filter(each -> each.epoch() > peer.epoch())
                        .isEmpty();
        if (known != null && isLater) {
            List<PeerInfo> peers = new ArrayList<>(known.peers());
            peers.removeIf(each -> each.nid() == peer.nid());
            peers.add(peer);
            view = new ClusterView(known.ring(), peers);
        }
        return peer;
    }

    /** Asks a storage peer itself. If it does not answer, fetches its address again for the next attempt. */
    public <Q extends Message, R extends Message> CompletableFuture<R> askStoragePeer(
            int nid, MessageType<Q, R> type, Q request, long timeoutNanos) {
        return addressOf(nid, timeoutNanos)
                .thenCompose(address -> rpc.call(address, nid, type, request, timeoutNanos))
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        suspectAddress(nid);
                    }
                });
    }

    private static Throwable unknownPeer(int nid, Throwable failure) {
        Throwable cause = Futures.causeOf(failure);
        return isNotFound(cause)
                ? new InvalidRequestException(
                        "there is no storage peer " + Nid.toHex(nid) + "; 'granary status' lists those that there are")
                : cause;
    }

    /** Lets the next attempt fetch the address of a peer that did not answer there. */
    void suspectAddress(int nid) {
        addresses.remove(nid);
    }

    /** Lets the next attempt look up a chunk again, because its peer did not answer as expected. */
    void suspect(long cid) {
        ranges.find(cid).ifPresent(watch::doubt);
        ranges.invalidate(cid);
    }

    /** Returns the question whether a chunk whose owner could not be reached has another owner. */
    Retry.News newsOf(long cid) {
        return () -> watch.news(cid);
    }

    public Retry.Context context() {
        return context;
    }
}
