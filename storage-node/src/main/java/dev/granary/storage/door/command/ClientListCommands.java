package dev.granary.storage.door.command;

import dev.granary.access.Account;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.ClientLine;
import dev.granary.storage.door.state.DoorCounters.Closing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code CLIENT} about all connections. */
final class ClientListCommands {

    private ClientListCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("client|info", call -> call.verbatim(line(call, call.client())));
        commands.put("client|list", ClientListCommands::list);
        commands.put("client|kill", ClientListCommands::kill);
    }

    private static void list(LocalCall call) {
        if (call.count() == 2) {
            lines(call, List.copyOf(call.door().clients().all()));
        } else if (call.count() == 4 && call.is(2, "type")) {
            Predicate<Client> type = type(call, 3);
            if (type != null) {
                lines(call, call.door().clients().all().stream().filter(type).toList());
            }
        } else if (call.count() > 3 && call.is(2, "id")) {
            List<Client> wanted = new ArrayList<>();
            for (int i = 3; i < call.count(); i++) {
                long id = call.request().number(i, Long.MIN_VALUE);
                if (id == Long.MIN_VALUE) {
                    call.reply().error("ERR Invalid client ID");
                    return;
                }
                Client found = call.door().clients().find(id);
                if (found != null) {
                    wanted.add(found);
                }
            }
            lines(call, wanted);
        } else {
            call.syntaxError();
        }
    }

    private static void lines(LocalCall call, List<Client> clients) {
        call.verbatim(clients.stream().map(client -> line(call, client)).collect(Collectors.joining()));
    }

    /** Returns which clients are of a type, or answers an error and returns null. */
    private static @Nullable Predicate<Client> type(LocalCall call, int argument) {
        return switch (call.text(argument).toLowerCase(Locale.ROOT)) {
            case "normal" -> client -> !client.monitor();
            // Monitors count as replicas, as in Redis.
            case "replica", "slave" -> Client::monitor;
            case "master", "pubsub" -> client -> false;
            default -> {
                call.reply().error("ERR Unknown client type '" + call.text(argument) + "'");
                yield null;
            }
        };
    }

    /** Of its own request a client sees the bytes, as in Redis. */
    private static String line(LocalCall call, Client client) {
        long now = call.door().clock().nanoTime();
        return (client == call.client()
                        ? ClientLine.of(client, now, call.request().sizeBytes())
                        : ClientLine.of(client, now))
                + "\n";
    }

    private static void kill(LocalCall call) {
        if (call.count() == 3) {
            String address = call.text(2);
            if (killAll(call, client -> client.address().equals(address)) == 0) {
                call.reply().error("ERR No such client");
            } else {
                call.ok();
            }
            return;
        }
        Predicate<Client> wanted = client -> true;
        boolean skipMe = true;
        for (int i = 2; i < call.count(); i += 2) {
            if (i + 1 == call.count()) {
                call.syntaxError();
                return;
            }
            if (call.is(i, "skipme")) {
                skipMe = call.is(i + 1, "yes");
                if (!skipMe && !call.is(i + 1, "no")) {
                    call.syntaxError();
                    return;
                }
                continue;
            }
            Predicate<Client> more = filter(call, i);
            if (more == null) {
                return;
            }
            wanted = wanted.and(more);
        }
        if (skipMe) {
            wanted = wanted.and(client -> client != call.client());
        }
        call.reply().integer(killAll(call, wanted));
    }

    /** Returns which clients a filter means, or answers an error and returns null. */
    private static @Nullable Predicate<Client> filter(LocalCall call, int option) {
        String value = call.text(option + 1);
        if (call.is(option, "id")) {
            long id = call.request().number(option + 1, 0);
            if (id < 1) {
                call.reply().error("ERR client-id should be greater than 0");
                return null;
            }
            return client -> client.id() == id;
        }
        if (call.is(option, "type")) {
            return type(call, option + 1);
        }
        if (call.is(option, "addr")) {
            return client -> client.address().equals(value);
        }
        if (call.is(option, "laddr")) {
            return client -> client.localAddress().equals(value);
        }
        if (call.is(option, "user")) {
            Account account = call.door().access().accounts().find(value);
            if (account == null) {
                call.reply().error("ERR No such user '" + value + "'");
                return null;
            }
            return client -> client.account() == account;
        }
        call.syntaxError();
        return null;
    }

    private static int killAll(LocalCall call, Predicate<Client> wanted) {
        int killed = 0;
        for (Client client : call.door().clients().all()) {
            if (wanted.test(client)) {
                killed++;
                if (client == call.client()) {
                    client.link().closeAfterReply();
                } else {
                    client.link().close(Closing.KILLED);
                }
            }
        }
        return killed;
    }
}
