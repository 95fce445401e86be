package dev.granary.storage.door.keys;

import dev.granary.overlay.SlotGroup;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.RequestLimits;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.GranaryTable;
import dev.granary.storage.door.command.LocalCall;
import dev.granary.storage.door.reply.ReplyCursor;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a connection has watched and queued. All of it is of one slot, so that one call to one slot group carries it out
 * at one moment. Requests about the connection are carried out by the door right after that, in their places.
 *
 * <pre>
 *            MULTI            request: QUEUED
 *   CLOSED ---------> OPEN ------------------> OPEN
 *      ^               |  \--- an error -----> BROKEN (EXEC refuses)
 *      '--EXEC, DISCARD, RESET----------------------'
 * </pre>
 *
 * <p>I/O thread only.
 */
public final class Transaction {

    /** They answer nothing or change how replies are written, or go through many slot groups. */
    private static final Set<String> NEVER_QUEUED = Set.of("hello", "monitor", "client|reply");

    private static final Set<String> NOT_QUEUED = Set.of("exec", "discard", "multi", "watch", "quit", "reset");

    private final RequestLimits limits;
    private final List<Entry> entries = new ArrayList<>();
    private final Watches watches = new Watches();
    private @Nullable ByteBuf requests;
    private int requestCount;
    private int localBytes;
    private int slot = Watches.NO_SLOT;
    private boolean open;
    private boolean broken;

    /** The user for whom requests were queued: another one, or one that may do less, must not carry them out. */
    private @Nullable User user;

    /** A queued request: its command, and a copy of it if the door carries it out itself. */
    private record Entry(Route route, @Nullable Request own) {}

    public Transaction(RequestLimits limits) {
        this.limits = limits;
    }

    /** Returns whether a request with this command is queued. */
    public boolean queues(Route route) {
        return open && !NOT_QUEUED.contains(route.name());
    }

    public boolean isOpen() {
        return open;
    }

    /** Returns whether a client that leaves now loses nothing: no request is queued, and no key watched. */
    public boolean isEmpty() {
        return !open && watches.slot() == Watches.NO_SLOT;
    }

    /** Returns how many requests are queued; -1 outside of a transaction. */
    public int queued() {
        return open ? entries.size() : -1;
    }

    public int heldBytes() {
        return localBytes + (requests == null ? 0 : requests.capacity());
    }

    /** Notes that a request could not be queued, so that {@code EXEC} refuses. */
    public void fail() {
        broken |= open;
    }

    /**
     * Returns why a request cannot be queued; null when it can.
     *
     * @param places where its keys are; null if it has none
     */
    public @Nullable String refusal(Route route, Request request, @Nullable KeyPlaces places) {
        if (GranaryTable.isOnChunks(route.name())) {
            return "ERR CHUNK commands are not allowed inside a transaction, because each chunk changes by itself; send"
                    + " them before MULTI or after EXEC";
        }
        if (NEVER_QUEUED.contains(route.name()) || route.kind() == Route.Kind.COMPOSED) {
            return "ERR Command not allowed inside a transaction";
        }
        if (places != null && !(isOf(slot, places) && isOf(watches.slot(), places))) {
            return Refusals.CROSS_SLOT;
        }
        if (entries.size() >= limits.arguments() || heldBytes() + (long) request.sizeBytes() > limits.requestBytes()) {
            return "ERR the transaction would have more than " + limits.requestBytes() + " bytes or "
                    + limits.arguments() + " requests";
        }
        return null;
    }

    /** Whether keys are of one slot, and of no other one than the transaction. */
    private static boolean isOf(int slot, KeyPlaces places) {
        return places.slot() != KeyPlaces.SEVERAL && (slot == Watches.NO_SLOT || slot == places.slot());
    }

    /** Queues a request. */
    public void queue(Caller caller, Route route, Request request, @Nullable KeyPlaces places) {
        User now = caller.client().account().user();
        broken |= user != null && !user.equals(now);
        user = now;
        if (places != null) {
            if (requests == null) {
                requests = caller.allocator().buffer();
            }
            request.writeTo(requests);
            requestCount++;
            slot = places.slot();
            entries.add(new Entry(route, null));
        } else {
            Request copy = request.copy(caller.allocator());
            localBytes += copy.sizeBytes();
            entries.add(new Entry(route, copy));
        }
    }

