package dev.granary.storage.door;

import dev.granary.access.Access;
import dev.granary.resp.Request;
import dev.granary.resp.command.CommandErrors;
import dev.granary.storage.door.command.LocalCall;
import dev.granary.storage.door.keys.Caller;
import dev.granary.storage.door.keys.KeyPlaces;
import dev.granary.storage.door.keys.Redirects;
import dev.granary.storage.door.keys.Refusals;
import dev.granary.storage.door.keys.Route;
import dev.granary.storage.door.keys.Transaction;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.Client.Replies;
import dev.granary.storage.door.state.ClientRights;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.keyed.GroupReply;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Carries out single requests of one connection, one after the other: those that are not for keys of one slot group, or
 * that cannot be carried out at all. It finds whether a request may be carried out, and counts what became of it. I/O
 * thread only.
 */
final class Execution {

    private final DoorState door;
    private final Client client;
    private final Output output;
    private final Transaction transaction;
    private final Redirects redirects;
    private final SlowRequests slow;
    private final KeyPlaces places;
    private final ClientRights rights;
    private @Nullable Route current;
    private long beginNanos;
    private int mark;
    private Replies repliesBefore = Replies.ON;
    private boolean refused;

    Execution(
            DoorState door,
            Client client,
            Output output,
            Transaction transaction,
            Redirects redirects,
            SlowRequests slow,
            KeyPlaces places,
            ClientRights rights) {
        this.door = door;
        this.client = client;
        this.output = output;
        this.transaction = transaction;
        this.redirects = redirects;
        this.slow = slow;
        this.places = places;
        this.rights = rights;
    }

    /** Begins a request; its end may come before this returns, or later. */
    void start(Caller caller, @Nullable Route route, Request request) {
        current = route;
        beginNanos = door.clock().nanoTime();
        mark = output.mark();
        refused = false;
        repliesBefore = client.replies();
        if (repliesBefore == Replies.SKIP_NEXT) {
            client.replies(Replies.ON);
        }
        if (route == null) {
            door.counters().unknownCommand();
            refuse(caller, CommandErrors.unknown(door.table(), request));
            return;
        }
        note(route, request);
        if (!route.command().takes(request.count())) {
            refuse(caller, CommandErrors.wrongArity(route.command()));
            return;
        }
        String denial = rights.refusal(route.command(), request);
        if (denial != null) {
            refuse(caller, denial);
        } else if (transaction.queues(route)) {
            queue(caller, route, request);
        } else {
            execute(caller, route, request);
        }
    }

    /** Shows a request to those who look on. */
    void note(Route route, Request request) {
        client.lastCommand(route.name());
        if (!door.monitors().isEmpty() && SlowRequests.isShown(route)) {
            door.monitors().show(client, request, door.clock().wallMillis());
        }
    }

    /** All that was collected before the reply to this request is sent. */
    void flushed() {
        mark = 0;
    }

    private void execute(Caller caller, Route route, Request request) {
        switch (route.kind()) {
            case LOCAL -> {
                route.local().answer(new LocalCall(door, client, request, caller.reply()));
                caller.done();
            }
            case COMPOSED -> route.compose(caller, request);
            case TRANSACTION -> transaction.run(caller, route, request, places);
            case KEYS -> executeOnKeys(caller, route, request);
        }
    }

    private void executeOnKeys(Caller caller, Route route, Request request) {
        if (!places.find(route.command(), request)) {
            refuse(caller, "ERR Invalid arguments specified for command");
            return;
        }
        String moved = redirects.moved(client, places);
        if (moved != null) {
            door.counters().redirected();
            refuse(caller, moved);
        } else if (places.slot() == KeyPlaces.SEVERAL && route.split() == null) {
            refuse(caller, Refusals.CROSS_SLOT);
        } else if (places.group() == KeyPlaces.SEVERAL && route.split() != null) {
            route.split().run(caller, request, places);
        } else {
            ByteBuf alone = caller.allocator().buffer(request.sizeBytes());
            request.writeTo(alone);
            int group = places.group();
            caller.call(group, List.of(), 1, alone, reply -> answer(caller, group, reply));
        }
    }

    private void answer(Caller caller, int group, GroupReply reply) {
        ByteBuf content = reply.replies();
        if (content == null) {
            caller.reply().error(Refusals.text(reply, group, door.owners()));
        } else {
            caller.reply().out().writeBytes(content);
            content.release();
        }
        caller.done();
    }

    private void queue(Caller caller, Route route, Request request) {
        boolean hasKeys = route.kind() == Route.Kind.KEYS;
        if (hasKeys && !places.find(route.command(), request)) {
            refuse(caller, "ERR Invalid arguments specified for command");
            return;
        }
        KeyPlaces keys = hasKeys ? places : null;
        String error = transaction.refusal(route, request, keys);
        if (error == null && hasKeys) {
            error = redirects.moved(client, places);
        }
        if (error != null) {
            refuse(caller, error);
            return;
        }
        transaction.queue(caller, route, request, keys);
        caller.reply().simple("QUEUED");
        // It is counted when the transaction is carried out.
        current = null;
        caller.done();
    }

    /** Answers with an error before anything was carried out. */
    private void refuse(Caller caller, String error) {
        transaction.fail();
        refused = true;
        if (current != null) {
            current.stats().refused();
        }
        caller.reply().error(error);
        caller.done();
    }

    /**
     * The reply is written, and is taken back if the client does not want it.
     *
     * @param request null if the client is gone
     */
    void end(@Nullable Request request) {
        Route route = current;
        current = null;
        boolean isError = countError(mark);
        if (!refused && route != null) {
            count(route, request, isError, door.clock().nanoTime() - beginNanos);
            if (route.isAdministrative()) {
                Access.administrated(client.account().name(), client.address(), route.name());
            }
        }
        if (isDropped(route)) {
            output.dropSince(mark);
        }
        if (route == null || !route.name().equals("asking")) {
            client.asking(false);
        }
    }

    /** Counts a request on keys whose reply is written behind a mark. */
    void count(Route route, Request request, int replyMark, long elapsedNanos) {
        door.counters().groupCall(1);
        count(route, request, countError(replyMark), elapsedNanos);
    }

    private boolean countError(int replyMark) {
        boolean isError = output.isErrorSince(replyMark);
        if (isError) {
            door.counters().error(output.errorCodeSince(replyMark));
        }
        return isError;
    }

    private void count(Route route, @Nullable Request request, boolean isError, long elapsedNanos) {
        route.stats().called(elapsedNanos, isError);
        if (request != null) {
            slow.look(client, route, request, elapsedNanos);
        }
    }

    private boolean isDropped(@Nullable Route route) {
        return switch (repliesBefore) {
            case ON -> false;
            // That replies are wanted again is answered.
            case SKIP_NEXT -> route == null || !route.name().equals("client|reply");
            case OFF -> client.replies() == Replies.OFF;
        };
    }
}
