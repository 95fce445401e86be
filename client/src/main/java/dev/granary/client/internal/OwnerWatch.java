package dev.granary.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Clock;
import dev.granary.env.Futures;
import dev.granary.net.message.RangeMessages.AwaitOwner;
import dev.granary.net.message.RangeMessages.LookupReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.PlacementState;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells operations that could not reach an owner when there is another owner, so that they need not find out by trying
 * (ADR 0149). For any number of waiting operations, the super-peer of a zone has one question, and holds the answer
 * back; for a chunk in no zone it has one question for its range. A super-peer without room for a question says for how
 * long the client must not ask about the chunks of that creator. The client asks about a zone again only after {@link
 * #WAIT_NANOS} unless there was news (ADR 0162). Thread-safe.
 */
final class OwnerWatch {

    /**
     * How long a super-peer holds an answer back. This is shorter than the time for which a super-peer may be silent,
     * so that the client notices a super-peer that hangs.
     */
    static final long WAIT_NANOS = 200_000_000;

    /**
     * The most doubted owners that are remembered. When there are more, all are forgotten; operations then pause in
     * full, which is slower but correct.
     */
    private static final int MAX_DOUBTED = 1 << 12;

    private final Asker asker;
    private final Consumer<LookupReply> sink;
    private final Clock clock;

    @GuardedBy("this")
    private final TreeMap<Long, CidRange> doubted = new TreeMap<>(Long::compareUnsigned);

    /** The moment from which the client may ask again, by zone or range, and by creator. */
    @GuardedBy("this")
    private final Map<Long, Long> againNanos = new HashMap<>();

    @GuardedBy("this")
    private final Map<Integer, Long> roomNanos = new HashMap<>();

    private final SingleFlight<Long, Boolean> questions = new SingleFlight<>();

    /** Sends a question to the super-peer that answers it. */
    @FunctionalInterface
    interface Asker {
        CompletableFuture<LookupReply> ask(AwaitOwner question);
    }

    /**
     * Makes a watch that doubts no owner.
     *
     * @param sink takes the answers that are news
     */
    OwnerWatch(Asker asker, Consumer<LookupReply> sink, Clock clock) {
        this.asker = asker;
        this.sink = sink;
        this.clock = clock;
    }

    /** Notes that the owner in this placement of a range could not be reached. */
    synchronized void doubt(CidRange range) {
        if (doubted.size() >= MAX_DOUBTED) {
            doubted.clear();
            againNanos.clear();
        }
        doubted.merge(
                range.startCid(),
                range,
                (a, b) -> a.placement().epoch() > b.placement().epoch() ? a : b);
    }

    /** Returns the range of a chunk whose owner is doubted; null if it is not. */
    synchronized @Nullable CidRange doubtedRange(long cid) {
        Map.Entry<Long, CidRange> entry = doubted.floorEntry(cid);
        return entry != null && entry.getValue().contains(cid) ? entry.getValue() : null;
    }

    /**
     * Asks whether a chunk with a doubted owner has another owner.
     *
     * @return null when nothing is known of the chunk, or when the last question is not long ago; the future gives true
     *     as soon as there is another owner, false when there is none after a while, and fails when no super-peer
     *     answers
     */
    @Nullable
    CompletableFuture<Boolean> news(long cid) {
        CidRange range = doubtedRange(cid);
        if (range == null) {
            return null;
        }
        long key = keyOf(range);
        if (isTooEarly(key, Cid.nid(cid))) {
            return null;
        }
        AwaitOwner question = new AwaitOwner(cid, range.placement().epoch(), WAIT_NANOS);
        return questions.run(key, () -> ask(range, question));
    }

    /** The key of a zone or of a range. The ids of zones and CIDs never collide. */
    private static long keyOf(CidRange range) {
        int zone = range.placement().zone();
        return zone == 0 ? range.startCid() : zone;
    }

    private synchronized boolean isTooEarly(long key, int creatorNid) {
        long nowNanos = clock.nanoTime();
        return isBefore(nowNanos, againNanos.get(key)) || isBefore(nowNanos, roomNanos.get(creatorNid));
    }

    private static boolean isBefore(long nowNanos, @Nullable Long nanos) {
        return nanos != null && nowNanos - nanos < 0;
    }

    private CompletableFuture<Boolean> ask(CidRange range, AwaitOwner question) {
        long askedNanos = clock.nanoTime();
        return asker.ask(question)
                .thenApply(reply -> {
                    boolean isNews = learn(range, reply);
                    asked(keyOf(range), isNews ? null : askedNanos + WAIT_NANOS);
                    return isNews;
                })
                .whenComplete((_, failure) -> {
                    if (failure != null && Futures.causeOf(failure) instanceof RemoteErrorException remote) {
                        noRoom(Cid.nid(question.cid()), remote.reply().retryAfterNanos());
                    }
                });
    }

    private synchronized void asked(long key, @Nullable Long again) {
        if (again == null) {
            againNanos.remove(key);
        } else {
            againNanos.put(key, again);
        }
    }

    private synchronized void noRoom(int creatorNid, long pauseNanos) {
        roomNanos.put(creatorNid, clock.nanoTime() + pauseNanos);
    }

    private boolean learn(CidRange asked, LookupReply reply) {
        CidRange found = reply.range();
        boolean settled = found.placement().isServed() || found.placement().state() == PlacementState.LOST;
        boolean isNews =
                settled && found.placement().epoch() > asked.placement().epoch();
        if (isNews) {
            // Unchanged: ask again instead of retrying, because a dead owner may be away for long.
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
