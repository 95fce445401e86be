package dev.granary.storage.door;

import dev.granary.storage.door.keys.Route;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.door.state.DoorCounters;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** What becomes of a run: its replies, which are counted one by one, or the same error for each of its requests. */
final class Replied {

    private Replied() {}

    /**
     * Counts one call for each request.
     *
     * @throws IllegalArgumentException when there are not as many replies; every later one would be taken for another's
     */
    static void count(Run run, ByteBuf replies, long nanos, DoorCounters counters) {
        List<Route> routes = run.routes();
        int at = replies.readerIndex();
        for (Route route : routes) {
            boolean isError = ReplyCursor.isError(replies, at);
            if (isError) {
                counters.error(Output.errorCode(replies, at));
            }
            route.stats().called(nanos / routes.size(), isError);
            at = ReplyCursor.end(replies, at);
        }
        if (at != replies.writerIndex()) {
            throw new IllegalArgumentException("a slot group has written more replies than the " + routes.size()
                    + " that were asked for; this is a bug");
        }
    }

    /** Answers each request with an error. */
    static void refuse(Run run, String error, long nanos, DoorCounters counters, Output output) {
        String code = error.substring(0, error.indexOf(' '));
        for (Route route : run.routes()) {
            output.writer().error(error);
            route.stats().called(nanos / run.routes().size(), true);
            counters.error(code);
        }
    }
}
