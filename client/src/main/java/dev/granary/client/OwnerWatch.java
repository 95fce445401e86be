package dev.granary.client;

import dev.granary.net.message.AwaitOwner;
import dev.granary.net.message.LookupReply;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.PlacementState;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells operations that could not reach an owner when there is another one, so that they need not find out by trying (ADR 0149):
 * one question for each range is with its super-peer, which holds the answer back, however many operations wait. Thread-safe.
 */
final class OwnerWatch {

    /** For so long an answer is held back: shorter than a super-peer may be silent, so that one that hangs is noticed. */
    static final long WAIT_NANOS = 200_000_000;

    /** When there are more all are forgotten: operations pause in full then, which is slower and not wrong. */
    private static final int MAX_DOUBTED = 1 << 12;

    private final Asker asker;
    private final Consumer<LookupReply> sink;
    private final TreeMap<Long, CidRange> doubted = new TreeMap<>(Long::compareUnsigned);
    private final Map<Long, CompletableFuture<Boolean>> underWay = new HashMap<>();

    /** Sends a question to who answers it. */
    @FunctionalInterface
    interface Asker {
        CompletableFuture<LookupReply> ask(AwaitOwner question);
    }

    /**
     * A watch that doubts nothing.
     *
     * @param sink is given the answers that are news
     */
    OwnerWatch(Asker asker, Consumer<LookupReply> sink) {
        this.asker = asker;
        this.sink = sink;
    }

    /** Nobody could be reached at this placement of a range. */
    synchronized void doubt(CidRange range) {
        if (doubted.size() >= MAX_DOUBTED) {
            doubted.clear();
        }
        doubted.merge(
                range.startCid(),
                range,
                (a, b) -> a.placement().epoch() > b.placement().epoch() ? a : b);
    }

    /** The first CID of the range of a chunk, if the range was doubted. */
    synchronized Optional<Long> doubtedRange(long cid) {
        return Optional.ofNullable(doubted.floorEntry(cid))
                .filter(entry -> entry.getValue().contains(cid))
                .map(Map.Entry::getKey);
    }

    /**
     * Asks whether a chunk that was doubted has got another owner.
     *
     * @return null when nothing is known of the chunk; true as soon as there is another owner, false when there is none after a
     *     while, a failure when nobody answers
     */
    @Nullable
    CompletableFuture<Boolean> news(long cid) {
        CidRange range;
        CompletableFuture<Boolean> mine;
        synchronized (this) {
            Map.Entry<Long, CidRange> entry = doubted.floorEntry(cid);
            if (entry == null || !entry.getValue().contains(cid)) {
                return null;
            }
            range = entry.getValue();
            CompletableFuture<Boolean> others = underWay.get(range.startCid());
            if (others != null) {
                return others;
            }
            mine = new CompletableFuture<>();
            underWay.put(range.startCid(), mine);
        }
        var _ = asker.ask(new AwaitOwner(cid, range.placement().epoch(), WAIT_NANOS))
                .thenApply(reply -> learn(range, reply))
                .whenComplete((isNews, failure) -> {
                    synchronized (this) {
                        underWay.remove(range.startCid());
                    }
                    if (failure == null) {
                        mine.complete(isNews);
                    } else {
                        mine.completeExceptionally(Retry.unwrap(failure));
                    }
                });
        return mine;
    }

    private boolean learn(CidRange asked, LookupReply reply) {
        CidRange found = reply.range();
        boolean settled = found.placement().isServed() || found.placement().state() == PlacementState.LOST;
        boolean isNews =
                settled && found.placement().epoch() > asked.placement().epoch();
        if (isNews) {
            // Not otherwise: what is as it was is better asked again than tried again, as whoever does not answer may
            // take long.
            sink.accept(reply);
        }
        synchronized (this) {
            if (isNews) {
                doubted.remove(asked.startCid());
            } else if (!settled) {
                doubt(found);
            }
        }
        return isNews;
    }
}
