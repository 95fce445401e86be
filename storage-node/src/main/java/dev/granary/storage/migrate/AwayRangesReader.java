package dev.granary.storage.migrate;

import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.AwayRanges;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.ArcCalls;

/**
 * Asks the arc, after a restart of this storage peer, which chunks that this peer created have other owners now. Until
 * the answer is here this peer must not call any of its chunks lost. Runs as tasks of the scheduler.
 */
public final class AwayRangesReader {

    private static final long RETRY_NANOS = 50_000_000;

    /** Longer than any answer of the arc takes. */
    private static final long ANSWER_LIMIT_NANOS = 20_000_000_000L;

    private final Loop loop;
    private final ArcCalls arcs;
    private final Ownership ownership;
    private final Runnable done;
    private long fromCid;

    /**
     * Makes a reader that has not begun.
     *
     * @param done runs when all answers of the arc are here
     */
    public AwayRangesReader(Scheduler scheduler, ArcCalls arcs, Ownership ownership, Runnable done) {
        this.loop = Loop.answered(scheduler, "away-ranges", RETRY_NANOS, ANSWER_LIMIT_NANOS, this::ask)
                .vital();
        this.arcs = arcs;
        this.ownership = ownership;
        this.done = done;
        this.fromCid = Cid.firstOf(ownership.nid());
    }

    /** Begins to ask the arc, and asks until it answers. */
    public void begin() {
        loop.begin();
    }

    private void ask() {
        arcs.callArc(
                ownership.nid(),
                MessageType.AWAY_RANGES,
                new AwayRanges(ownership.nid(), fromCid),
                list -> loop.part(() -> learn(list)),
                failure -> loop.again(RETRY_NANOS));
    }

    private void learn(RangeList list) {
        list.ranges().forEach(ownership::learn);
        if (list.nextCid() == 0) {
            done.run();
            loop.stop();
        } else {
            fromCid = list.nextCid();
            loop.again(0);
        }
    }
}
