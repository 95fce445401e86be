package dev.granary.bench.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Puts load on a store: one thread with many connections, each of which sends a batch of requests and waits for all its
 * replies, as redis-benchmark does. This is a closed loop: a store that stalls is asked less.
 *
 * <p>Used by one thread.
 */
public final class Driver implements AutoCloseable {

    private static final long HIGHEST_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long SILENCE_MILLIS = TimeUnit.SECONDS.toMillis(30);
    private static final int DIGITS = 3;

    private final Selector selector;
    private final List<Connection> connections = new ArrayList<>();
    private final boolean verify;

    private Driver(Selector selector, boolean verify) {
        this.selector = selector;
        this.verify = verify;
    }

    /**
     * Connects to a store.
     *
     * @param addresses where the connections go, in turn
     * @param verify whether the values of gets are compared with what was set; not for values of others
     */
    public static Driver connect(
            List<InetSocketAddress> addresses,
            int connections,
            Wire wire,
            KeyNames names,
            Values values,
            boolean verify)
            throws IOException {
        Driver driver = new Driver(Selector.open(), verify);
        try {
            for (int i = 0; i < connections; i++) {
                driver.connections.add(
                        new Connection(addresses.get(i % addresses.size()), driver.selector, wire, names, values));
            }
            return driver;
        } catch (IOException | RuntimeException e) {
            driver.close();
            throw e;
        }
    }

    /**
     * Asks until the requests end, or the time is over.
     *
     * @param pipeline requests in a batch of a connection
     * @throws IOException when a connection fails, or the store answers nothing for half a minute
     * @throws WrongAnswerException when a get is answered by what was never set
     */
    public DriverResult run(Requests requests, int pipeline, long nanos) throws IOException {
        Run run = new Run(requests, System.nanoTime(), nanos);
        for (Connection connection : connections) {
            connection.prepare(pipeline);
        }
        for (Connection connection : connections) {
            run.busy += connection.send(requests) ? 1 : 0;
        }
        try {
            while (run.busy > 0) {
                if (selector.select(run::answer, SILENCE_MILLIS) == 0) {
                    throw new IOException("the store has answered nothing for " + SILENCE_MILLIS / 1000 + " s");
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return run.result();
    }

    /** One run. */
    private final class Run implements Connection.Tally {

        private final Requests requests;
        private final long begin;
        private final long nanos;
        private final Histogram latencies = new Histogram(HIGHEST_NANOS, DIGITS);
        private int busy;
        private long misses;
        private long errors;
        private @Nullable String firstError;

        Run(Requests requests, long begin, long nanos) {
            this.requests = requests;
            this.begin = begin;
            this.nanos = nanos;
        }

        void answer(SelectionKey selection) {
            try {
                Connection connection = (Connection) selection.attachment();
                if (selection.isWritable()) {
                    connection.write();
                }
                if (selection.isReadable()
                        && connection.read(requests, verify, this)
                        && !(System.nanoTime() - begin < nanos && connection.send(requests))) {
                    busy--;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void add(Reply reply, long nanosOfReply) {
            latencies.recordValue(Math.min(nanosOfReply, HIGHEST_NANOS));
            if (reply.outcome == Reply.Outcome.MISS) {
                misses++;
            } else if (reply.outcome == Reply.Outcome.ERROR) {
                errors++;
                firstError = firstError == null ? reply.error : firstError;
            }
        }

        DriverResult result() {
            return new DriverResult(
                    latencies.getTotalCount(), System.nanoTime() - begin, misses, errors, firstError, latencies);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (Connection connection : connections) {
                connection.close();
            }
        } finally {
            selector.close();
        }
    }
}
