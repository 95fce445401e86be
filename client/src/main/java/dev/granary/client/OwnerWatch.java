package dev.granary.client;

import dev.granary.net.message.AwaitOwner;
import dev.granary.net.message.LookupReply;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.PlacementState;
import java.util.Map;
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
    private final SingleFlight<Long, Boolean> questions = new SingleFlight<>();

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

    /** The range of a chunk as it was doubted; null if it was not. */
    synchronized @Nullable CidRange doubtedRange(long cid) {
        Map.Entry<Long, CidRange> entry = doubted.floorEntry(cid);
        return entry != null && entry.getValue().contains(cid) ? entry.getValue() : null;
    }

    /**
     * Asks whether a chunk that was doubted has got another owner.
     *
     * @return null when nothing is known of the chunk; true as soon as there is another owner, false when there is none after a
     *     while, a failure when nobody answers
     */
    @Nullable
    CompletableFuture<Boolean> news(long cid) {
        CidRange range = doubtedRange(cid);
        if (range == null) {
            return null;
        }
        AwaitOwner question = new AwaitOwner(cid, range.placement().epoch(), WAIT_NANOS);
        return questions.run(range.startCid(), () -> asker.ask(question).thenApply(reply -> learn(range, reply)));
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
