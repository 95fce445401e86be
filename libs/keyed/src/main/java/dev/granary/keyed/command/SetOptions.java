package dev.granary.keyed.command;

import dev.granary.keyed.KeyEntry;
import org.jspecify.annotations.Nullable;

/**
 * The options of SET and GETEX. Those that exclude each other are refused, a repeated one counts once, and of repeated
 * times the last one counts: as in Redis.
 */
final class SetOptions {

    private boolean onlyIfAbsent;
    private boolean onlyIfPresent;
    private boolean get;
    private boolean keepTime;
    private boolean persist;
    private @Nullable TimeForm form;
    private int timeArgument;

    private SetOptions() {}

    /** Reads the options of {@code SET key value ...}. */
    static SetOptions ofSet(CommandCall call) {
        SetOptions options = new SetOptions();
        for (int i = 3; i < call.count(); i++) {
            if (!options.takesForSet(call.option(i))) {
                i = options.time(call, i);
            }
        }
        return options;
    }

    /** Reads the options of {@code GETEX key ...}. */
    static SetOptions ofGetex(CommandCall call) {
        SetOptions options = new SetOptions();
        for (int i = 2; i < call.count(); i++) {
            if (call.request().is(i, "persist") && !options.hasTime()) {
                options.persist = true;
            } else {
                i = options.time(call, i);
            }
        }
        return options;
    }

    private boolean takesForSet(String option) {
        switch (option) {
            case "NX" -> {
                onlyIfAbsent = !onlyIfPresent;
                return onlyIfAbsent;
            }
            case "XX" -> {
                onlyIfPresent = !onlyIfAbsent;
                return onlyIfPresent;
            }
            case "GET" -> {
                get = true;
                return true;
            }
            case "KEEPTTL" -> {
                keepTime = !hasTime();
                return keepTime;
            }
            default -> {
                return false;
            }
        }
    }

    /** Reads a time, and returns the index of its last argument. */
    private int time(CommandCall call, int index) {
        TimeForm next =
                switch (call.option(index)) {
                    case "EX" -> TimeForm.EX;
                    case "PX" -> TimeForm.PX;
                    case "EXAT" -> TimeForm.EXAT;
                    case "PXAT" -> TimeForm.PXAT;
                    default -> throw new CommandException(CommandException.SYNTAX);
                };
        boolean isLast = index + 1 == call.count();
        if (keepTime || persist || isLast || (form != null && form != next)) {
            throw new CommandException(CommandException.SYNTAX);
        }
        form = next;
        timeArgument = index + 1;
        return index + 1;
    }

    /** Whether the key must not be there. */
    boolean onlyIfAbsent() {
        return onlyIfAbsent;
    }

    /** Whether the key must be there. */
    boolean onlyIfPresent() {
        return onlyIfPresent;
    }

    /** Whether the reply is what the key stood for before. */
    boolean get() {
        return get;
    }

    /** Whether what the key stood for before matters. */
    boolean needsOld() {
        return onlyIfAbsent || onlyIfPresent || get || keepTime;
    }

    /** Whether the key expires when it would have done. */
    boolean keepTime() {
        return keepTime;
    }

    /** Whether the key does not expire any more. */
    boolean persist() {
        return persist;
    }

    /** Whether one of them says when the key expires. */
    boolean hasTime() {
        return form != null;
    }

    /**
     * Returns when the key expires; {@link KeyEntry#NEVER} if no option says so.
     *
     * @throws CommandException when the time is none
     */
    long expiresAt(CommandCall call) {
        return form == null ? KeyEntry.NEVER : form.expiresAt(call, timeArgument);
    }
}