    /** Carries out a command about transactions. */
    public void run(Caller caller, Route route, Request request, KeyPlaces places) {
        switch (route.name()) {
            case "multi" -> begin(caller);
            case "exec" -> execute(caller);
            case "discard" -> discard(caller);
            case "watch" -> watch(caller, route, request, places);
            case "unwatch" -> {
                // Within a transaction it is queued, and does nothing: its EXEC ends all watches.
                watches.clear();
                caller.reply().simple("OK");
                caller.done();
            }
            default -> throw new IllegalArgumentException("'" + route.name() + "' is not about transactions");
        }
    }

    private void begin(Caller caller) {
        if (open) {
            caller.reply().error("ERR MULTI calls can not be nested");
        } else {
            open = true;
            caller.reply().simple("OK");
        }
        caller.done();
    }

    private void discard(Caller caller) {
        if (open) {
            reset();
            caller.reply().simple("OK");
        } else {
            caller.reply().error("ERR DISCARD without MULTI");
        }
        caller.done();
    }

    private void watch(Caller caller, Route route, Request request, KeyPlaces places) {
        if (open) {
            caller.reply().error("ERR WATCH inside MULTI is not allowed");
            caller.done();
        } else {
            watches.add(caller, route, request, places);
        }
    }

    private void execute(Caller caller) {
        if (!open) {
            caller.reply().error("ERR EXEC without MULTI");
            caller.done();
            return;
        }
        if (user != null && !user.equals(caller.client().account().user())) {
            reset();
            caller.reply()
                    .error("NOPERM ACLs rules changed between the moment the transaction was accumulated and the"
                            + " EXEC call; nothing was carried out, send it again");
            caller.done();
            return;
        }
        if (broken) {
            reset();
            caller.reply().error("EXECABORT Transaction discarded because of previous errors.");
            caller.done();
            return;
        }
        List<Entry> queued = List.copyOf(entries);
        ByteBuf calls = requests;
        List<WatchedKey> marks = watches.keys();
        int count = requestCount;
        int ofSlot = slot == Watches.NO_SLOT ? watches.slot() : slot;
        int group = ofSlot == Watches.NO_SLOT ? 0 : SlotGroup.ofSlot(ofSlot);
        requests = null;
        entries.clear();
        if (calls == null && !marks.isEmpty()) {
            // Nothing for the slot group but the question whether the keys have changed.
            calls = Watches.request(caller, List.of(marks.getFirst().key()));
            count = 1;
        }
        reset();
        long begin = caller.door().clock().nanoTime();
        if (calls == null) {
            answer(caller, queued, null, begin);
            release(queued);
            caller.done();
            return;
        }
        caller.call(group, marks, count, calls, reply -> {
            executed(caller, queued, group, reply, begin);
            release(queued);
            caller.done();
        });
    }

    private static void executed(Caller caller, List<Entry> queued, int group, GroupReply reply, long begin) {
        ByteBuf content = reply.replies();
        if (content != null) {
            answer(caller, queued, content, begin);
            content.release();
        } else if (reply.outcome() == GroupReply.Outcome.WATCH_BROKEN) {
            caller.reply().noArray();
        } else {
            caller.reply().error(Refusals.text(reply, group, caller.door().owners()));
        }
    }

    /** Writes the replies of the slot group in the order of the requests, and those of the door between them. */
    private static void answer(Caller caller, List<Entry> queued, @Nullable ByteBuf replies, long begin) {
        ReplyWriter out = caller.reply();
        out.array(queued.size());
        long nanos = (caller.door().clock().nanoTime() - begin) / Math.max(1, queued.size());
        int at = replies == null ? 0 : replies.readerIndex();
        for (Entry entry : queued) {
            int mark = out.out().writerIndex();
            if (entry.own != null) {
                answerOwn(caller, entry.route, entry.own);
            } else if (replies != null) {
                int end = ReplyCursor.end(replies, at);
                out.out().writeBytes(replies, at, end - at);
                at = end;
            }
            entry.route.stats().called(nanos, out.out().getByte(mark) == '-');
        }
    }

    private static void answerOwn(Caller caller, Route route, Request request) {
        if (route.kind() == Route.Kind.LOCAL) {
            route.local().answer(new LocalCall(caller.door(), caller.client(), request, caller.reply()));
        } else {
            // UNWATCH, the only command about transactions that is queued.
            caller.reply().simple("OK");
        }
    }

    private static void release(List<Entry> entries) {
        for (Entry entry : entries) {
            if (entry.own != null) {
                entry.own.release();
            }
        }
    }

    /** Ends the transaction, and forgets what was watched. */
    public void reset() {
        open = false;
        broken = false;
        user = null;
        release(entries);
        entries.clear();
        if (requests != null) {
            requests.release();
            requests = null;
        }
        requestCount = 0;
        localBytes = 0;
        slot = Watches.NO_SLOT;
        watches.clear();
    }
}
