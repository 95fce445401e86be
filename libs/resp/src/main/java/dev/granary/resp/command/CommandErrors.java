package dev.granary.resp.command;

import dev.granary.resp.Request;
import java.util.Locale;

/** What Redis answers to requests that are of no command, or that no command can carry out. */
public final class CommandErrors {

    private static final int SHOWN_BYTES = 128;

    private CommandErrors() {}

    /** Returns the error for a request whose command is not in the table. */
    public static String unknown(CommandTable table, Request request) {
        String name = shown(request, 0, SHOWN_BYTES);
        if (table.isContainer(request)) {
            return "ERR unknown subcommand '" + shown(request, 1, SHOWN_BYTES) + "'. Try "
                    + name.toUpperCase(Locale.ROOT) + " HELP.";
        }
        StringBuilder arguments = new StringBuilder();
        for (int i = 1; i < request.count() && arguments.length() < SHOWN_BYTES; i++) {
            String argument = shown(request, i, SHOWN_BYTES - arguments.length());
            arguments.append('\'').append(argument).append("' ");
        }
        return "ERR unknown command '" + name + "', with args beginning with: " + arguments;
    }

    /** Returns the error for a command that does not take so many arguments. */
    public static String wrongArity(Command command) {
        return "ERR wrong number of arguments for '" + command.name() + "' command";
    }

    /** Redis shows an argument as a C string: up to its first zero. */
    private static String shown(Request request, int argument, int mostBytes) {
        String text = request.text(argument, mostBytes);
        int zero = text.indexOf(0);
        return zero < 0 ? text : text.substring(0, zero);
    }
}
