package dev.granary.storage.door.command;

import dev.granary.resp.Protocol;
import dev.granary.storage.door.notice.EndpointType;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.Client.Replies;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** {@code CLIENT} about the own connection, and pauses of all. */
final class ClientCommands {

    private ClientCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("client|id", call -> call.reply().integer(call.client().id()));
        commands.put("client|getname", ClientCommands::getName);
        commands.put("client|setname", ClientCommands::setName);
        commands.put("client|setinfo", ClientCommands::setInfo);
        commands.put("client|no-evict", call -> onOrOff(call, call.client()::noEvict));
        commands.put("client|no-touch", call -> onOrOff(call, call.client()::noTouch));
        commands.put("client|reply", ClientCommands::reply);
        commands.put("client|pause", ClientCommands::pause);
        commands.put("client|unpause", ClientCommands::unpause);
        commands.put("client|tracking", ClientCommands::tracking);
        commands.put("client|trackinginfo", ClientCommands::trackingInfo);
        commands.put("client|getredir", call -> call.reply().integer(-1));
        commands.put("client|maint_notifications", ClientCommands::maintNotifications);
        commands.put("client|caching", ClientCommands::caching);
        commands.put("client|unblock", ClientCommands::unblock);
        commands.put("client|help", ClientCommands::help);
    }

    private static void getName(LocalCall call) {
        if (call.client().name().isEmpty()) {
            call.reply().nothing();
        } else {
            call.reply().bulk(call.client().name());
        }
    }

    private static void setName(LocalCall call) {
        if (!ClientNames.isName(call.text(2))) {
            call.reply().error(ClientNames.NOT_A_NAME);
            return;
        }
        call.client().name(call.text(2));
        call.ok();
    }

    private static void setInfo(LocalCall call) {
        String value = call.text(3);
        boolean isLibName = call.is(2, "lib-name");
        if (!isLibName && !call.is(2, "lib-ver")) {
            call.reply().error("ERR Unrecognized option '" + call.text(2) + "'");
        } else if (!ClientNames.isName(value)) {
            call.reply().error("ERR " + call.text(2) + " cannot contain spaces, newlines or special characters.");
        } else {
            if (isLibName) {
                call.client().libName(value);
            } else {
                call.client().libVersion(value);
            }
            call.ok();
        }
    }

    private static void onOrOff(LocalCall call, Consumer<Boolean> set) {
        boolean on = call.is(2, "on");
        if (!on && !call.is(2, "off")) {
            call.syntaxError();
            return;
        }
        set.accept(on);
        call.ok();
    }

    private static void reply(LocalCall call) {
        Client client = call.client();
        if (call.is(2, "on")) {
            client.replies(Replies.ON);
            call.ok();
        } else if (call.is(2, "off")) {
            client.replies(Replies.OFF);
        } else if (call.is(2, "skip")) {
            if (client.replies() != Replies.OFF) {
                client.replies(Replies.SKIP_NEXT);
            }
        } else {
            call.syntaxError();
        }
    }

    private static void pause(LocalCall call) {
        boolean changesOnly = call.count() > 3 && call.is(3, "write");
        if (call.count() > 4) {
            call.syntaxError();
            return;
        }
        if (call.count() == 4 && !changesOnly && !call.is(3, "all")) {
            call.reply().error("ERR CLIENT PAUSE mode must be WRITE or ALL");
            return;
        }
        long millis = call.request().number(2, Long.MIN_VALUE);
        if (millis == Long.MIN_VALUE || millis > TimeUnit.DAYS.toMillis(1)) {
            call.reply().error("ERR timeout is not an integer or out of range");
        } else if (millis < 0) {
            call.reply().error("ERR timeout is negative");
        } else {
            call.door()
                    .pause()
                    .begin(call.door().clock().nanoTime(), TimeUnit.MILLISECONDS.toNanos(millis), changesOnly);
            call.ok();
        }
    }

    private static void unpause(LocalCall call) {
        call.door().pause().end();
        call.ok();
    }

    private static void tracking(LocalCall call) {
        if (call.is(2, "off")) {
            call.ok();
        } else if (call.is(2, "on")) {
            call.reply().error("ERR client-side caching is not supported by Granary");
        } else {
            call.syntaxError();
        }
    }

    /** Options are checked before anything is remembered. */
    private static void maintNotifications(LocalCall call) {
        boolean on = call.is(2, "on");
        if ((!on && (!call.is(2, "off") || call.count() > 3)) || call.count() % 2 == 0) {
            call.syntaxError();
            return;
        }
        EndpointType type = EndpointType.NONE;
        for (int i = 3; i < call.count(); i += 2) {
            if (!call.is(i, "moving-endpoint-type")) {
                call.syntaxError();
                return;
            }
            EndpointType named = EndpointType.find(call.text(i + 1));
            if (named == null) {
                call.reply()
                        .error("ERR moving-endpoint-type must be internal-ip, internal-fqdn, external-ip, external-fqdn"
                                + " or none");
                return;
            }
            type = named;
        }
        if (on && call.client().protocol() != Protocol.RESP3) {
            call.reply().error("ERR CLIENT MAINT_NOTIFICATIONS needs RESP3; send HELLO 3 first");
            return;
        }
        call.client().notices(on ? type : null);
        call.ok();
    }

    private static void trackingInfo(LocalCall call) {
        call.reply().map(3);
        call.reply().bulk("flags");
        call.reply().set(1);
        call.reply().bulk("off");
        call.reply().bulk("redirect");
        call.reply().integer(-1);
        call.reply().bulk("prefixes");
        call.reply().array(0);
    }

    private static void caching(LocalCall call) {
        call.reply()
                .error("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT"
                        + " mode enabled");
    }

    /** No command blocks, so there is nobody to unblock. */
    private static void unblock(LocalCall call) {
        if (call.count() > 4) {
            call.syntaxError();
        } else if (call.count() == 4 && !call.is(3, "timeout") && !call.is(3, "error")) {
            call.reply().error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
        } else if (call.request().number(2, Long.MIN_VALUE) == Long.MIN_VALUE) {
            call.reply().error(LocalCall.NOT_AN_INTEGER);
        } else {
            call.reply().integer(0);
        }
    }

    private static void help(LocalCall call) {
        call.help("""
                CACHING (YES|NO)
                    Refused: client-side caching is not supported.
                GETREDIR
                    Return -1: client-side caching is not supported.
                GETNAME
                    Return the name of the current connection.
                ID
                    Return the ID of the current connection.
                INFO
                    Return information about the current client connection.
                KILL <ip:port>
                    Kill connection made from <ip:port>.
                KILL <option> <value> [<option> <value> [...]]
                    Kill connections. Options are:
                    * ADDR <ip:port>
                      Kill connections made from the specified address
                    * LADDR <ip:port>
                      Kill connections made to specified local address
                    * ID <client-id>
                      Kill the connection with an ID.
                    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)
                      Kill connections by type.
                    * USER <username>
                      Kill connections authenticated by <username>.
                    * SKIPME (YES|NO)
                      Skip killing current connection (default: yes).
                LIST [TYPE (NORMAL|MASTER|REPLICA|PUBSUB)] [ID <client-id> [...]]
                    Return information about client connections.
                MAINT_NOTIFICATIONS ON [moving-endpoint-type <type>]
                    Push notices of planned maintenance to the current connection, which speaks RESP3. Types are:
                    internal-ip, internal-fqdn, external-ip, external-fqdn, none (default).
                MAINT_NOTIFICATIONS OFF
                    Push none any more.
                NO-EVICT (ON|OFF)
                    Noted and shown.
                NO-TOUCH (ON|OFF)
                    Noted and shown.
                PAUSE <timeout> [WRITE|ALL]
                    Suspend all, or just write, clients of this storage peer for <timeout> milliseconds.
                REPLY (ON|OFF|SKIP)
                    Control the replies sent to the current connection.
                SETINFO (LIB-NAME|LIB-VER) <value>
                    Say which library the client uses.
                SETNAME <name>
                    Assign the name <name> to the current connection.
                TRACKING (ON|OFF)
                    Only OFF: client-side caching is not supported.
                TRACKINGINFO
                    Report tracking status for the current connection.
                UNBLOCK <clientid> [TIMEOUT|ERROR]
                    Return 0: no client is ever blocked.
                UNPAUSE
                    Stop the current client pause, resuming traffic.""");
    }
}
