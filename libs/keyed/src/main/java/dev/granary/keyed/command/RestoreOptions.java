package dev.granary.keyed.command;

/**
 * The options of RESTORE. Those about how a key was used are checked, and do nothing.
 *
 * @param replace whether the key may be there
 * @param absolute whether the time counts from 1970, and not from now
 */
record RestoreOptions(boolean replace, boolean absolute) {

    private static final int MOST_FREQUENCY = 255;

    static RestoreOptions of(CommandCall call) {
        boolean replace = false;
        boolean absolute = false;
        boolean idle = false;
        boolean frequency = false;
        for (int i = 4; i < call.count(); i++) {
            String option = call.option(i);
            boolean hasMore = i + 1 < call.count();
            if (option.equals("REPLACE")) {
                replace = true;
            } else if (option.equals("ABSTTL")) {
                absolute = true;
            } else if (option.equals("IDLETIME") && hasMore && !frequency) {
                check(call.integer(++i), Long.MAX_VALUE, "ERR Invalid IDLETIME value, must be >= 0");
                idle = true;
            } else if (option.equals("FREQ") && hasMore && !idle) {
                check(call.integer(++i), MOST_FREQUENCY, "ERR Invalid FREQ value, must be >= 0 and <= 255");
                frequency = true;
            } else {
                throw new CommandException(CommandException.SYNTAX);
            }
        }
        return new RestoreOptions(replace, absolute);
    }

    private static void check(long value, long most, String error) {
        if (value < 0 || value > most) {
            throw new CommandException(error);
        }
    }
}
