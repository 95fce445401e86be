package dev.granary.storage.door.notice;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.ReplyWriter;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a door tells a client that has asked for it by {@code CLIENT MAINT_NOTIFICATIONS ON}. The frames are those that
 * go-redis, Lettuce and redis-py read; docs/formats/resp.md has them. Immutable.
 */
public sealed interface Notice {

    /** What a notice is about. */
    enum Kind {
        /** The door is about to be closed. */
        MOVING("moving"),
        /** Slots begin to leave. */
        SMIGRATING("smigrating"),
        /** Slots have left, or stay after all. */
        SMIGRATED("smigrated");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** Returns the name in metrics. */
        public String label() {
            return label;
        }
    }

    /** Returns what it is about. */
    Kind kind();

    /** Returns whether it is for clients that know the cluster; otherwise it is for those that do not. */
    default boolean isForClusterClients() {
        return kind() != Kind.MOVING;
    }

    /**
     * Writes the frame, unless it is too late for it; true if it was written.
     *
     * @param out writes RESP3
     */
    boolean writeTo(ReplyWriter out, long nowNanos);

    /**
     * A door that will be closed.
     *
     * @param number the same for all clients that are told of this event
     * @param endNanos until when the door serves, by the clock that {@link #writeTo} is given
     * @param to the door to which the client shall go; null if it shall connect again to the address that it knows
     */
    record Moving(long number, long endNanos, @Nullable HostAddress to) implements Notice {

        @Override
        public Kind kind() {
            return Kind.MOVING;
        }

        /** A client that is told late is told the whole seconds that are left, and nothing in the last one. */
        @Override
        public boolean writeTo(ReplyWriter out, long nowNanos) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(endNanos - nowNanos);
            if (seconds < 1) {
                return false;
            }
            out.push(4);
            out.bulk("MOVING");
            out.integer(number);
            out.integer(seconds);
            if (to == null) {
                out.nothing();
            } else {
                out.bulk(to.toString());
            }
            return true;
        }
    }

    /**
     * A slot group that begins to leave.
     *
     * @param number the same for all clients that are told of this event
     */
    record SlotsMigrating(long number, int group) implements Notice {

        @Override
        public Kind kind() {
            return Kind.SMIGRATING;
        }

        @Override
        public boolean writeTo(ReplyWriter out, long nowNanos) {
            out.push(3);
            out.bulk("SMIGRATING");
            out.integer(number);
            out.bulk(slots(group));
            return true;
        }
    }

    /**
     * A slot group whose migration has ended.
     *
     * @param number the same for all clients that are told of this event
     * @param from the door where it was
     * @param to the door of its owner; {@code from} if it has not left
     */
    record SlotsMigrated(long number, int group, HostAddress from, HostAddress to) implements Notice {

        @Override
        public Kind kind() {
            return Kind.SMIGRATED;
        }

        @Override
        public boolean writeTo(ReplyWriter out, long nowNanos) {
            out.push(3);
            out.bulk("SMIGRATED");
            out.integer(number);
            out.array(1);
            out.array(3);
            out.bulk(from.toString());
            out.bulk(to.toString());
            out.bulk(slots(group));
            return true;
        }
    }

    private static String slots(int group) {
        int first = SlotGroup.firstSlot(group);
        return first + "-" + (first + SlotGroup.SLOTS - 1);
    }
}
