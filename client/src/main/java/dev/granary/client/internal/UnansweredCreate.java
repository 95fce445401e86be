package dev.granary.client.internal;

import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.probe.ClientProbe;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import dev.granary.net.message.CreateMessages.FindCreated;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A create without an answer, whose storage peer's incarnation has ended. If backups had the chunks of the create, the
 * storage peers that have taken over the peer's zones know them. The client deletes these chunks, so that it can create
 * elsewhere and the create is still done once (SAFETY rule "retries", ADR 0135).
 */
final class UnansweredCreate {

    /** The most ranges of one question. */
    private static final int ASKED_RANGES = 4096;

    private final BatchContext context;
    private final int nid;
    private final long epoch;
    private final long sessionId;
    private final long sequence;
    private final long deadlineNanos;

    /**
     * @param nid the storage peer
     * @param epoch the epoch of its incarnation, which has ended according to the super-peers
     * @param sessionId the session of the create's request id
     * @param sequence the request sequence of the create's request id
     */
    UnansweredCreate(BatchContext context, int nid, long epoch, long sessionId, long sequence, long deadlineNanos) {
        this.context = context;
        this.nid = nid;
        this.epoch = epoch;
        this.sessionId = sessionId;
        this.sequence = sequence;
        this.deadlineNanos = deadlineNanos;
    }

    /** Deletes the chunks that were created. Completes when none is left and none can appear. */
    CompletableFuture<Void> undo() {
        ClientProbe.CREATE_UNANSWERED.hit();
        return Retry.run(
                        context.retry(),
                        () -> "a look for what became of a create on " + Nid.toHex(nid),
                        deadlineNanos,
                        this::find)
                .thenCompose(this::delete);
    }

    private CompletableFuture<List<Long>> find(long timeoutNanos) {
        // First the ranges, then the incarnation: if there is no later incarnation yet, the peer's ranges are those of
        // the ended one.
        return ranges(timeoutNanos).thenCompose(ranges -> context.directory()
                .askSuperPeer(nid, MessageType.ASK_PEER, new AskPeer(nid), timeoutNanos)
                .thenCompose(peer -> ask(ranges, peer.epoch() > epoch, timeoutNanos)));
    }

    private CompletableFuture<List<CidRange>> ranges(long timeoutNanos) {
        return page(new ArrayList<>(), Cid.firstOf(nid), timeoutNanos);
    }

    private CompletableFuture<List<CidRange>> page(List<CidRange> known, long fromCid, long timeoutNanos) {
        return context.directory()
                .askSuperPeer(nid, MessageType.CREATOR_RANGES, new CreatorRanges(nid, fromCid), timeoutNanos)
                .thenCompose((RangeList page) -> {
                    known.addAll(page.ranges());
                    return page.nextCid() == 0
                            ? CompletableFuture.completedFuture(known)
                            : page(known, page.nextCid(), timeoutNanos);
                });
    }

    private CompletableFuture<List<Long>> ask(List<CidRange> ranges, boolean isThereALater, long timeoutNanos) {
        Map<Integer, List<Long>> byOwner = new TreeMap<>();
        for (CidRange range : ranges) {
            Placement placement = range.placement();
            if (placement.state() == PlacementState.RECOVERING) {
                throw new Retry.AgainException("others are taking over what storage peer " + Nid.toHex(nid) + " had");
            }
            // A chunk without a copy belongs to its creator until the creator comes back and learns that the chunk is
            // lost.
            boolean gone = placement.owner() == nid && !isThereALater;
            if (placement.isServed() && !gone) {
                byOwner.computeIfAbsent(placement.owner(), owner -> new ArrayList<>())
                        .add(range.startCid());
            }
        }
        List<CompletableFuture<CreatedChunks>> answers = new ArrayList<>();
        byOwner.forEach((owner, cids) -> {
            for (int from = 0; from < cids.size(); from += ASKED_RANGES) {
                List<Long> some = cids.subList(from, Math.min(cids.size(), from + ASKED_RANGES));
                answers.add(context.directory()
                        .askStoragePeer(
                                owner,
                                MessageType.FIND_CREATED,
                                new FindCreated(sessionId, sequence, some),
                                timeoutNanos));
            }
        });
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(_ -> created(answers));
    }

    private List<Long> created(List<CompletableFuture<CreatedChunks>> answers) {
        if (answers.stream().anyMatch(answer -> !answer.join().known())) {
            throw new OutcomeUnknownException("storage peer " + Nid.toHex(nid)
                    + " ended during a create, and the owner of its chunks does not know whether it was carried out");
        }
        return answers.stream()
                .flatMap(answer -> answer.join().cids().stream())
                .distinct()
                .toList();
    }

    private CompletableFuture<Void> delete(List<Long> created) {
        if (created.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        ClientProbe.CREATE_UNDONE.hit();
        long[] cids = created.stream().mapToLong(Long::longValue).toArray();
        return new ChangeBatch(context, cids, null, deadlineNanos).run().thenApply(_ -> null);
    }
}
