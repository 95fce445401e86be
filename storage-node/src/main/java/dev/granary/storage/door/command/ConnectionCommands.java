package dev.granary.storage.door.command;

import dev.granary.resp.Protocol;
import java.util.Map;

/** The state and the end of a connection; {@code LoginCommands} begin it. */
final class ConnectionCommands {

    private ConnectionCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("ping", ConnectionCommands::ping);
        commands.put("echo", call -> call.echo(1));
        commands.put("quit", ConnectionCommands::quit);
        commands.put("reset", ConnectionCommands::reset);
        commands.put("select", ConnectionCommands::select);
        commands.put("asking", ConnectionCommands::asking);
        commands.put("readonly", call -> readOnly(call, true));
        commands.put("readwrite", call -> readOnly(call, false));
    }

    private static void ping(LocalCall call) {
        switch (call.count()) {
            case 1 -> call.reply().simple("PONG");
            case 2 -> call.echo(1);
            default -> call.reply().error("ERR wrong number of arguments for 'ping' command");
        }
    }

    private static void quit(LocalCall call) {
        call.ok();
        call.client().link().closeAfterReply();
    }

    private static void reset(LocalCall call) {
        call.door().monitors().remove(call.client());
        call.client().reset();
        call.reply().protocol(Protocol.RESP2);
        call.reply().simple("RESET");
    }

    private static void select(LocalCall call) {
        long index = call.request().number(1, -1);
        if (index < 0 && call.request().number(1, 0) == 0) {
            call.reply().error(LocalCall.NOT_AN_INTEGER);
        } else if (index != 0) {
            call.reply().error("ERR DB index is out of range");
        } else {
            call.ok();
        }
    }

    private static void asking(LocalCall call) {
        call.client().asking(true);
        call.ok();
    }

    private static void readOnly(LocalCall call, boolean value) {
        call.client().readOnly(value);
        call.ok();
    }
}
