package dev.granary.client.admin;

import dev.granary.client.GranaryException;
import dev.granary.client.internal.BatchContext;
import dev.granary.client.internal.Retry;
import dev.granary.client.view.ClusterView;
import dev.granary.env.Futures;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HibernationMessages.RestorePeer;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AbortMigration;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.ListCreators;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RestoreMessages.BeginRestore;
import dev.granary.net.message.RestoreMessages.EndRestore;
import dev.granary.net.message.RestoreMessages.RestoreCreator;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.RingMember;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of a cluster backup and a restore, except those that read chunks (ADR 0140). Thread-safe.
 *
 * <p>A cluster backup reads every CID of {@link #creators} and {@link #ranges}, so it finds every chunk that existed
 * before it asked them. A restore prepares each creator ({@link #restorePeer}, {@link #restoreCreator}), writes its
 * chunks ({@link #restore}) and ends ({@link #endRestore}).
 */
public final class BackupCalls {

    /** The approximate number of bytes in one request to a storage peer. */
    private static final int STEP_BYTES = 256 << 10;

    private static final int STEP_CHUNKS = 4096;

    private final BatchContext context;

    BackupCalls(BatchContext context) {
        this.context = context;
    }

    /** Returns the creators of CIDs in this cluster, or in the one that was restored into it, by NID. */
    public CompletableFuture<List<CreatorList.Creator>> creators() {
        return Retry.run(context.retry(), () -> "a list of creators", deadline(), timeout -> context.directory()
                .refresh(timeout)
                .thenCompose(view -> creatorsOf(view, timeout)));
    }

    private CompletableFuture<List<CreatorList.Creator>> creatorsOf(ClusterView view, long timeoutNanos) {
        List<CompletableFuture<CreatorList>> lists = new ArrayList<>();
        for (RingMember member : view.ring().members()) {
            Arc arc = view.ring().arcOf(member.nid());
            ListCreators request = new ListCreators(arc.fromExclusive(), arc.toInclusive());
            lists.add(context.directory()
                    .askSuperPeer(arc.toInclusive(), MessageType.LIST_CREATORS, request, timeoutNanos));
        }
        return CompletableFuture.allOf(lists.toArray(CompletableFuture[]::new)).thenApply(_ -> lists.stream()
                .flatMap(list -> list.join().creators().stream())
                .sorted(Comparator.comparingInt(CreatorList.Creator::nid))
                .toList());
    }

    /**
     * Returns a page of the ranges of a creator's chunks from a CID on, with any owner. The page says where the next
     * one begins.
     */
    public CompletableFuture<RangeList> ranges(int creatorNid, long fromCid) {
        return ask(
                creatorNid,
                "a look at the ranges of " + Nid.toHex(creatorNid),
                MessageType.CREATOR_RANGES,
                new CreatorRanges(creatorNid, fromCid));
    }

    /**
     * Tells a storage peer that has no chunk and refuses changes to join again, with LIDs from {@code lidMark} on.
     *
     * @param lidMark LIDs below this come from the cluster backup
     * @param backup the fingerprint of the cluster backup, not 0
     */
    public CompletableFuture<Void> restorePeer(int nid, long lidMark, long backup) {
        RestoreCreator known = new RestoreCreator(nid, 0, lidMark, backup);
        RestorePeer order = new RestorePeer(lidMark, backup);
        // The peer joins again while it answers, and its answer may be lost. So ask the arc first whether the peer has.
        return Retry.run(
                        context.retry(),
                        () -> "preparing storage peer " + Nid.toHex(nid),
                        batchDeadline(),
                        timeout -> context.directory()
                                .askSuperPeer(nid, MessageType.RESTORE_CREATOR, known, timeout)
                                .exceptionallyCompose(failure -> isNotYet(Futures.causeOf(failure))
                                        ? context.directory()
                                                .askStoragePeer(nid, MessageType.RESTORE_PEER, order, timeout)
                                        : CompletableFuture.failedFuture(Futures.causeOf(failure))))
                .thenApply(done -> null);
    }

    private static boolean isNotYet(Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.UNKNOWN_LEASE;
    }

    /** Does the same as {@link #restorePeer} for a creator that is no storage peer of this cluster. */
    public CompletableFuture<Void> restoreCreator(int nid, long lidMark, long backup) {
        return ask(
                        nid,
                        "preparing the chunks of " + Nid.toHex(nid),
                        MessageType.RESTORE_CREATOR,
                        new RestoreCreator(nid, 0, lidMark, backup))
                .thenApply(done -> null);
    }

    /** Ends the restore of a creator's chunks. Chunks that were not restored are lost. */
    public CompletableFuture<Void> endRestore(int nid) {
        return ask(nid, "the end of a restoration", MessageType.END_RESTORE, new EndRestore(nid))
                .thenApply(done -> null);
    }

    /**
     * Writes chunks of a cluster backup to a storage peer. If all succeed, the peer serves them from then on; otherwise
     * the future fails and the peer serves none.
     *
     * @param targetNid the storage peer
     */
    public CompletableFuture<Void> restore(RestoredChunks chunks, int targetNid) {
        long deadlineNanos = batchDeadline();
        return Retry.run(
                        context.retry(),
                        () -> "a look at storage peer " + Nid.toHex(targetNid),
                        deadlineNanos,
                        timeout -> context.directory()
                                .askSuperPeer(targetNid, MessageType.ASK_PEER, new AskPeer(targetNid), timeout))
                .thenCompose(target -> begin(chunks, target.nid(), deadlineNanos)
                        .thenCompose(begun -> new Run(chunks, target, begun, deadlineNanos).run()));
    }

    private CompletableFuture<MigrationReply> begin(RestoredChunks chunks, int targetNid, long deadlineNanos) {
        BeginRestore request = new BeginRestore(chunks.startCid(), chunks.endCidInclusive(), targetNid);
        return Retry.run(
                context.retry(),
                () -> "the start of the restore of " + Cid.toHex(chunks.startCid()) + ".."
                        + Cid.toHex(chunks.endCidInclusive()),
                deadlineNanos,
                timeout -> context.directory()
                        .askSuperPeer(Cid.nid(chunks.startCid()), MessageType.BEGIN_RESTORE, request, timeout));
    }

    /** One migration out of a cluster backup. Each step begins when the one before was answered. */
    private final class Run {
        private final RestoredChunks chunks;
        private final PeerInfo target;
        private final MigrationReply begun;
        private final long deadlineNanos;
        private int next;
        private int nextByte;
        private int step;

        Run(RestoredChunks chunks, PeerInfo target, MigrationReply begun, long deadlineNanos) {
            this.chunks = chunks;
            this.target = target;
            this.begun = begun;
            this.deadlineNanos = deadlineNanos;
        }

        CompletableFuture<Void> run() {
            return sendFrom()
                    .thenCompose(_ -> commit())
                    .exceptionallyCompose(failure -> abort(Futures.causeOf(failure)));
        }

        private CompletableFuture<Void> sendFrom() {
            int from = next;
            int fromByte = nextByte;
            int toByte = nextByte;
            while (next < chunks.cids().length && next - from < STEP_CHUNKS && toByte - fromByte < STEP_BYTES) {
                toByte += chunks.sizes()[next++];
            }
            nextByte = toByte;
            boolean last = next == chunks.cids().length;
            int to = next;
            MigrationData header = new MigrationData(
                    begun.creatorNid(),
                    begun.number(),
                    chunks.startCid(),
                    chunks.endCidInclusive(),
                    Nid.NONE,
                    target.epoch(),
                    step++,
                    last ? MigrationData.FLAG_SEAL : 0);
            return Retry.run(
                            context.retry(),
                            () -> "sending chunks to " + Nid.toHex(target.nid()),
                            deadlineNanos,
                            timeout -> context.rpc()
                                    .call(
                                            target.address(),
                                            target.nid(),
                                            MessageType.MIGRATION_DATA,
                                            out -> write(header, from, to, fromByte, nextByte, out),
                                            in -> Boolean.TRUE,
                                            timeout))
                    .thenCompose(taken -> last ? CompletableFuture.completedFuture(null) : sendFrom());
        }

        private void write(MigrationData header, int from, int to, int fromByte, int toByte, ByteBuf out) {
            out.ensureWritable(MigrationData.BYTES + (to - from) * (Long.BYTES + Integer.BYTES) + toByte - fromByte);
            header.writeTo(out);
            out.writeIntLE(to - from);
            for (int i = from; i < to; i++) {
                out.writeLongLE(chunks.cids()[i]);
            }
            for (int i = from; i < to; i++) {
                out.writeIntLE(chunks.sizes()[i]);
            }
            out.writeBytes(chunks.payload(), fromByte, toByte - fromByte);
            // A cluster backup has neither completion records nor lock tokens.
            out.writeIntLE(0).writeLongLE(0).writeIntLE(0);
        }

        private CompletableFuture<Void> commit() {
            CommitMigration request = new CommitMigration(begun.creatorNid(), begun.number(), Nid.NONE, 0);
            return Retry.run(
                            context.retry(),
                            () -> "the commit of restored chunks",
                            deadlineNanos,
                            timeout -> context.directory()
                                    .askSuperPeer(begun.creatorNid(), MessageType.COMMIT_MIGRATION, request, timeout))
                    .thenCompose(this::committed);
        }

        /** Tells the target of the commit, so that it serves at once. A target that is not reached asks by itself. */
        private CompletableFuture<Void> committed(MigrationReply reply) {
            if (reply.state() != MigrationState.COMMITTED) {
                return CompletableFuture.failedFuture(
                        new GranaryException("restored chunks were not taken: " + reply.note(), null));
            }
            EndMigration end = new EndMigration(begun.creatorNid(), begun.number(), true, reply.epoch());
            return context.rpc()
                    .call(
                            target.address(),
                            target.nid(),
                            MessageType.END_MIGRATION,
                            end,
                            context.retry().attemptTimeoutNanos())
                    .handle((done, failure) -> null);
        }

        private CompletableFuture<Void> abort(Throwable why) {
            AbortMigration request =
                    new AbortMigration(begun.creatorNid(), begun.number(), "whoever restores could not go on");
            return context.directory()
                    .askSuperPeer(
                            begun.creatorNid(),
                            MessageType.ABORT_MIGRATION,
                            request,
                            context.retry().attemptTimeoutNanos())
                    .handle((done, failure) -> why)
                    .thenCompose(CompletableFuture::failedFuture);
        }
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> ask(
            int place, String what, MessageType<Q, R> type, Q request) {
        return Retry.run(context.retry(), () -> what, deadline(), timeout -> context.directory()
                .askSuperPeer(place, type, request, timeout));
    }

    private long deadline() {
        return context.retry().deadlineAfter(context.options().deadline().toNanos());
    }

    private long batchDeadline() {
        return context.retry().deadlineAfter(context.options().batchDeadline().toNanos());
    }
}
