package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.net.Frame;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much is on its way to other storage peers in bulk, in all fills of copies and all moves together (ADR 0202). Only
 * reading tells how large a step is: who is about to read takes room for the largest one, and gives back what it does
 * not need. Those that find no room wait in the order in which they came.
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

        /** The step has ended; any further time does nothing. */
        public void end() {
            shrinkTo(0);
        }
    }

    /** Room for a step of any size, as soon as there is some. */
    public CompletableFuture<Room> take() {
        assert confined.here() : confined;
        CompletableFuture<Room> room = new CompletableFuture<>();
        waiting.add(room);
        serve();
        return room;
    }

    /** Room for a step that clients wait for, whatever the others have taken. */
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

    /** What is taken now. */
    public long bytes() {
        return bytes.get();
    }
}
