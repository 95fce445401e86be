package dev.granary.storage.door;

import dev.granary.resp.Request;
import dev.granary.storage.door.keys.Route;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.door.state.DoorCounters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a {@link Round} that are for keys of one slot group: they go as one call. Then its replies, which are
 * written one by one when their turn comes, or the same error for each of its requests.
 */
final class Run {

    private final int group;
    private final ByteBuf requests;
    private final List<Route> routes = new ArrayList<>(2);
    private boolean started;
    private @Nullable ByteBuf kept;
    private long startNanos;
    private long nanosEach;
    private @Nullable ByteBuf replies;
    private @Nullable String error;

    /** Where each reply ends. */
    private int[] ends = {};

    private int written;

    Run(int group, ByteBufAllocator allocator, int firstBytes) {
        this.group = group;
        this.requests = allocator.buffer(firstBytes);
    }

    void add(Route route, Request request) {
        request.writeTo(requests);
        routes.add(route);
    }

    int group() {
        return group;
    }

    ByteBuf requests() {
        return requests;
    }

    /** Returns the commands of the requests, in their order. */
    List<Route> routes() {
        return routes;
    }

    /**
     * The requests are given away.
     *
     * @param forLater the requests as {@link #kept} returns them
     */
    void start(long nowNanos, @Nullable ByteBuf forLater) {
        started = true;
        startNanos = nowNanos;
        kept = forLater;
    }

    /** Returns the requests that were kept when they were given away, once. */
    @Nullable
    ByteBuf kept() {
        ByteBuf given = kept;
        kept = null;
        return given;
    }

    /** The call has ended; returns how long it took. */
    long ended(long nowNanos) {
        long nanos = nowNanos - startNanos;
        nanosEach = nanos / routes.size();
        return nanos;
    }

    /**
     * Takes the replies over.
     *
     * @throws IllegalArgumentException when there are not as many as requests; each one would be taken for another's
     */
    void replied(ByteBuf all) {
        ends = new int[routes.size()];
        int at = all.readerIndex();
        for (int i = 0; i < ends.length; i++) {
            at = ReplyCursor.end(all, at);
            ends[i] = at;
        }
        if (at != all.writerIndex()) {
            throw new IllegalArgumentException("a slot group has written more replies than the " + ends.length
                    + " that were asked for; this is a bug");
        }
        replies = all;
    }

    /** Takes an error instead of replies. */
    void refused(String text) {
        error = text;
    }

    /** Returns whether the call has ended. */
    boolean isThere() {
        return replies != null || error != null;
    }

    /** Counts the next reply, and writes it if it is wanted; returns how many bytes of replies it was. */
    int writeNext(Output output, boolean wanted, DoorCounters counters) {
        ByteBuf all = replies;
        Route route = routes.get(written);
        if (all == null) {
            String text = String.valueOf(error);
            count(route, text.substring(0, text.indexOf(' ')), counters);
            if (wanted) {
                output.writer().error(text);
            }
            written++;
            return 0;
        }
        int begin = begin(all);
        int bytes = ends[written] - begin;
        count(route, ReplyCursor.isError(all, begin) ? Output.errorCode(all, begin) : null, counters);
        if (wanted) {
            output.append(all, begin, bytes);
        }
        written++;
        if (written == routes.size()) {
            replies = null;
            all.release();
        }
        return bytes;
    }

    /** Does the same for all replies at once: no others come between them. */
    void writeAll(Output output, boolean wanted, DoorCounters counters) {
        ByteBuf together = wanted ? replies : null;
        if (together != null) {
            together.retain();
        }
        // Counted first: what is appended cannot be looked at any more.
        while (written < routes.size()) {
            writeNext(output, wanted && together == null, counters);
        }
        if (together != null) {
            output.append(together);
        }
    }

    private int begin(ByteBuf all) {
        return written == 0 ? all.readerIndex() : ends[written - 1];
    }

    private void count(Route route, @Nullable String errorCode, DoorCounters counters) {
        if (errorCode != null) {
            counters.error(errorCode);
        }
        route.stats().called(nanosEach, errorCode != null);
    }

    /** Gives back what is left. */
    void close() {
        if (!started) {
            started = true;
            requests.release();
        }
        ByteBuf left = replies;
        replies = null;
        if (left != null) {
            left.release();
        }
    }
}
