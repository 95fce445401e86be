package dev.granary.client;

import dev.granary.net.message.AskPeer;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.Lookup;
import dev.granary.net.message.LookupReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.PeerInfo;
import dev.granary.net.message.PeerList;
import dev.granary.net.message.ResizeRing;
import dev.granary.net.message.StatusText;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.RangeCache;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a client knows of its cluster: the ring, the storage peers, and which peer owns which range. Knowledge is a
 * cache: it may be old, the nodes say so, and then it is fetched again. Thread-safe.
 */
final class ClusterDirectory {

    /** Where a chunk is to be found. */
    record Owner(int nid, HostAddress address) {}

    private static final int MAX_CACHED_RANGES = 1 << 20;

    /** A super-peer that takes longer is taken for silent, and another one is asked. */
    static final long SILENCE_NANOS = 300_000_000;

    private final RpcClient rpc;
    private final RpcIdentity identity;
    private final List<HostAddress> seeds;
    private final Retry.Context context;
    private final RangeCache ranges = new RangeCache(MAX_CACHED_RANGES);
    private final ConcurrentHashMap<Integer, HostAddress> addresses = new ConcurrentHashMap<>();
    private final SingleFlight<Boolean, ClusterView> refreshes = new SingleFlight<>();
    private final SingleFlight<Long, LookupReply> lookups = new SingleFlight<>();
    private volatile @Nullable ClusterView view;

    private final OwnerWatch watch = new OwnerWatch(
            question -> askSuperPeer(
                    Cid.nid(question.cid()), MessageType.AWAIT_OWNER, question, SILENCE_NANOS + OwnerWatch.WAIT_NANOS),
            this::remember);

    ClusterDirectory(RpcClient rpc, RpcIdentity identity, List<HostAddress> seeds, Retry.Context context) {
        this.rpc = rpc;
        this.identity = identity;
        this.seeds = seeds;
        this.context = context;
    }

    /** The last known view; fetched when there is none. */
    CompletableFuture<ClusterView> view(long timeoutNanos) {
        ClusterView known = view;
        return known != null ? CompletableFuture.completedFuture(known) : refresh(timeoutNanos);
    }

    /** Fetches the view; callers that ask while it is being fetched share the answer. */
    CompletableFuture<ClusterView> refresh(long timeoutNanos) {
        return refreshes.run(Boolean.TRUE, () -> fetchRing(new ArrayList<>(candidates()), 0, timeoutNanos)
                .thenCompose(ring -> fetchPeers(ring, timeoutNanos))
                .thenApply(fetched -> {
                    view = fetched;
                    return fetched;
                }));
    }

    private Set<HostAddress> candidates() {
        Set<HostAddress> candidates = new LinkedHashSet<>();
        ClusterView known = view;
        if (known != null) {
            known.ring().members().forEach(member -> candidates.add(member.address()));
        }
        candidates.addAll(seeds);
        return candidates;
    }

    /** Asks one super-peer after the other: the first that answers decides. */
    private CompletableFuture<Ring> fetchRing(List<HostAddress> candidates, int index, long timeoutNanos) {
        return rpc.call(candidates.get(index), Nid.NONE, MessageType.GET_RING, new Empty(), timeoutNanos)
                .thenApply(reply -> {
                    identity.joinCluster(reply.ring().clusterId());
                    return reply.ring();
                })
                .exceptionallyCompose(failure -> index + 1 < candidates.size()
                        ? fetchRing(candidates, index + 1, timeoutNanos)
                        : CompletableFuture.failedFuture(Retry.unwrap(failure)));
    }

