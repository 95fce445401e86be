package dev.granary.client.internal;

import dev.granary.client.GranaryException;
import dev.granary.client.Place;
import dev.granary.client.StorageFullException;
import dev.granary.client.probe.ClientProbe;
import dev.granary.env.Futures;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcException;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates many chunks. Cuts the batch into requests. One storage peer carries out each request, once and as a whole.
 * When the batch fails, deletes the chunks that it has created, as far as their peers can be reached.
 */
final class CreateBatch {

    private final BatchContext context;
    private final ChunkSource source;
    private final Place place;
    private final Creators creators;
    private final long deadlineNanos;
    private final long[] cids;

    /** @param creators which peers may take the chunks, shared by all batches of a client */
    CreateBatch(BatchContext context, ChunkSource source, Place place, Creators creators, long deadlineNanos) {
        this.context = context;
        this.source = source;
        this.place = place;
        this.creators = creators;
        this.deadlineNanos = deadlineNanos;
        this.cids = new long[source.count()];
    }

    /** Runs the batch. The future gives the CIDs of the new chunks, in the order of their contents. */
    CompletableFuture<long[]> run() {
        if (cids.length == 0) {
            return CompletableFuture.completedFuture(cids);
        }
        return targets()
                .thenCompose(targets -> Window.run(
                        context.options().requestsInFlight() * targets.size(),
                        slices(targets).iterator()))
                .thenApply(_ -> cids)
                .exceptionallyCompose(
                        failure -> undo().thenCompose(_ -> CompletableFuture.failedFuture(Futures.causeOf(failure))));
    }

    /** Returns the peers that may take the chunks, the one whose turn it is first. */
    private CompletableFuture<List<Integer>> targets() {
        return switch (place) {
            case Place.On on -> CompletableFuture.completedFuture(List.of(on.nid()));
            case Place.Near near ->
                Retry.run(
                        context.retry(),
                        () -> "a lookup of chunk " + Cid.toHex(near.cid()) + ", near which chunks are to be created",
                        deadlineNanos,
                        timeout -> context.directory()
                                .owner(near.cid(), timeout)
                                .thenApply(owner -> List.of(owner.nid())));
            case Place.Anywhere _ ->
                Retry.run(context.retry(), () -> "a look for storage peers", deadlineNanos, this::livePeers);
        };
    }

    private CompletableFuture<List<Integer>> livePeers(long timeoutNanos) {
        return context.directory().viewForCreates(timeoutNanos).thenCompose(view -> {
            if (!view.livePeers().isEmpty()) {
                return CompletableFuture.completedFuture(creators.inTurn(view));
            }
            return context.directory().refreshRarely(timeoutNanos).thenApply(fresh -> {
                if (fresh.livePeers().isEmpty()) {
                    throw new Retry.AgainException("no storage peer holds a lease");
                }
                return creators.inTurn(fresh);
            });
        });
    }

    private List<Supplier<CompletableFuture<Void>>> slices(List<Integer> targets) {
        List<Supplier<CompletableFuture<Void>>> slices = new ArrayList<>();
        int share = Math.max(1, (cids.length + targets.size() - 1) / targets.size());
        int limit = Math.min(context.options().requestChunks(), share);
        for (int from = 0; from < cids.length; ) {
            int start = from;
            int end = endOfSlice(from, limit);
            int first = slices.size();
            slices.add(() -> slice(targets, first, start, end));
            from = end;
        }
        return slices;
    }

    private int endOfSlice(int from, int maxChunks) {
        int to = from;
        long bytes = 0;
        while (to < cids.length
                && to - from < maxChunks
                && (to == from
                        || bytes + source.sizeBytes(to) <= context.options().requestBytes())) {
            bytes += source.sizeBytes(to);
            to++;
        }
        return to;
    }

    /**
     * Tries the targets one after the other. A peer that is full, is being drained, was not reached or is not for this
     * user passes the slice to the next one. When all targets are leaving, their list was old, and the batch looks for
     * others.
     */
    private CompletableFuture<Void> slice(List<Integer> targets, int first, int from, int to) {
        return round(targets, first, 0, from, to)
                .exceptionallyCompose(failure -> Futures.causeOf(failure) instanceof PeerLeftException left
                        ? elsewhere(left, from, to)
                        : CompletableFuture.failedFuture(failure));
    }

