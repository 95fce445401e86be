package dev.granary.e2e.load;

import dev.granary.client.Durability;
import dev.granary.testkit.HistoryFile;
import dev.granary.testkit.HistoryLine;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A sample of what clients asked and saw, as a history for the judge (docs/formats/history.md): all operations of the
 * first workers, whose chunks nobody else changes. Thread-safe. Operations that are open when it is closed are left
 * out; workers end theirs before.
 */
final class LoadHistory implements AutoCloseable {

    /** The system property with the folder for histories; without it none is written. */
    static final String FOLDER = "granary.histories";

    /** The first two workers: one keeps its client, the other connects again and again. */
    private static final int WORKERS = 2;

    private static final AtomicInteger OPENED = new AtomicInteger();

    /** The value of a get that returned bytes which nobody wrote. */
    private static final long TORN = Long.MAX_VALUE;

    private final HistoryFile file;
    private final String promise;
    private final AtomicLong nextMoment = new AtomicLong(1);

    private LoadHistory(HistoryFile file, Durability promise) {
        this.file = file;
        this.promise = promise.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Makes a history in a new file of the folder.
     *
     * @param promise what the acknowledgement of every change promises
     */
    static LoadHistory in(Path folder, Durability promise) {
        String name = "load-" + ProcessHandle.current().pid() + "-" + OPENED.incrementAndGet();
        return new LoadHistory(HistoryFile.create(folder.resolve(name + ".jsonl"), name), promise);
    }

    /** Whether a worker belongs to the sample. */
    static boolean isSampled(int worker) {
        return worker < WORKERS;
    }

    @Override
    public void close() {
        file.close();
    }

    /** Records that a client begins a create. */
    Entry create(String client, LoadValue value) {
        return new Entry(client, "create").value(value.number());
    }

    /** Records that a client begins to overwrite a chunk. */
    Entry put(String client, long cid, LoadValue value) {
        return new Entry(client, "put").chunk(cid).value(value.number());
    }

    /** Records that a client begins to read a chunk. */
    Entry get(String client, long cid) {
        return new Entry(client, "get").chunk(cid);
    }

    /** Records that a client begins to delete a chunk. */
    Entry delete(String client, long cid) {
        return new Entry(client, "delete").chunk(cid);
    }

    /** An operation of one thread; exactly one of its methods ends it. */
    final class Entry {
        private final String operation;
        private final HistoryLine line;
        private final long beganNanos = System.nanoTime();
        private final long begin = nextMoment.getAndIncrement();

        private Entry(String client, String operation) {
            this.operation = operation;
            this.line = HistoryLine.of("chunk").with("client", client).with("operation", operation);
        }

        private Entry chunk(long cid) {
            line.withCid("chunk", cid);
            return this;
        }

        private Entry value(long number) {
            line.with("value", number);
            return this;
        }

        /** Records that a create was answered. */
        void created(long cid) {
            chunk(cid).end("done");
        }

        /** Records that a get was answered with bytes. */
        void read(byte[] bytes) {
            value(LoadValue.of(bytes).map(LoadValue::number).orElse(TORN)).end("done");
        }

        /** Records another answer: {@code done}, {@code not-found} or {@code lost}. */
        void end(String outcome) {
            write(outcome, nextMoment.getAndIncrement());
        }

        /** Records that no answer says whether the operation was carried out. */
        void unknown() {
            write("unknown", 0);
        }

        private void write(String outcome, long end) {
            line.with("outcome", outcome);
            if (!operation.equals("get")) {
                line.with("promise", promise);
            }
            line.with("begin", begin).with("beginNanos", beganNanos);
            file.write(end == 0 ? line : line.with("end", end));
        }
    }
}
