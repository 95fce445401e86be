package dev.granary.storage.door.keys;

import dev.granary.access.Account;
import dev.granary.access.Accounts;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.User;
import dev.granary.storage.door.command.ClientNames;
import dev.granary.storage.door.command.InfoSections;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.ClientRights;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code AUTH} and {@code HELLO}. They wait where passwords are kept as derived keys. */
final class LoginCommands {

    private static final int PROTOCOL_2 = 2;
    private static final int PROTOCOL_3 = 3;

    private static final String WRONG_PASSWORD = "WRONGPASS invalid username-password pair or user is disabled.";
    private static final String BUSY = "ERR too many clients authenticate at once; try again in a second";

    private static final String NO_AUTH = "NOAUTH HELLO must be called with the client already authenticated, otherwise"
            + " the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and select the RESP"
            + " protocol version at the same time";

    private LoginCommands() {}

    static void addTo(Map<String, ComposedCommand> commands) {
        commands.put("auth", LoginCommands::auth);
        commands.put("hello", LoginCommands::hello);
    }

    private static void auth(Caller caller, Request request) {
        Accounts accounts = caller.door().access().accounts();
        switch (request.count()) {
            case 2 -> {
                if (accounts.ofAll().user().anyPassword()) {
                    error(
                            caller,
                            "ERR AUTH <password> called without any password configured for the default user. Are you"
                                    + " sure your configuration is correct?");
                } else {
                    login(caller, User.DEFAULT, request.text(1), "AUTH", () -> caller.reply()
                            .simple("OK"));
                }
            }
            case 3 ->
                login(caller, request.text(1), request.text(2), "AUTH", () -> caller.reply()
                        .simple("OK"));
            default -> error(caller, "ERR syntax error");
        }
    }

    /** Goes on when the client has authenticated; else answers an error. */
    private static void login(Caller caller, String name, String password, String command, Runnable then) {
        caller.await(caller.door().access().isRight(name, password), (right, failure) -> {
            Account account = caller.door().access().accounts().find(name);
            if (failure != null) {
                error(caller, BUSY);
            } else if (!right || account == null) {
                ClientRights.denied(caller.door(), caller.client(), Denial.Reason.AUTH, command, name);
                error(caller, WRONG_PASSWORD);
            } else {
                caller.client().authenticated(account);
                then.run();
                caller.done();
            }
        });
    }

    private static void error(Caller caller, String text) {
        caller.reply().error(text);
        caller.done();
    }

    /** What a HELLO asks for. */
    private static final class Wish {
        private long version;
        private @Nullable String user;
        private String password = "";
        private String name = "";
    }

    private static void hello(Caller caller, Request request) {
        Wish wish = new Wish();
        wish.version = caller.client().protocol().number();
        wish.name = caller.client().name();
        String problem = read(request, wish);
        if (problem != null) {
            error(caller, problem);
        } else if (wish.user != null) {
            login(caller, wish.user, wish.password, "HELLO", () -> greet(caller, wish));
        } else if (new ClientRights(caller.door(), caller.client()).mustAuthenticate()) {
            error(caller, NO_AUTH);
        } else {
            greet(caller, wish);
            caller.done();
        }
    }

    /** Returns what is wrong with a HELLO; null for nothing. */
    private static @Nullable String read(Request request, Wish wish) {
        if (request.count() > 1) {
            wish.version = request.number(1, 0);
            if (wish.version == 0 && !request.text(1).equals("0")) {
                return "ERR Protocol version is not an integer or out of range";
            }
            if (wish.version < PROTOCOL_2 || wish.version > PROTOCOL_3) {
                return "NOPROTO unsupported protocol version";
            }
        }
        for (int i = 2; i < request.count(); i++) {
            String option = request.text(i).toLowerCase(Locale.ROOT);
            if (option.equals("auth") && i + 2 < request.count()) {
                wish.user = request.text(++i);
                wish.password = request.text(++i);
            } else if (option.equals("setname") && i + 1 < request.count()) {
                wish.name = request.text(++i);
                if (!ClientNames.isName(wish.name)) {
                    return ClientNames.NOT_A_NAME;
                }
            } else {
                return "ERR Syntax error in HELLO option '" + request.text(i) + "'";
            }
        }
        return null;
    }

    private static void greet(Caller caller, Wish wish) {
        Client client = caller.client();
        ReplyWriter reply = caller.reply();
        client.name(wish.name);
        client.protocol(wish.version == PROTOCOL_3 ? Protocol.RESP3 : Protocol.RESP2);
        reply.protocol(client.protocol());
        reply.map(7);
        reply.bulk("server");
        reply.bulk("redis");
        reply.bulk("version");
        reply.bulk(InfoSections.REDIS_VERSION);
        reply.bulk("proto");
        reply.integer(client.protocol().number());
        reply.bulk("id");
        reply.integer(client.id());
        reply.bulk("mode");
        reply.bulk("cluster");
        reply.bulk("role");
        reply.bulk("master");
        reply.bulk("modules");
        reply.array(0);
    }
}