    /**
     * Looks for other peers until one takes the slice. Super-peers may learn a moment later than the client that a peer
     * is leaving.
     */
    private CompletableFuture<Void> elsewhere(PeerLeftException left, int from, int to) {
        ClientProbe.CREATE_ELSEWHERE.hit();
        return Retry.run(
                context.retry(), () -> "a create of " + (to - from) + " chunks", deadlineNanos, timeout -> others(
                                left, timeout)
                        .thenCompose(fresh -> round(fresh, 0, 0, from, to))
                        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(
                                Futures.causeOf(failure) instanceof PeerLeftException again
                                        ? new Retry.AgainException(String.valueOf(again.getMessage()))
                                        : failure)));
    }

    private CompletableFuture<Void> round(List<Integer> targets, int first, int tried, int from, int to) {
        int nid = targets.get((first + tried) % targets.size());
        ClientProbe.CREATE_ON_THE_NEXT_PEER.hitIf(tried > 0);
        boolean last = tried + 1 == targets.size();
        return createOn(nid, from, to).exceptionallyCompose(failure -> switch (Futures.causeOf(failure)) {
            case IncarnationOverException over ->
                over.create.undo().thenCompose(_ -> targets()).thenCompose(fresh -> slice(fresh, 0, from, to));
            case StorageFullException _, PeerLeftException _, OtherCreatorException _
            when !last -> round(targets, first, tried + 1, from, to);
            case Throwable other -> CompletableFuture.failedFuture(other);
        });
    }

    /** Returns the peers that may take the chunks now. Fails when there are only peers that are leaving. */
    private CompletableFuture<List<Integer>> others(PeerLeftException left, long timeoutNanos) {
        if (place instanceof Place.Near && !left.draining) {
            return targets();
        }
        return context.directory().refreshRarely(timeoutNanos).thenApply(view -> {
            if (Creators.someStay(view)) {
                return creators.inTurn(view);
            }
            if (left.draining) {
                throw new StorageFullException(String.valueOf(left.getMessage()));
            }
            throw new Retry.AgainException("no storage peer that takes chunks holds a lease");
        });
    }

    private CompletableFuture<Void> createOn(int nid, int from, int to) {
        MutationSession session = context.session(nid);
        Attempts attempts = new Attempts(nid, !(place instanceof Place.On), session.id(), session.begin());
        return Retry.run(
                        context.retry(),
                        () -> "a create of " + (to - from) + " chunks on storage peer " + Nid.toHex(nid),
                        deadlineNanos,
                        timeout -> attempts.epoch(timeout)
                                .thenCompose(epoch -> context.callPeer(
                                        nid,
                                        MessageType.CREATE,
                                        out -> writeRequest(out, session, attempts.sequence, epoch, from, to),
                                        in -> readReply(in, from, to),
                                        timeout))
                                .exceptionallyCompose(failure -> attempts.failed(Futures.causeOf(failure), timeout)))
                .whenComplete((_, failure) -> session.end(attempts.sequence));
    }

    /**
     * One request to one peer. Once the peer may have carried out the request, the client repeats it only to the same
     * incarnation of the peer, until that answers or has ended for good. A peer without a lease may come back with all
     * its chunks, and the object would exist twice (SAFETY rule "retries", ADR 0135).
     */
    private final class Attempts {

        private final int nid;
        private final boolean hasAlternative;
        private final long sessionId;
        private final long sequence;
        private volatile boolean maybeCreated;

        /** The incarnation epoch of the peer that is asked, 0 before it is known. */
        private volatile long epoch;

        Attempts(int nid, boolean hasAlternative, long sessionId, long sequence) {
            this.nid = nid;
            this.hasAlternative = hasAlternative;
            this.sessionId = sessionId;
            this.sequence = sequence;
        }

        CompletableFuture<Long> epoch(long timeoutNanos) {
            if (epoch != 0) {
                return CompletableFuture.completedFuture(epoch);
            }
            return context.directory().peer(nid, timeoutNanos).thenApply(peer -> {
                epoch = peer.epoch();
                return epoch;
            });
        }

        CompletableFuture<Void> failed(Throwable failure, long timeoutNanos) {
            if (!(failure instanceof RpcException call) || call.maybeExecuted()) {
                maybeCreated = true;
            }
            boolean ended =
                    failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.INCARNATION_ENDED;
            if (!maybeCreated
                    && failure instanceof RemoteErrorException remote
                    && remote.code() == ErrorCode.OTHER_CREATOR) {
                creators.refused(nid);
                return CompletableFuture.failedFuture(new OtherCreatorException(remote));
            }
            if (!maybeCreated && !ended && (!hasAlternative || isAboutTheRequest(failure))) {
                return CompletableFuture.failedFuture(failure);
            }
            return context.directory()
                    .peerAnew(nid, timeoutNanos)
                    .exceptionally(_ -> null)
                    .thenCompose(peer -> CompletableFuture.failedFuture(reason(peer, failure, ended)));
        }

        /**
         * Whether the peer refused the request for good, and not because it is leaving. Then the client need not ask
         * the super-peers about the peer.
         */
        private static boolean isAboutTheRequest(Throwable failure) {
            return failure instanceof RemoteErrorException remote
                    && !remote.reply().isRetryable()
                    && remote.code() != ErrorCode.DRAINING;
        }

        /** Returns the failure of an attempt: the failure itself, or what the super-peers say of the peer. */
        private Throwable reason(@Nullable PeerInfo peer, Throwable failure, boolean ended) {
            if (maybeCreated) {
                boolean over = peer != null && peer.fencedEpoch() >= epoch;
                return over
                        ? new IncarnationOverException(
                                nid, new UnansweredCreate(context, nid, epoch, sessionId, sequence, deadlineNanos))
                        : ended
                                ? new Retry.AgainException("storage peer " + Nid.toHex(nid) + " has started again")
                                : failure;
            }
            if (ended) {
                epoch = 0;
                return new Retry.AgainException("storage peer " + Nid.toHex(nid) + " has started again");
            }
            if (failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.DRAINING) {
                return new PeerLeftException(remote.reply().message(), true);
            }
            return peer == null || peer.live()
                    ? failure
                    : new PeerLeftException("storage peer " + Nid.toHex(nid) + " holds no lease", false);
        }
    }

    private void writeRequest(ByteBuf out, MutationSession session, long sequence, long epoch, int from, int to) {
        int flags = context.durabilityFlags()
                | ChunkLayouts.FLAG_EPOCH
                | (source.isZeroed() ? ChunkLayouts.FLAG_ZEROED : 0);
        new MutationHeader(session.id(), sequence, session.acked(), flags, to - from).writeTo(out);
        out.writeLongLE(epoch);
        for (int i = from; i < to; i++) {
            out.writeIntLE(source.sizeBytes(i));
        }
        if (!source.isZeroed()) {
            for (int i = from; i < to; i++) {
                source.write(i, out);
            }
        }
    }

    private @Nullable Void readReply(ByteBuf in, int from, int to) {
        int count = in.readIntLE();
        if (count != to - from) {
            throw new FrameException("a create of " + (to - from) + " chunks was answered for " + count);
        }
        for (int i = from; i < to; i++) {
            cids[i] = in.readLongLE();
        }
        return null;
    }

    private CompletableFuture<Void> undo() {
        long[] created = Arrays.stream(cids).filter(cid -> cid != 0).toArray();
        if (created.length == 0) {
            return CompletableFuture.completedFuture(null);
        }
        long undoDeadline =
                context.retry().deadlineAfter(context.options().deadline().toNanos());
        return new ChangeBatch(context, created, null, undoDeadline).run().handle((outcomes, failure) -> null);
    }

    /** Says that the peer has no lease any more, or is leaving. */
    private static final class PeerLeftException extends GranaryException {
        private static final long serialVersionUID = 1L;

        private final boolean draining;

        PeerLeftException(String message, boolean draining) {
            super(message);
            this.draining = draining;
        }
    }

    /** Says that the client's user may not create chunks on the peer, and may on others. */
    private static final class OtherCreatorException extends GranaryException {
        private static final long serialVersionUID = 1L;

        OtherCreatorException(RemoteErrorException refusal) {
            super("a create failed: " + refusal.getMessage(), refusal);
        }
    }

    /** Says that the incarnation of the peer that may have carried out a request has ended. */
    private static final class IncarnationOverException extends GranaryException {
        private static final long serialVersionUID = 1L;

        private final transient UnansweredCreate create;

        IncarnationOverException(int nid, UnansweredCreate create) {
            super("storage peer " + Nid.toHex(nid) + " has ended");
            this.create = create;
        }
    }
}
