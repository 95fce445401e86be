package dev.granary.storage.door;

import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Request;
import dev.granary.storage.door.keys.Route;
import dev.granary.storage.door.state.DoorCounters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests that follow each other in a pipeline, each for keys of one slot group. Those of one group go as one call, in
 * their order; the calls run at the same time; the replies are written in the order of the requests.
 *
 * <pre>
 *   requests   a1 b1 a2 c1 b2
 *   calls      a1 a2 | b1 b2 | c1
 *   replies    a1 b1 a2 c1 b2     as far as those before are there
 * </pre>
 *
 * <p>The next round begins when all replies of this one are written, so that no request overtakes an earlier one of its
 * group. I/O thread only.
 */
final class Round {

    private static final int MOST_BYTES = 1 << 20;

    /** The run of each request. */
    private final List<Run> order = new ArrayList<>();

    private final List<Run> runs = new ArrayList<>(2);
    private @Nullable Run @Nullable [] byGroup;
    private long requestBytes;
    private long replyBytes;
    private long waitingBytes;
    private int written;

    /** Returns whether a request may go with those that are there. */
    boolean takes(Request request, int mostRequests) {
        return order.size() < mostRequests && requestBytes + request.sizeBytes() <= MOST_BYTES;
    }

    void add(int group, Route route, Request request, ByteBufAllocator allocator) {
        Run run = find(group);
        if (run == null) {
            run = new Run(group, allocator, request.sizeBytes());
            add(run);
        }
        run.add(route, request);
        order.add(run);
        requestBytes += request.sizeBytes();
    }

    private @Nullable Run find(int group) {
        if (byGroup != null) {
            return byGroup[group];
        }
        return !runs.isEmpty() && runs.getFirst().group() == group ? runs.getFirst() : null;
    }

    /** Most rounds of clients without pipelines have one run, and no need of an array. */
    private void add(Run run) {
        runs.add(run);
        if (runs.size() == 1) {
            return;
        }
        if (byGroup == null) {
            byGroup = new Run[SlotGroup.COUNT];
            byGroup[runs.getFirst().group()] = runs.getFirst();
        }
        byGroup[run.group()] = run;
    }

    List<Run> runs() {
        return runs;
    }

    /** Returns how many requests there are. */
    int requests() {
        return order.size();
    }

    /** Returns how many bytes of replies came. */
    long replyBytes() {
        return replyBytes;
    }

    /** Returns how many bytes of requests and of replies are held. */
    long heldBytes() {
        return requestBytes + waitingBytes;
    }

    /** Takes the replies of a run over. */
    void replied(Run run, ByteBuf replies) {
        int bytes = replies.readableBytes();
        run.replied(replies);
        replyBytes += bytes;
        waitingBytes += bytes;
    }

    /** Returns whether the next reply is there. */
    boolean hasNext() {
        return written < order.size() && order.get(written).isThere();
    }

    /** Writes the next reply; all of them when they are of one run. */
    void writeNext(Output output, boolean wanted, DoorCounters counters) {
        if (runs.size() == 1) {
            runs.getFirst().writeAll(output, wanted, counters);
            written = order.size();
            waitingBytes = 0;
            return;
        }
        waitingBytes -= order.get(written).writeNext(output, wanted, counters);
        written++;
    }

    /** Returns whether all replies are written. */
    boolean isWritten() {
        return written == order.size();
    }

    /** Gives back everything. What is on its way comes back to whoever asked for it. */
    void close() {
        runs.forEach(Run::close);
    }
}
