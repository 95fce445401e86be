package dev.granary.storage.door;

import dev.granary.storage.keyed.GroupReply;
import io.netty.channel.EventLoop;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Replies of calls on their way to the I/O thread of their connection. Those that come close together are taken
 * together: to wake a thread costs more than to take a reply. Any thread adds.
 */
final class Arrivals {

    private final EventLoop thread;
    private final Consumer<RuntimeException> failed;
    private final Runnable taken;
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean coming = new AtomicBoolean();

    private record Arrival(GroupReply reply, Consumer<GroupReply> then) implements Runnable {

        @Override
        public void run() {
            then.accept(reply);
        }
    }

    /**
     * @param failed called on the I/O thread when a reply cannot be taken, or {@code taken} fails
     * @param taken called on the I/O thread when replies were taken
     */
    Arrivals(EventLoop thread, Consumer<RuntimeException> failed, Runnable taken) {
        this.thread = thread;
        this.failed = failed;
        this.taken = taken;
    }

    void add(GroupReply reply, Consumer<GroupReply> then) {
        add(new Arrival(reply, then));
    }

    /** Adds anything that is to be taken on the I/O thread. */
    void add(Runnable arrival) {
        if (thread.inEventLoop()) {
            take(arrival);
            goOn();
            return;
        }
        queue.add(arrival);
        if (!coming.compareAndSet(false, true)) {
            return;
        }
        try {
            thread.execute(this::takeAll);
        } catch (RejectedExecutionException e) {
            // The I/O thread has ended, and left the connection to nobody: what is held is given back here.
            takeAll();
        }
    }

    private void takeAll() {
        // Before the first look: what is added afterwards comes by itself.
        coming.set(false);
        for (Runnable next = queue.poll(); next != null; next = queue.poll()) {
            take(next);
        }
        goOn();
    }

    /** A failure here must not be lost with the task: the client would wait for ever. */
    private void goOn() {
        try {
            taken.run();
        } catch (RuntimeException e) {
            failed.accept(e);
        }
    }

    private void take(Runnable arrival) {
        try {
            arrival.run();
        } catch (RuntimeException e) {
            failed.accept(e);
        }
    }
}
