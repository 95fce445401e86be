package dev.granary.storage.door.chunks;

import dev.granary.client.AsyncChunkLock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code CHUNK.LOCK} and what belongs to it: leases with tokens. Super-peers grant them. */
final class ChunkLocks {

    private static final long LEAST_LEASE_MILLIS = 100;
    private static final long MOST_LEASE_MILLIS = TimeUnit.HOURS.toMillis(1);
    private static final long MOST_WAIT_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private ChunkLocks() {}

    static void addTo(Map<String, ChunkCall.Body> bodies) {
        bodies.put("chunk.lock", ChunkLocks::lock);
        bodies.put("chunk.renew", ChunkLocks::renew);
        bodies.put("chunk.unlock", ChunkLocks::unlock);
        bodies.put("chunk.lockinfo", ChunkLocks::info);
    }

    private static void lock(ChunkCall call) throws BadArgument {
        long cid = call.cid(1);
        long lease = call.number(2, LEAST_LEASE_MILLIS, MOST_LEASE_MILLIS, "the lease in milliseconds");
        long wait = 0;
        if (call.count() > 3) {
            if (!call.is(3, "wait")) {
                throw call.syntax();
            }
            wait = call.number(4, 0, MOST_WAIT_MILLIS, "WAIT in milliseconds");
            call.end(5);
        }
        long waitMillis = wait;
        call.answer(
                () -> call.chunks().lock(cid, Duration.ofMillis(lease), Duration.ofMillis(waitMillis)),
                true,
                held -> write(call, held));
    }

    private static void write(ChunkCall call, AsyncChunkLock held) {
        if (call.isGone()) {
            // Nobody will give it back, and nobody knows its token: others need not wait for the end of the lease.
            var _ = held.unlock();
        }
        call.reply().integer(held.token());
    }

    /** Answers how long the lease lasts from now on, in milliseconds. */
    private static void renew(ChunkCall call) throws BadArgument {
        AsyncChunkLock held = held(call);
        call.answer(
                held::renew, true, done -> call.reply().integer(held.remaining().toMillis()));
    }

    private static void unlock(ChunkCall call) throws BadArgument {
        AsyncChunkLock held = held(call);
        call.answer(held::unlock, true, done -> call.reply().simple("OK"));
    }

    private static AsyncChunkLock held(ChunkCall call) throws BadArgument {
        return call.chunks().heldLock(call.cid(1), call.number(2, 1, Long.MAX_VALUE, "the token of a lock"));
    }

    private static void info(ChunkCall call) throws BadArgument {
        long cid = call.cid(1);
        call.answer(() -> call.chunks().lockView(cid), false, view -> {
            call.reply().map(3);
            call.reply().bulk("token");
            call.reply().integer(view.token());
            call.reply().bulk("remaining-ms");
            call.reply().integer(view.remaining().toMillis());
            call.reply().bulk("waiting");
            call.reply().integer(view.waiting());
        });
    }
}
