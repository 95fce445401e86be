package dev.granary.process;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What was asked for on the command line of a process.
 *
 * @param action what to do
 * @param configFile to read; null for none
 * @param complaint what is wrong with the command line, for {@link Action#WRONG}
 */
record CommandLine(Action action, @Nullable Path configFile, String complaint) {

    enum Action {
        RUN,
        HELP,
        VERSION,
        WRONG
    }

    static CommandLine parse(String[] args) {
        Path configFile = null;
        for (int i = 0; i < args.length; i++) {
            String arg = args[i];
            if (arg.equals("--help") || arg.equals("-h")) {
                return new CommandLine(Action.HELP, null, "");
            } else if (arg.equals("--version")) {
                return new CommandLine(Action.VERSION, null, "");
            } else if (arg.startsWith("--config=")) {
                configFile = Path.of(arg.substring("--config=".length()));
            } else if (!arg.equals("--config")) {
                return wrong("unknown argument '" + arg + "'");
            } else if (i + 1 == args.length) {
                return wrong("--config needs the name of a file");
            } else {
                i++;
                configFile = Path.of(args[i]);
            }
        }
        return new CommandLine(Action.RUN, configFile, "");
    }

    private static CommandLine wrong(String complaint) {
        return new CommandLine(Action.WRONG, null, complaint);
    }
}
