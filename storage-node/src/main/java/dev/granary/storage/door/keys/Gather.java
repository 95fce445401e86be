package dev.granary.storage.door.keys;

import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.GroupReply.Outcome;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls of one request for several slot groups, some of them at a time. When all have ended, their replies are there in
 * the order of the calls. A call that fails, an error in a reply, or replies that are too large together end the
 * request with an error; calls that have not begun by then never do. I/O thread only.
 */
final class Gather {

    /** A call for one request. */
    record Part(int group, ByteBuf request) {}

    /** How many calls of one request are on their way at a time. */
    private static final int WIDTH = 16;

    private final Caller caller;
    private final List<Part> parts;
    private final Consumer<List<ByteBuf>> then;
    private final @Nullable ByteBuf[] replies;
    private final long mostBytes;
    private long bytes;
    private int next;
    private int running;
    private boolean starting;
    private @Nullable String failure;
    private boolean failureIsFinal;

    private Gather(Caller caller, List<Part> parts, Consumer<List<ByteBuf>> then) {
        this.caller = caller;
        this.parts = parts;
        this.then = then;
        this.replies = new ByteBuf[parts.size()];
        this.mostBytes = caller.door().config().limits().replyBytes();
    }

    /**
     * Carries out the calls. When one fails the client gets its error, and that is all.
     *
     * @param then gets one reply for each part if all were carried out and none is an error, reads them, and writes the
     *     reply to the client; afterwards they are released
     */
    static void run(Caller caller, List<Part> parts, Consumer<List<ByteBuf>> then) {
        new Gather(caller, parts, then).start();
    }

    /** Carries out the same words in several slot groups. */
    static void run(Caller caller, int firstGroup, int groups, Consumer<List<ByteBuf>> then, String... words) {
        List<Part> parts = new ArrayList<>(groups);
        for (int group = firstGroup; group < firstGroup + groups; group++) {
            parts.add(new Part(group, Requests.of(caller.allocator(), words)));
        }
        run(caller, parts, then);
    }

    private void start() {
        // A call may end before call() returns; this loop goes on then, instead of calls within calls.
        if (starting) {
            return;
        }
        starting = true;
        while (next < parts.size() && running < WIDTH && failure == null) {
            int index = next++;
            Part part = parts.get(index);
            running++;
            caller.call(part.group, List.of(), 1, part.request, reply -> ended(index, reply));
        }
        starting = false;
        if (running == 0) {
            finish();
        }
    }

    private void ended(int index, GroupReply reply) {
        running--;
        ByteBuf content = reply.replies();
        if (reply.outcome() != Outcome.DONE || content == null) {
            boolean isUnknown = reply.outcome() == Outcome.UNKNOWN;
            fail(Refusals.text(reply, parts.get(index).group, caller.door().owners()), isUnknown);
        } else {
            replies[index] = content;
            bytes += content.readableBytes();
            if (content.getByte(content.readerIndex()) == '-') {
                fail(errorText(content), false);
            } else if (bytes > mostBytes) {
                fail("ERR the reply would have more than " + mostBytes + " bytes; ask for less at once", false);
            }
        }
        start();
    }

    /** Of several failures the first one is told, but that an outcome is unknown counts more. */
    private void fail(String error, boolean isUnknown) {
        if (failure == null || (isUnknown && !failureIsFinal)) {
            failure = error;
            failureIsFinal = isUnknown;
        }
    }

    private static String errorText(ByteBuf reply) {
        int start = reply.readerIndex() + 1;
        int end = reply.indexOf(start, reply.writerIndex(), (byte) '\r');
        return reply.toString(start, Math.max(0, end - start), StandardCharsets.ISO_8859_1);
    }

    private void finish() {
        try {
            if (failure == null) {
                then.accept(Arrays.stream(replies).map(Objects::requireNonNull).toList());
            } else {
                caller.reply().error(failure);
                caller.done();
            }
        } finally {
            for (int i = next; i < parts.size(); i++) {
                parts.get(i).request.release();
            }
            for (ByteBuf reply : replies) {
                if (reply != null) {
                    reply.release();
                }
            }
        }
    }
}
