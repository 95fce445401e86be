package dev.granary.storage.door.command;

import dev.granary.resp.Protocol;
import dev.granary.storage.door.state.Client;
import java.util.Map;

/** Greeting, authentication and the end of a connection. There are no users yet, so everybody is the default one. */
final class ConnectionCommands {

    private static final int PROTOCOL_2 = 2;
    private static final int PROTOCOL_3 = 3;

    private static final String WRONG_PASSWORD = "WRONGPASS invalid username-password pair or user is disabled.";

    private ConnectionCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("ping", ConnectionCommands::ping);
        commands.put("echo", call -> call.echo(1));
        commands.put("quit", ConnectionCommands::quit);
        commands.put("reset", ConnectionCommands::reset);
        commands.put("select", ConnectionCommands::select);
        commands.put("hello", ConnectionCommands::hello);
        commands.put("auth", ConnectionCommands::auth);
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

    private static void hello(LocalCall call) {
        Client client = call.client();
        long version = client.protocol().number();
        if (call.count() > 1) {
            version = call.request().number(1, 0);
            if (version == 0 && !call.text(1).equals("0")) {
                call.reply().error("ERR Protocol version is not an integer or out of range");
                return;
            }
            if (version < PROTOCOL_2 || version > PROTOCOL_3) {
                call.reply().error("NOPROTO unsupported protocol version");
                return;
            }
        }
        String name = client.name();
        for (int i = 2; i < call.count(); i++) {
            if (call.is(i, "auth") && i + 2 < call.count()) {
                if (!isDefaultUser(call, i + 1)) {
                    call.reply().error(WRONG_PASSWORD);
                    return;
                }
                i += 2;
            } else if (call.is(i, "setname") && i + 1 < call.count()) {
                name = call.text(++i);
                if (!ClientCommands.isName(name)) {
                    call.reply().error(ClientCommands.NOT_A_NAME);
                    return;
                }
            } else {
                call.reply().error("ERR Syntax error in HELLO option '" + call.text(i) + "'");
                return;
            }
        }
        client.name(name);
        client.protocol(version == PROTOCOL_3 ? Protocol.RESP3 : Protocol.RESP2);
        call.reply().protocol(client.protocol());
        greet(call);
    }

    private static void greet(LocalCall call) {
        call.reply().map(7);
        call.reply().bulk("server");
        call.reply().bulk("redis");
        call.reply().bulk("version");
        call.reply().bulk(InfoSections.REDIS_VERSION);
        call.reply().bulk("proto");
        call.reply().integer(call.client().protocol().number());
        call.reply().bulk("id");
        call.reply().integer(call.client().id());
        call.reply().bulk("mode");
        call.reply().bulk("cluster");
        call.reply().bulk("role");
        call.reply().bulk("master");
        call.reply().bulk("modules");
        call.reply().array(0);
    }

    private static void auth(LocalCall call) {
        switch (call.count()) {
            case 2 ->
                call.reply()
                        .error("ERR AUTH <password> called without any password configured for the default user. Are"
                                + " you sure your configuration is correct?");
            case 3 -> {
                if (isDefaultUser(call, 1)) {
                    call.ok();
                } else {
                    call.reply().error(WRONG_PASSWORD);
                }
            }
            default -> call.syntaxError();
        }
    }

    /** The default user needs no password, and so takes any. */
    private static boolean isDefaultUser(LocalCall call, int argument) {
        return call.text(argument).equals("default");
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
