package dev.granary.client.admin;

import dev.granary.client.GranaryException;
import dev.granary.client.internal.BatchContext;
import dev.granary.client.internal.GroupCaller;
import dev.granary.client.internal.GroupCaller.Request;
import dev.granary.client.internal.Retry;
import dev.granary.overlay.SlotGroup;
import dev.granary.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The calls of a cluster backup and a restore that read and write keys (ADR 0306). They are commands to the owners of
 * slot groups, so that the index of keys always agrees with the keys. Thread-safe.
 */
public final class KeyBackups {

    /** How many keys are looked for at once. */
    private static final int SCAN_KEYS = 250;

    /** A call has more bytes than this only for a single key. */
    private static final int CALL_BYTES = 1 << 20;

    private static final int CALL_KEYS = 1000;

    private static final String BUSY = "BUSYKEY ";
    private static final String FULL = "OOM ";

    private final BatchContext context;
    private final GroupCaller calls;

    KeyBackups(BatchContext context) {
        this.context = context;
        this.calls = new GroupCaller(context);
    }

    /** A key and about how many bytes it has with its value. */
    @SuppressWarnings("ArrayRecordComponent") // It is read, never compared.
    private record SizedKey(byte[] key, long sizeBytes) {}

    /** How far the keys of a slot group have been read. */
    public static final class Position {

        /** Before the first key. */
        public static final Position START = new Position(0, List.of());

        private final long cursor;

        /** Keys that were found, and not read yet. */
        private final List<SizedKey> found;

        private Position(long cursor, List<SizedKey> found) {
            this.cursor = cursor;
            this.found = found;
        }
    }

    /**
     * Keys of a slot group: of at most about 1 MiB, or a single one.
     *
     * @param next where to go on; null at the end
     */
    public record Page(List<BackedUpKey> keys, @Nullable Position next) {

        public Page {
            keys = List.copyOf(keys);
        }
    }

    /**
     * Reads keys of a slot group. A key that is there from the first page to the last one is on at least one page.
     *
     * @param group 0..255
     */
    public CompletableFuture<Page> read(int group, Position from) {
        if (!from.found.isEmpty()) {
            return page(group, from);
        }
        Request scan = Request.of(List.of("SCAN", Long.toString(from.cursor), "COUNT", Integer.toString(SCAN_KEYS)));
        return ask(group, List.of(scan)).thenCompose(replies -> {
            if (replies.isEmpty()) {
                return CompletableFuture.completedFuture(new Page(List.of(), null));
            }
            List<Reply> parts = elements(accepted(replies.getFirst()));
            long cursor = Long.parseLong(new String(bytes(parts.getFirst()), StandardCharsets.US_ASCII));
            List<byte[]> keys =
                    elements(parts.get(1)).stream().map(KeyBackups::bytes).toList();
            return sizes(group, keys).thenCompose(found -> page(group, new Position(cursor, found)));
        });
    }

    /** Reads the first ones of the keys that were found. */
    private CompletableFuture<Page> page(int group, Position at) {
        int count = countOfOneCall(at.found);
        List<SizedKey> rest = at.found.subList(count, at.found.size());
        Position next = rest.isEmpty() && at.cursor == 0 ? null : new Position(at.cursor, rest);
        return dump(group, at.found.subList(0, count)).thenApply(keys -> new Page(keys, next));
    }

    private static int countOfOneCall(List<SizedKey> keys) {
        int count = 0;
        for (long bytes = 0; count < keys.size(); count++) {
            bytes += keys.get(count).sizeBytes;
            if (count > 0 && bytes > CALL_BYTES) {
                return count;
            }
        }
        return count;
    }

    /** Reads keys of a slot group. Those that are not there are left out. */
    public CompletableFuture<List<BackedUpKey>> get(int group, List<byte[]> keys) {
        return sizes(group, keys).thenCompose(found -> dumpAll(group, found, new ArrayList<>()));
    }

    private CompletableFuture<List<BackedUpKey>> dumpAll(int group, List<SizedKey> keys, List<BackedUpKey> read) {
        if (keys.isEmpty()) {
            return CompletableFuture.completedFuture(read);
        }
        int count = countOfOneCall(keys);
        return dump(group, keys.subList(0, count)).thenCompose(more -> {
            read.addAll(more);
            return dumpAll(group, keys.subList(count, keys.size()), read);
        });
    }

