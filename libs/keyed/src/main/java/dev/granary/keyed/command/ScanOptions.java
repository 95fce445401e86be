package dev.granary.keyed.command;

import dev.granary.resp.Glob;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What SCAN and HSCAN were asked.
 *
 * @param cursor where to go on, as 64 bits without a sign
 * @param pattern that keys or fields must match; null for all
 * @param count about how many to look at, at least 1
 * @param type that values must have, in small letters; null for all
 */
record ScanOptions(
        long cursor,
        @Nullable Glob pattern,
        long count,
        @Nullable String type) {

    private static final long DEFAULT_COUNT = 10;
    private static final Pattern NUMBER = Pattern.compile("([+-]?)([0-9]+)");

    /** Returns the cursor that an argument is. As Redis does it, signs and nothing at all are allowed. */
    static long cursor(CommandCall call, int index) {
        String text = call.text(index);
        if (text.isEmpty()) {
            return 0;
        }
        var number = NUMBER.matcher(text);
        if (!number.matches()) {
            throw new CommandException("ERR invalid cursor");
        }
        try {
            long cursor = Long.parseUnsignedLong(number.group(2));
            return number.group(1).equals("-") ? -cursor : cursor;
        } catch (NumberFormatException tooLarge) {
            throw new CommandException("ERR invalid cursor");
        }
    }

    /** Reads the options from an argument on; TYPE only where keys are scanned. */
    static ScanOptions read(CommandCall call, long cursor, int first, boolean ofKeys) {
        Glob pattern = null;
        long count = DEFAULT_COUNT;
        String type = null;
        for (int i = first; i < call.count(); i += 2) {
            String option = call.option(i);
            if (i + 1 == call.count()) {
                throw new CommandException(CommandException.SYNTAX);
            } else if (option.equals("COUNT")) {
                count = call.integer(i + 1);
                if (count < 1) {
                    throw new CommandException(CommandException.SYNTAX);
                }
            } else if (option.equals("MATCH")) {
                pattern = new Glob(call.argument(i + 1), false);
            } else if (option.equals("TYPE") && ofKeys) {
                type = call.text(i + 1).toLowerCase(Locale.ROOT);
            } else {
                throw new CommandException(CommandException.SYNTAX);
            }
        }
        return new ScanOptions(cursor, pattern, count, type);
    }
}
