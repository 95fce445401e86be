package dev.granary.client.admin;

import dev.granary.client.GranaryException;
import dev.granary.client.internal.BatchContext;
import dev.granary.client.internal.GroupCalls;
import dev.granary.client.internal.GroupCalls.Request;
import dev.granary.client.internal.KeyReply;
import dev.granary.client.internal.Retry;
import dev.granary.overlay.SlotGroup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The calls of a cluster backup and a restore that read and write keys (ADR 0306). They are commands to the owners of
 * slot groups, so that the index of keys always agrees with the keys. Thread-safe.
 */
public final class KeyBackups {

    /** How many keys a page has about. */
    private static final int PAGE_KEYS = 1000;

    /** A call has more bytes than this only for a single key. */
    private static final int CALL_BYTES = 1 << 20;

    private static final int CALL_KEYS = 1000;

    private static final String BUSY = "BUSYKEY ";
    private static final String FULL = "OOM ";

    private final BatchContext context;
    private final GroupCalls calls;

    KeyBackups(BatchContext context) {
        this.context = context;
        this.calls = new GroupCalls(context);
    }

    /**
     * Keys of a slot group.
     *
     * @param cursor to go on with; 0 at the end
     */
    public record Page(long cursor, List<BackedUpKey> keys) {

        public Page {
            keys = List.copyOf(keys);
        }
    }

    /** A key and about how many bytes it has with its value. */
    private record SizedKey(byte[] key, long sizeBytes) {}

    /**
     * Reads a page of the keys of a slot group. A key that is there from the first page to the last one is on at least
     * one page.
     *
     * @param group 0..255
     * @param cursor 0 for the first page
     */
    public CompletableFuture<Page> read(int group, long cursor) {
        Request scan = Request.of(List.of("SCAN", Long.toString(cursor), "COUNT", Integer.toString(PAGE_KEYS)));
        return ask(group, List.of(scan)).thenCompose(replies -> {
            if (replies.isEmpty()) {
                return CompletableFuture.completedFuture(new Page(0, List.of()));
            }
            List<KeyReply> page = accepted(replies.getFirst()).parts();
            List<byte[]> keys = page.get(1).parts().stream()
                    .map(key -> Objects.requireNonNull(key.bytes()))
                    .toList();
            return get(group, keys)
                    .thenApply(found -> new Page(Long.parseLong(page.getFirst().text()), found));
        });
    }

    /** Reads keys of a slot group. Those that are not there are left out. */
    public CompletableFuture<List<BackedUpKey>> get(int group, List<byte[]> keys) {
        if (keys.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        List<Request> sizes = keys.stream()
                .map(key -> Request.of(List.of("MEMORY", "USAGE"), key))
                .toList();
        return ask(group, sizes).thenCompose(replies -> {
            List<SizedKey> there = new ArrayList<>();
            for (int i = 0; i < replies.size(); i++) {
                KeyReply size = accepted(replies.get(i));
                if (size.kind() == ':') {
                    there.add(new SizedKey(keys.get(i), size.number()));
                }
            }
            return dumpFrom(group, there, 0, new ArrayList<>());
        });
    }

    private CompletableFuture<List<BackedUpKey>> dumpFrom(
            int group, List<SizedKey> keys, int from, List<BackedUpKey> found) {
        if (from == keys.size()) {
            return CompletableFuture.completedFuture(found);
        }
        List<Request> dumps = new ArrayList<>();
        int to = from;
        for (long bytes = 0; to < keys.size() && (to == from || bytes + keys.get(to).sizeBytes <= CALL_BYTES); to++) {
            bytes += keys.get(to).sizeBytes;
            dumps.add(Request.of(List.of("DUMP"), keys.get(to).key));
            dumps.add(Request.of(List.of("PEXPIRETIME"), keys.get(to).key));
        }
        int next = to;
        return ask(group, dumps).thenCompose(replies -> {
            for (int i = 0; i < replies.size(); i += 2) {
                byte[] value = accepted(replies.get(i)).bytes();
                if (value != null) {
                    long expiry = accepted(replies.get(i + 1)).number();
                    found.add(new BackedUpKey(keys.get(from + i / 2).key, value, Math.max(0, expiry)));
                }
            }
            return dumpFrom(group, keys, next, found);
        });
    }

    private CompletableFuture<List<KeyReply>> ask(int group, List<Request> requests) {
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

        private void take(List<KeyReply> replies) {
            List<BackedUpKey> refused = new ArrayList<>();
            String why = "";
            for (int i = 0; i < replies.size(); i++) {
                KeyReply reply = replies.get(i);
                if (reply.isError() && reply.text().startsWith(FULL)) {
                    refused.add(missing.get(i));
                    why = reply.text();
                } else if (reply.isError() && reply.text().startsWith(BUSY)) {
                    there.incrementAndGet();
                } else {
                    accepted(reply);
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

    private static KeyReply accepted(KeyReply reply) {
        if (reply.isError()) {
            throw new GranaryException("a storage peer has refused a command about keys: " + reply.text(), null);
        }
        return reply;
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
