package dev.granary.storage.door;

import dev.granary.storage.door.keys.Route;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.door.state.DoorCounters;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** Counts the replies of a run. */
final class Replied {

    private Replied() {}

    /**
     * Counts one call for each command.
     *
     * @throws IllegalArgumentException when there are not as many replies; every later one would be taken for another's
     */
    static void count(List<Route> routes, ByteBuf replies, long nanos, DoorCounters counters) {
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
}
