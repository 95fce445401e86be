package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.Driver;
import dev.granary.bench.redis.DriverResult;
import dev.granary.bench.redis.KeyNames;
import dev.granary.bench.redis.ListedRequests;
import dev.granary.bench.redis.Requests;
import dev.granary.bench.redis.Values;
import dev.granary.tools.bench.process.ProcessFigures;
import java.io.IOException;
import java.lang.management.ManagementFactory;

/** A store with a driver that is connected to it. Closing it disconnects the driver and ends the store. */
final class Subject implements AutoCloseable {

    private final MeasuredStore store;
    private final Driver driver;

    private Subject(MeasuredStore store, Driver driver) {
        this.store = store;
        this.driver = driver;
    }

    /** What a run cost: processor time of the store's servers, of its other processes, and of the driver. */
    record Measured(DriverResult result, long serverNanos, long otherNanos, long driverNanos) {

        Measured plus(Measured other) {
            return new Measured(
                    result.plus(other.result),
                    serverNanos + other.serverNanos,
                    otherNanos + other.otherNanos,
                    driverNanos + other.driverNanos);
        }

        double serverNanosEach() {
            return (double) serverNanos / Math.max(1, result.requests());
        }

        double otherNanosEach() {
            return (double) otherNanos / Math.max(1, result.requests());
        }

        double driverNanosEach() {
            return (double) driverNanos / Math.max(1, result.requests());
        }
    }

    /** Connects a driver to a store, and ends the store when that fails. */
    static Subject of(MeasuredStore store, RedisPlan plan) throws IOException {
        return of(
                store,
                plan.connections(),
                plan.expirySeconds(),
                KeyNames.mixed(plan.keyBytes()),
                new Values(plan.leastValueBytes(), plan.mostValueBytes()),
                true);
    }

    /** Does the same with other keys and values. */
    static Subject of(
            MeasuredStore store, int connections, int expirySeconds, KeyNames names, Values values, boolean verify)
            throws IOException {
        try {
            return new Subject(
                    store,
                    Driver.connect(store.addresses(), connections, store.wire(expirySeconds), names, values, verify));
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    MeasuredStore store() {
        return store;
    }

    /** Asks until the requests end, or the time is over. */
    Measured run(Requests requests, int pipeline, long nanos) throws IOException {
        var threads = ManagementFactory.getThreadMXBean();
        long driverBefore = threads.getCurrentThreadCpuTime();
        long otherBefore = ProcessFigures.cpuNanos(store.others());
        long serverBefore = ProcessFigures.cpuNanos(store.servers());
        DriverResult result = driver.run(requests, pipeline, nanos);
        return new Measured(
                result,
                ProcessFigures.cpuNanos(store.servers()) - serverBefore,
                ProcessFigures.cpuNanos(store.others()) - otherBefore,
                threads.getCurrentThreadCpuTime() - driverBefore);
    }

    /**
     * Sends all requests of a list.
     *
     * @throws RefusedException when the store answered errors only
     */
    Measured runAll(Requests requests, int pipeline) throws IOException {
        Measured measured = run(requests, pipeline, Long.MAX_VALUE);
        if (measured.result().errors() > measured.result().requests() / 2) {
            throw refused(measured.result());
        }
        return measured;
    }

    /**
     * Sends all requests of a list, those again that are refused.
     *
     * @throws RefusedException when the store has refused more requests than are sent again
     */
    Measured runWhole(ListedRequests requests, int pipeline) throws IOException {
        Measured measured = run(requests, pipeline, Long.MAX_VALUE);
        if (requests.wasGivenUp()) {
            throw refused(measured.result());
        }
        return measured;
    }

    private static RefusedException refused(DriverResult result) {
        return new RefusedException(result.errors() + " of " + result.requests() + " requests were answered by"
                + " errors, the first one: " + result.firstError());
    }

    @Override
    public void close() {
        try {
            driver.close();
        } catch (IOException e) {
            // Its connections end with the store's processes.
        } finally {
            store.close();
        }
    }
}
