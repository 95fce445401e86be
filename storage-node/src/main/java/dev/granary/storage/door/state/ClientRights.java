package dev.granary.storage.door.state;

import dev.granary.access.AclLog;
import dev.granary.resp.Request;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandFlag;
import dev.granary.resp.command.KeyPositions;
import org.jspecify.annotations.Nullable;

/** What the user of one connection may do. I/O thread only. */
public final class ClientRights {

    private static final String NO_AUTH = "NOAUTH Authentication required.";

    private final DoorState door;
    private final Client client;
    private final KeyPositions places = new KeyPositions();

    public ClientRights(DoorState door, Client client) {
        this.door = door;
        this.client = client;
    }

    /** Returns whether a request may be carried out. Nothing is counted: a refusal is found again by the other. */
    public boolean allow(Command command, Request request) {
        if (mustAuthenticate()) {
            return false;
        }
        User user = client.account().user();
        return user.isUnlimited() || user.check(command, request, 0, places) == null;
    }

    /** Returns why a request is refused, as the error that the client gets; null when it may be carried out. */
    public @Nullable String refusal(Command command, Request request) {
        if (mustAuthenticate()) {
            return command.flags().contains(CommandFlag.NO_AUTH) ? null : NO_AUTH;
        }
        User user = client.account().user();
        Denial denial = user.isUnlimited() ? null : user.check(command, request, 0, places);
        if (denial == null) {
            return null;
        }
        denied(door, client, denial.reason(), denial.object(), user.name());
        return denial.error();
    }

    /** Returns whether the client may only authenticate. */
    public boolean mustAuthenticate() {
        return !client.authenticated() && !door.access().accounts().isOpen();
    }

    /**
     * Notes that something was refused.
     *
     * @param user the client's, or the one that it has tried to be
     */
    public static void denied(DoorState door, Client client, Denial.Reason reason, String object, String user) {
        door.access()
                .denied(
                        new AclLog.Entry(
                                1,
                                reason,
                                client.link().queued() >= 0 ? "multi" : "toplevel",
                                object,
                                user,
                                door.clock().wallMillis(),
                                ClientLine.of(client, door.clock().nanoTime())),
                        client.address(),
                        door.settings().accessLogEntries());
    }
}
