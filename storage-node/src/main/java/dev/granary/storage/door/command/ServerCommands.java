package dev.granary.storage.door.command;

import dev.granary.resp.command.CommandReplies;
import java.util.Map;

/** Commands about the server as a whole. */
final class ServerCommands {

    private static final int MILLIS = 1000;

    private ServerCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        LocalCommand command = call -> new CommandReplies(call.door().table()).answer(call.request(), call.reply());
        commands.put("command", command);
        for (String subcommand : new String[] {"count", "docs", "getkeys", "getkeysandflags", "help", "info", "list"}) {
            commands.put("command|" + subcommand, command);
        }
        commands.put("time", ServerCommands::time);
        commands.put("wait", ServerCommands::wait);
        commands.put("monitor", ServerCommands::monitor);
        commands.put("function|flush", ServerCommands::flushFunctions);
        commands.put("object|help", ServerCommands::objectHelp);
        commands.put("chunk.name|help", ServerCommands::chunkNameHelp);
    }

    private static void chunkNameHelp(LocalCall call) {
        call.help("""
                DEL <name> [IFEQ <cid>]
                    Remove a name, or only if it stands for this chunk. Return how many were removed.
                GET <name>
                    Return the CID for which a name stands.
                LIST [PREFIX <prefix>] [AFTER <name>] [COUNT <count>]
                    Return names and their CIDs in the order of their bytes, up to <count> (default: 100).
                SET <name> <cid> [NX | IFEQ <cid>]
                    Let a name stand for a chunk: always, if it stands for none, or if it stands for this chunk.""");
    }

    private static void time(LocalCall call) {
        long millis = call.door().clock().wallMillis();
        call.reply().array(2);
        call.reply().bulk(millis / MILLIS);
        call.reply().bulk(millis % MILLIS * MILLIS);
    }

    /**
     * A change is answered when its copies have it, so at this point they have all changes of this connection: there is
     * nothing to wait for, and no time makes them more.
     */
    private static void wait(LocalCall call) {
        long copies = call.request().number(1, Long.MIN_VALUE);
        long millis = call.request().number(2, Long.MIN_VALUE);
        if (copies == Long.MIN_VALUE) {
            call.reply().error(LocalCall.NOT_AN_INTEGER);
        } else if (millis == Long.MIN_VALUE) {
            call.reply().error("ERR timeout is not an integer or out of range");
        } else if (millis < 0) {
            call.reply().error("ERR timeout is negative");
        } else {
            call.reply().integer(call.door().figures().copies());
        }
    }

    private static void monitor(LocalCall call) {
        if (!call.door().monitors().add(call.client())) {
            call.reply().error("ERR there are too many monitors of this storage peer; end one of them first");
            return;
        }
        call.client().monitor(true);
        call.ok();
    }

    /** There are no functions, so none is left. */
    private static void flushFunctions(LocalCall call) {
        if (call.count() > 3 || (call.count() == 3 && !call.is(2, "sync") && !call.is(2, "async"))) {
            call.reply().error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
        } else {
            call.ok();
        }
    }

    private static void objectHelp(LocalCall call) {
        call.help("""
                ENCODING <key>
                    Return the kind of internal representation used in order to store the value
                    associated with a <key>.
                FREQ <key>
                    Return the access frequency index of the <key>. The returned integer is
                    proportional to the logarithm of the recent access frequency of the key.
                IDLETIME <key>
                    Return the idle time of the <key>, that is the approximated number of
                    seconds elapsed since the last access to the key.
                REFCOUNT <key>
                    Return the number of references of the value associated with the specified
                    <key>.""");
    }
}