    /** Asks every super-peer for the peers of the arcs that it serves; what nobody tells now is kept from before. */
    private CompletableFuture<ClusterView> fetchPeers(Ring ring, long timeoutNanos) {
        List<CompletableFuture<PeerList>> lists = new ArrayList<>();
        long limitNanos = ring.members().size() == 1 ? timeoutNanos : Math.min(timeoutNanos, SILENCE_NANOS);
        for (RingMember member : ring.members()) {
            lists.add(rpc.call(member.address(), member.nid(), MessageType.LIST_PEERS, new Empty(), limitNanos)
                    .exceptionally(failure -> new PeerList(0, List.of(), List.of(), List.of())));
        }
        return CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new)).thenApply(_ -> {
            TreeMap<Integer, PeerInfo> peers = new TreeMap<>();
            Set<Integer> unserved = ConcurrentHashMap.newKeySet();
            ring.members().forEach(member -> unserved.add(member.nid()));
            for (CompletableFuture<PeerList> list : lists) {
                // Of another ring the arcs are other ones: what is missing in it may be in the next one's.
                if (list.join().ringEpoch() == ring.epoch()) {
                    unserved.removeAll(list.join().arcs());
                }
                list.join().peers().forEach(peer -> peers.merge(peer.nid(), peer, (a, b) -> a.live() ? a : b));
            }
            knownPeersOf(ring, unserved).forEach(peer -> peers.putIfAbsent(peer.nid(), peer));
            peers.values().forEach(peer -> addresses.put(peer.nid(), peer.address()));
            return new ClusterView(ring, List.copyOf(peers.values()));
        });
    }

    private List<PeerInfo> knownPeersOf(Ring ring, Set<Integer> arcs) {
        ClusterView known = view;
        return known == null
                ? List.of()
                : known.peers().stream()
                        .filter(peer -> arcs.contains(ring.ownerOf(peer.nid()).nid()))
                        .toList();
    }

    /** Where a chunk is, if that is known; allocates nothing but the answer. */
    @Nullable
    Owner cachedOwner(long cid) {
        int nid = ranges.ownerOf(cid);
        if (nid == Nid.NONE) {
            return null;
        }
        HostAddress address = addresses.get(nid);
        return address == null ? null : new Owner(nid, address);
    }

    /** Where a chunk is: from the cache, or from the super-peer that is responsible for it. */
    CompletableFuture<Owner> owner(long cid, long timeoutNanos) {
        Owner cached = cachedOwner(cid);
        return cached != null ? CompletableFuture.completedFuture(cached) : lookup(cid, timeoutNanos);
    }

    private CompletableFuture<Owner> lookup(long cid, long timeoutNanos) {
        return rangeOf(cid, timeoutNanos).handle((reply, failure) -> {
            if (reply != null) {
                return learn(cid, reply);
            }
            Throwable cause = Retry.unwrap(failure);
            throw isNotFound(cause) ? new ChunkNotFoundException(cid) : new CompletionException(cause);
        });
    }

    private static boolean isNotFound(Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.reply().code() == ErrorCode.NOT_FOUND;
    }

    /** Of a range whose owner could not be reached many chunks may be looked up at once: one of them is, for all. */
    private CompletableFuture<LookupReply> rangeOf(long cid, long timeoutNanos) {
        CidRange doubted = watch.doubtedRange(cid);
        if (doubted == null) {
            return askForRange(cid, timeoutNanos);
        }
        // What is true of the chunk that was asked for need not be of this one: the range may have been split.
        return lookups.run(doubted.startCid(), () -> askForRange(cid, timeoutNanos))
                .thenCompose(reply -> reply.range().contains(cid)
                        ? CompletableFuture.completedFuture(reply)
                        : askForRange(cid, timeoutNanos))
                .exceptionallyCompose(failure -> isNotFound(Retry.unwrap(failure))
                        ? askForRange(cid, timeoutNanos)
                        : CompletableFuture.failedFuture(Retry.unwrap(failure)));
    }

    private CompletableFuture<LookupReply> askForRange(long cid, long timeoutNanos) {
        return askSuperPeer(Cid.nid(cid), MessageType.LOOKUP, new Lookup(cid), timeoutNanos);
    }

    /**
     * Asks the super-peer that answers for a place on the ring; when it is silent the next two, which stand in for it. One
     * that does not answer itself names the one that does.
     */
    <Q extends Message, R extends Message> CompletableFuture<R> askSuperPeer(
            int place, MessageType<Q, R> type, Q request, long timeoutNanos) {
        return askSuperPeerAnew(place, type, () -> request, timeoutNanos);
    }

    /** The same with a request that is made anew each time that it is sent. */
    <Q extends Message, R extends Message> CompletableFuture<R> askSuperPeerAnew(
            int place, MessageType<Q, R> type, Supplier<Q> request, long timeoutNanos) {
        return view(timeoutNanos)
                .thenCompose(known -> askHolder(known.ring().holdersOf(place), 0, type, request, timeoutNanos));
    }

    /** The status of the cluster from any super-peer, which may wait for others that are silent. */
    CompletableFuture<StatusText> status(long timeoutNanos) {
        return refresh(timeoutNanos).thenCompose(fresh -> askAny(fresh.ring().members(), 0, timeoutNanos));
    }

    /** The plans of moves that the super-peers have, each with those of the arcs that it serves. */
    CompletableFuture<List<String>> plans(long timeoutNanos) {
        return refresh(timeoutNanos).thenCompose(fresh -> {
            List<CompletableFuture<String>> lists = new ArrayList<>();
            for (RingMember member : fresh.ring().members()) {
                lists.add(rpc.call(member.address(), member.nid(), MessageType.LIST_PLANS, new Empty(), timeoutNanos)
                        .thenApply(StatusText::json)
                        .exceptionally(failure -> "{}"));
            }
            return CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new))
                    .thenApply(_ -> lists.stream().map(CompletableFuture::join).toList());
        });
    }

    /** Says how many super-peers the ring is to have; any super-peer knows who leads the ring. */
    CompletableFuture<Empty> resizeRing(int size, long timeoutNanos) {
        return refresh(timeoutNanos)
                .thenCompose(fresh -> askLeader(fresh.ring().members(), 0, new ResizeRing(size), timeoutNanos));
    }

    private CompletableFuture<Empty> askLeader(
            List<RingMember> members, int index, ResizeRing request, long timeoutNanos) {
        RingMember member = members.get(index);
        return rpc.call(member.address(), member.nid(), MessageType.RESIZE_RING, request, timeoutNanos)
                .exceptionallyCompose(failure ->
                        askReferred(Retry.unwrap(failure), MessageType.RESIZE_RING, () -> request, timeoutNanos))
                .exceptionallyCompose(failure -> {
                    Throwable cause = Retry.unwrap(failure);
                    return index + 1 == members.size() || isAnswer(cause)
                            ? CompletableFuture.failedFuture(cause)
                            : askLeader(members, index + 1, request, timeoutNanos);
                });
    }

    /** Whether it was the one who was asked that refused, and neither another one at its address nor one that is ending. */
    private static boolean isAnswer(Throwable failure) {
        return failure instanceof RemoteErrorException remote
                && remote.reply().code() != ErrorCode.SHUTTING_DOWN
                && remote.reply().code() != ErrorCode.WRONG_NODE;
    }

    private CompletableFuture<StatusText> askAny(List<RingMember> members, int index, long timeoutNanos) {
        RingMember member = members.get(index);
        return rpc.call(member.address(), member.nid(), MessageType.CLUSTER_STATUS, new Empty(), timeoutNanos)
                .exceptionallyCompose(failure -> index + 1 < members.size()
                        ? askAny(members, index + 1, timeoutNanos)
                        : CompletableFuture.failedFuture(Retry.unwrap(failure)));
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> askHolder(
            List<RingMember> holders, int index, MessageType<Q, R> type, Supplier<Q> request, long timeoutNanos) {
        RingMember holder = holders.get(index);
        boolean last = index + 1 == holders.size();
        long limitNanos = last ? timeoutNanos : Math.min(timeoutNanos, SILENCE_NANOS);
        // While there is another one to ask, a connection that was refused a moment ago is not waited for.
        CompletableFuture<R> answer = last
                ? rpc.call(holder.address(), holder.nid(), type, request.get(), limitNanos)
                : rpc.callUnlessRefused(holder.address(), holder.nid(), type, request.get(), limitNanos);
        return answer.exceptionallyCompose(failure -> askReferred(Retry.unwrap(failure), type, request, timeoutNanos))
                .exceptionallyCompose(failure -> {
                    Throwable cause = Retry.unwrap(failure);
                    return isAnswer(cause) || last
                            ? afterFailedCall(cause, timeoutNanos)
                            : askHolder(holders, index + 1, type, request, timeoutNanos);
                });
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> askReferred(
            Throwable failure, MessageType<Q, R> type, Supplier<Q> request, long timeoutNanos) {
        HostAddress redirect =
                failure instanceof RemoteErrorException remote && remote.reply().code() == ErrorCode.REDIRECT
                        ? remote.reply().redirect()
                        : null;
        return redirect == null
                ? CompletableFuture.failedFuture(failure)
                : rpc.call(redirect, Nid.NONE, type, request.get(), Math.min(timeoutNanos, SILENCE_NANOS));
    }

    private Owner learn(long cid, LookupReply reply) {
        remember(reply);
        if (!reply.range().placement().isServed()) {
            if (reply.range().placement().state() == PlacementState.LOST) {
                throw new ChunkLostException(cid, reply.range());
            }
            watch.doubt(reply.range());
            throw new Retry.AgainException("nobody serves the chunk at the moment");
        }
        return new Owner(reply.range().placement().owner(), reply.ownerAddress());
    }

    private void remember(LookupReply reply) {
        if (reply.range().placement().isServed()) {
            addresses.put(reply.range().placement().owner(), reply.ownerAddress());
        }
        ranges.put(reply.range());
    }

    /** A peer that is no owner has said who is; what is known with a higher epoch stays. */
    void learnMoved(List<CidRange> moved) {
        moved.forEach(ranges::put);
    }

    private <R> CompletableFuture<R> afterFailedCall(Throwable failure, long timeoutNanos) {
        if (failure instanceof RemoteErrorException remote && !remote.reply().isRetryable()) {
            return CompletableFuture.failedFuture(failure);
        }
        // The ring may have changed, or the super-peer moved: fetch it, so that the next attempt asks the right one.
        return refresh(timeoutNanos).handle((_, _) -> {
            throw new CompletionException(failure);
        });
    }

    /** Where a storage peer serves; fetched when it is not known. */
    CompletableFuture<HostAddress> addressOf(int nid, long timeoutNanos) {
        HostAddress known = addresses.get(nid);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        return peerAnew(nid, timeoutNanos).thenApply(PeerInfo::address);
    }

    /** What the super-peers say of a storage peer; fetched when it is not known. */
    CompletableFuture<PeerInfo> peer(int nid, long timeoutNanos) {
        ClusterView known = view;
        Optional<PeerInfo> peer = known == null ? Optional.empty() : known.peer(nid);
        return peer.isPresent() ? CompletableFuture.completedFuture(peer.get()) : peerAnew(nid, timeoutNanos);
    }

    /** A list may lack a peer whose arc has just moved to another super-peer: then that one is asked, which is sure. */
    private CompletableFuture<PeerInfo> peerAnew(int nid, long timeoutNanos) {
        return refreshAnew(timeoutNanos).thenCompose(fresh -> fresh.peer(nid)
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> askSuperPeer(nid, MessageType.ASK_PEER, new AskPeer(nid), timeoutNanos)
                        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(unknownPeer(nid, failure)))));
    }

    /** Asks a storage peer itself; one that does not answer may have moved. */
    <Q extends Message, R extends Message> CompletableFuture<R> askStoragePeer(
            int nid, MessageType<Q, R> type, Q request, long timeoutNanos) {
        return addressOf(nid, timeoutNanos)
                .thenCompose(address -> rpc.call(address, nid, type, request, timeoutNanos))
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        suspectAddress(nid);
                    }
                });
    }

    /** As {@link #refresh}, but with nothing that the super-peers said before this call: a peer may just have joined. */
    private CompletableFuture<ClusterView> refreshAnew(long timeoutNanos) {
        return refreshes.ended(Boolean.TRUE).thenCompose(_ -> refresh(timeoutNanos));
    }

    private static Throwable unknownPeer(int nid, Throwable failure) {
        Throwable cause = Retry.unwrap(failure);
        return isNotFound(cause)
                ? new InvalidRequestException(
                        "there is no storage peer " + Nid.toHex(nid) + "; 'granary status' lists those that there are")
                : cause;
    }

    /** A peer did not answer at its address: fetch it before the next attempt. */
    void suspectAddress(int nid) {
        addresses.remove(nid);
    }

    /** A peer did not answer as expected for this chunk: look it up again before the next attempt. */
    void suspect(long cid) {
        ranges.find(cid).ifPresent(watch::doubt);
        ranges.invalidate(cid);
    }

    /** Tells when a chunk whose owner could not be reached has another one. */
    Retry.News newsOf(long cid) {
        return () -> watch.news(cid);
    }

    Retry.Context context() {
        return context;
    }
}