    private CompletableFuture<List<SizedKey>> sizes(int group, List<byte[]> keys) {
        if (keys.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        List<Request> sizes = keys.stream()
                .map(key -> Request.of(List.of("MEMORY", "USAGE"), key))
                .toList();
        return ask(group, sizes).thenApply(replies -> {
            List<SizedKey> there = new ArrayList<>();
            for (int i = 0; i < replies.size(); i++) {
                if (accepted(replies.get(i)) instanceof Reply.WholeNumber size) {
                    there.add(new SizedKey(keys.get(i), size.value()));
                }
            }
            return there;
        });
    }

    private CompletableFuture<List<BackedUpKey>> dump(int group, List<SizedKey> keys) {
        if (keys.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        List<Request> dumps = new ArrayList<>();
        for (SizedKey key : keys) {
            dumps.add(Request.of(List.of("DUMP"), key.key));
            dumps.add(Request.of(List.of("PEXPIRETIME"), key.key));
        }
        return ask(group, dumps).thenApply(replies -> {
            List<BackedUpKey> found = new ArrayList<>();
            for (int i = 0; i < replies.size(); i += 2) {
                boolean isThere = accepted(replies.get(i)) instanceof Reply.Bulk;
                if (isThere && accepted(replies.get(i + 1)) instanceof Reply.WholeNumber expiry) {
                    byte[] value = bytes(replies.get(i));
                    found.add(new BackedUpKey(keys.get(i / 2).key, value, Math.max(0, expiry.value())));
                }
            }
            return found;
        });
    }

    private CompletableFuture<List<Reply>> ask(int group, List<Request> requests) {
        return calls.carryOut("a look at the keys of " + name(group), group, requests, false, deadline());
    }

    /**
     * Writes keys of a cluster backup. A key that is there already stays as it is, and one that has expired is not
     * written. When the call fails it may have written some of them; it can be repeated.
     *
     * @param group the slot group of all keys
     * @return how many keys were there already
     */
    public CompletableFuture<Integer> restore(int group, List<BackedUpKey> keys) {
        return restoreFrom(group, keys, 0, 0);
    }

    private CompletableFuture<Integer> restoreFrom(int group, List<BackedUpKey> keys, int from, int there) {
        if (from == keys.size()) {
            return CompletableFuture.completedFuture(there);
        }
        int to = from;
        for (long bytes = 0;
                to < keys.size()
                        && to - from < CALL_KEYS
                        && (to == from || bytes + keys.get(to).sizeBytes() <= CALL_BYTES);
                to++) {
            bytes += keys.get(to).sizeBytes();
        }
        int next = to;
        return new Restoring(group, keys.subList(from, to))
                .run()
                .thenCompose(more -> restoreFrom(group, keys, next, there + more));
    }

    /** Keys that are written by one call, and by further calls as long as there was no room for some of them. */
    private final class Restoring {
        private final int group;
        private final AtomicInteger there = new AtomicInteger();
        private List<BackedUpKey> missing;

        Restoring(int group, List<BackedUpKey> keys) {
            this.group = group;
            this.missing = keys;
        }

        CompletableFuture<Integer> run() {
            String what = "writing keys of " + name(group);
            long deadlineNanos = deadline();
            return Retry.run(context.retry(), () -> what, deadlineNanos, timeout -> calls.carryOut(
                            what,
                            group,
                            missing.stream().map(KeyBackups::restoration).toList(),
                            true,
                            deadlineNanos)
                    .thenApply(replies -> {
                        take(replies);
                        return there.get();
                    }));
        }

        private void take(List<Reply> replies) {
            List<BackedUpKey> refused = new ArrayList<>();
            String why = "";
            for (int i = 0; i < replies.size(); i++) {
                String problem = replies.get(i) instanceof Reply.Failure failure ? failure.text() : "";
                if (problem.startsWith(FULL)) {
                    refused.add(missing.get(i));
                    why = problem;
                } else if (problem.startsWith(BUSY)) {
                    there.incrementAndGet();
                } else {
                    accepted(replies.get(i));
                }
            }
            missing = refused;
            if (!refused.isEmpty()) {
                // The group may just be getting more identifiers for its keys.
                throw new Retry.AgainException(why);
            }
        }
    }

    private static Request restoration(BackedUpKey key) {
        return new Request(List.of(
                bytes("RESTORE"),
                key.key(),
                bytes(Long.toString(key.expiresAtMillis())),
                key.value(),
                bytes("ABSTTL")));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static Reply accepted(Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            throw new GranaryException("a storage peer has refused a command about keys: " + failure.text(), null);
        }
        return reply;
    }

    private static List<Reply> elements(Reply reply) {
        if (reply instanceof Reply.Elements array) {
            return array.elements();
        }
        throw unexpected(reply);
    }

    private static byte[] bytes(Reply reply) {
        if (reply instanceof Reply.Bulk bulk) {
            return bulk.bytes();
        }
        throw unexpected(reply);
    }

    private static GranaryException unexpected(Reply reply) {
        return new GranaryException("a storage peer has answered a command about keys with " + reply, null);
    }

    /** Returns a slot group as people see it. */
    private static String name(int group) {
        int first = SlotGroup.firstSlot(group);
        return "the slots " + first + "-" + (first + SlotGroup.SLOTS - 1);
    }

    private long deadline() {
        return context.retry().deadlineAfter(context.options().batchDeadline().toNanos());
    }
}
