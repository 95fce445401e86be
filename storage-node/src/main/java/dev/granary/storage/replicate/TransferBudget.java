package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.net.Frame;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds how many bytes all fills of copies and all moves together have on their way to other storage peers (ADR 0202).
 * Nobody knows the size of a step before it is read. So a caller takes room for the largest step before it reads, and
 * gives back what the step does not need. Callers that find no room wait in the order in which they came.
 *
 * <p>Invariants: (1) the bytes never exceed the limit, but for one step alone that is larger, and for steps that
 * clients wait for, which wait for no room; (2) while somebody waits there is a step that has not ended.
 *
 * <p>Tasks of the scheduler; the bytes are read by any thread.
 */
public final class TransferBudget {

    /** A step ends with the chunk that makes it larger than a part. */
    static final long LARGEST_STEP_BYTES = Frame.MAX_CHUNK_BYTES + (512L << 10);

    private final Confined confined = new Confined();
    private final long maxBytes;
    private final Queue<CompletableFuture<Room>> waiting = new ArrayDeque<>();
    private final AtomicLong bytes = new AtomicLong();

    TransferBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Room for one step. */
    public final class Room {

        private long taken;

        private Room(long taken) {
            this.taken = taken;
        }

        /** Keeps {@code sizeBytes} of this room and returns the rest to the budget. */
        public void shrinkTo(long sizeBytes) {
            long unused = taken - sizeBytes;
            if (unused > 0) {
                taken = sizeBytes;
                give(unused);
            }
        }

        /** Gives the room back because the step has ended. Further calls do nothing. */
        public void end() {
            shrinkTo(0);
        }
    }

    /** Returns a future that completes with room for a step of any size as soon as there is some. */
    public CompletableFuture<Room> take() {
        assert confined.here() : confined;
        CompletableFuture<Room> room = new CompletableFuture<>();
        waiting.add(room);
        serve();
        return room;
    }

    /** Returns room at once, whatever others have taken: for a step for which clients wait. */
    public Room takeAtOnce(long sizeBytes) {
        assert confined.here() : confined;
        bytes.addAndGet(sizeBytes);
        return new Room(sizeBytes);
    }

    private void give(long sizeBytes) {
        assert confined.here() : confined;
        bytes.addAndGet(-sizeBytes);
        serve();
    }

    private void serve() {
        while (!waiting.isEmpty() && (bytes.get() == 0 || bytes.get() + LARGEST_STEP_BYTES <= maxBytes)) {
            bytes.addAndGet(LARGEST_STEP_BYTES);
            waiting.remove().complete(new Room(LARGEST_STEP_BYTES));
        }
        assert bytes.get() >= 0 && (waiting.isEmpty() || bytes.get() > 0) : bytes;
    }

    /** Returns how many bytes are taken now. */
    public long bytes() {
        return bytes.get();
    }
}
