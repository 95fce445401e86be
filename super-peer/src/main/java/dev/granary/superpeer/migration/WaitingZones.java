package dev.granary.superpeer.migration;

import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import java.util.concurrent.TimeUnit;

/**
 * Whether zones of any arc have no owner and need room. Such a zone goes to one storage peer as a whole, so chunks that
 * are moved only to even storage peers out must not take the room (ADR 0370). Tasks of the node's scheduler.
 */
final class WaitingZones {

    private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** What was heard does not count longer than this. */
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Node node;
    private final PlanMaker maker;
    private boolean asking;
    private boolean everAsked;
    private long askedNanos;
    private boolean none;
    private long heardNanos;

    WaitingZones(Node node, PlanMaker maker) {
        this.node = node;
        this.maker = maker;
    }

    /**
     * Returns whether it is known that no zone waits. Asks the super-peers if that was heard a second ago, so whoever
     * needs to know calls this again and again.
     */
    boolean none() {
        long nowNanos = node.nanoTime();
        if (!asking && (!everAsked || nowNanos - askedNanos >= ASK_NANOS)) {
            asking = true;
            everAsked = true;
            askedNanos = nowNanos;
            Async.whenDone(maker.zonesThatNeedRoom(), (zones, failure) -> {
                asking = false;
                none = zones != null && zones == 0;
                heardNanos = node.nanoTime();
            });
        }
        return none && nowNanos - heardNanos < KNOWN_NANOS;
    }
}
