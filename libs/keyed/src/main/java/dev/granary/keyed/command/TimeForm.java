package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;

/** How an argument says when a key expires. */
enum TimeForm {
    /** In so many seconds. */
    EX(true, true),
    /** In so many milliseconds. */
    PX(false, true),
    /** So many seconds after 1970. */
    EXAT(true, false),
    /** So many milliseconds after 1970. */
    PXAT(false, false);

    private static final long SECOND = 1000;

    private final boolean seconds;
    private final boolean relative;

    TimeForm(boolean seconds, boolean relative) {
        this.seconds = seconds;
        this.relative = relative;
    }

    /**
     * Returns the time in milliseconds since 1970 that an argument of SET or its like stands for. It may be over.
     *
     * @throws CommandException when it is no number, is none above zero, or is too far away
     */
    long expiresAt(CommandCall call, int argument) {
        long time = call.integer(argument);
        if (time <= 0 || (seconds && time > Long.MAX_VALUE / SECOND)) {
            throw invalid(call);
        }
        long millis = (seconds ? time * SECOND : time) + base(call);
        // A sum that is too large has become negative.
        if (millis <= 0) {
            throw invalid(call);
        }
        return atMost(millis);
    }

    /**
     * Returns the time that an argument of EXPIRE or its like stands for. It may be over, and before 1970.
     *
     * @throws CommandException when it is no number, or is too far away
     */
    long anyTime(CommandCall call, int argument) {
        long time = call.integer(argument);
        if (seconds && (time > Long.MAX_VALUE / SECOND || time < Long.MIN_VALUE / SECOND)) {
            throw invalid(call);
        }
        long millis = seconds ? time * SECOND : time;
        if (millis > Long.MAX_VALUE - base(call)) {
            throw invalid(call);
        }
        return atMost(millis + base(call));
    }

    private long base(CommandCall call) {
        return relative ? call.keys().nowMillis() : 0;
    }

    /** The last millisecond of all stands for none: a key that expires then does so one earlier. */
    static long atMost(long millis) {
        return Math.min(millis, KeyEntry.NEVER - 1);
    }

    private static CommandException invalid(CommandCall call) {
        return new CommandException(
                "ERR invalid expire time in '" + call.command().name() + "' command");
    }
}
