package dev.granary.storage.keyed;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What became of a {@link GroupCall}.
 *
 * @param replies one for each request, one behind the other; whoever gets them releases them. Null unless {@link
 *     Outcome#DONE}
 * @param message for people: why it was not done; empty when it was
 */
public record GroupReply(Outcome outcome, @Nullable ByteBuf replies, String message) {

    /** What became of a call. */
    public enum Outcome {
        /** It was carried out, and as many backups have it as its durability asks. */
        DONE,
        /** A watched key has changed; nothing was carried out. */
        WATCH_BROKEN,
        /** Nothing was carried out, because nobody can at present. A later call may succeed. */
        REFUSED,
        /** Nobody knows whether it was carried out. */
        UNKNOWN
    }

    public static GroupReply done(ByteBuf replies) {
        return new GroupReply(Outcome.DONE, replies, "");
    }

    public static GroupReply not(Outcome outcome, String message) {
        return new GroupReply(outcome, null, message);
    }
}
