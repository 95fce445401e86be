package dev.granary.storage.door.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.resp.Request;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The requests that took long, the newest first. Thread-safe. */
public final class SlowLog {

    /** As Redis: more arguments, and more of an argument, are not kept. */
    private static final int MOST_ARGUMENTS = 32;

    private static final int MOST_ARGUMENT_BYTES = 128;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Deque<Entry> entries = new ArrayDeque<>();

    @GuardedBy("lock")
    private long nextId;

    /**
     * A request that took long.
     *
     * @param arguments text in which each byte is a character of its own
     */
    public record Entry(
            long id, long wallSeconds, long micros, List<String> arguments, String address, String clientName) {

        public Entry {
            arguments = List.copyOf(arguments);
        }
    }

    /** Adds a request, and drops the oldest ones when there are more than some. */
    public void add(Client client, Request request, long wallMillis, long elapsedNanos, int most) {
        List<String> arguments = arguments(request);
        lock.lock();
        try {
            entries.addFirst(new Entry(
                    nextId++,
                    TimeUnit.MILLISECONDS.toSeconds(wallMillis),
                    TimeUnit.NANOSECONDS.toMicros(elapsedNanos),
                    arguments,
                    client.address(),
                    client.name()));
            while (entries.size() > most) {
                entries.removeLast();
            }
        } finally {
            lock.unlock();
        }
    }

    private static List<String> arguments(Request request) {
        int shown = Math.min(request.count(), MOST_ARGUMENTS);
        List<String> arguments = new ArrayList<>(shown);
        for (int i = 0; i < shown; i++) {
            int more = request.length(i) - MOST_ARGUMENT_BYTES;
            if (i == MOST_ARGUMENTS - 1 && request.count() > MOST_ARGUMENTS) {
                arguments.add("... (" + (request.count() - MOST_ARGUMENTS + 1) + " more arguments)");
            } else {
                String text = request.text(i, MOST_ARGUMENT_BYTES);
                arguments.add(more > 0 ? text + "... (" + more + " more bytes)" : text);
            }
        }
        return arguments;
    }

    /** Returns the newest requests. */
    public List<Entry> newest(long most) {
        lock.lock();
        try {
            return entries.stream().limit(most).toList();
        } finally {
            lock.unlock();
        }
    }

    public int size() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }

    public void clear() {
        lock.lock();
        try {
            entries.clear();
        } finally {
            lock.unlock();
        }
    }
}
