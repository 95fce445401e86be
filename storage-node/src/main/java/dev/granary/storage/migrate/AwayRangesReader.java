package dev.granary.storage.migrate;

import dev.granary.env.Scheduler;
import dev.granary.net.message.AwayRanges;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.storage.data.Ownership;

/**
 * A peer that has started anew learns which of the chunks that it once created others have; before that it must not say of
 * any that they are lost. Tasks of the scheduler.
 */
public final class AwayRangesReader {

    private static final long RETRY_NANOS = 50_000_000;

    private final Scheduler scheduler;
    private final ArcCalls arcs;
    private final Ownership ownership;
    private final Runnable done;

    /**
     * @param done runs when everything is learnt
     */
    public AwayRangesReader(Scheduler scheduler, ArcCalls arcs, Ownership ownership, Runnable done) {
        this.scheduler = scheduler;
        this.arcs = arcs;
        this.ownership = ownership;
        this.done = done;
    }

    /** Begins to ask; asks until it is answered. */
    public void begin() {
        ask(Cid.firstOf(ownership.nid()));
    }

    private void ask(long fromCid) {
        arcs.callArc(
                ownership.nid(),
                MessageType.AWAY_RANGES,
                new AwayRanges(ownership.nid(), fromCid),
                this::learn,
                failure -> scheduler.schedule(RETRY_NANOS, () -> ask(fromCid)));
    }

    private void learn(RangeList list) {
        list.ranges().forEach(ownership::learn);
        if (list.nextCid() == 0) {
            done.run();
        } else {
            ask(list.nextCid());
        }
    }
}
