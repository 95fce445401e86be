package dev.granary.bench.compare.stores;

import com.sun.management.OperatingSystemMXBean;
import dev.granary.bench.memory.Threads;
import dev.granary.bench.stores.CaseFigures;
import dev.granary.bench.stores.CaseRequest;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Threads that do requests for a while, in a closed or in an open loop.
 *
 * <p>In an open loop each thread has a schedule. The time of a request counts from the moment at which it was due, not
 * from the moment at which it was sent, so that a stall counts for all requests that would have come meanwhile
 * (coordinated omission). What was due before the end and was never sent counts with the time that it had waited.
 */
final class MeasuredLoop {

    private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ComparedClient client;

    MeasuredLoop(ComparedClient client) {
        this.client = client;
    }

    /** What one thread counts. */
    private static final class Counts {
        private final Histogram latencies = new Histogram(HIGHEST_NANOS, 3);
        private long operations;
        private long errors;

        private void add(Counts other) {
            latencies.add(other.latencies);
            operations += other.operations;
            errors += other.errors;
        }
    }

    /** Runs one measurement. */
    CaseFigures run(CaseRequest request, Requests requests) throws Exception {
        Counts all = new Counts();
        AtomicReference<@Nullable String> firstError = new AtomicReference<>();
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpuBefore = system.getProcessCpuTime();
        long staleBefore = requests.staleReads();
        long beginNanos = System.nanoTime();
        long endNanos = beginNanos + TimeUnit.MILLISECONDS.toNanos(request.millis());
        Threads.Time time = Threads.time(request.threads(), thread -> {
            Counts own = new Counts();
            Schedule schedule = Schedule.of(request, thread, beginNanos);
            try (ComparedClient.Session session = client.open()) {
                run(requests.begin(session), schedule, endNanos, own, firstError);
            }
            synchronized (all) {
                all.add(own);
            }
        });
        return new CaseFigures(
                all.operations,
                all.errors,
                firstError.get(),
                Math.round(time.seconds() * TimeUnit.SECONDS.toNanos(1)),
                micros(all.latencies, 50),
                micros(all.latencies, 95),
                micros(all.latencies, 99),
                micros(all.latencies, 99.9),
                system.getProcessCpuTime() - cpuBefore,
                requests.staleReads() - staleBefore);
    }

    private static void run(
            Requests.Step step,
            Schedule schedule,
            long endNanos,
            Counts counts,
            AtomicReference<@Nullable String> firstError) {
        long dueNanos = schedule.next(System.nanoTime());
        while (dueNanos - endNanos < 0) {
            await(dueNanos);
            if (System.nanoTime() - endNanos >= 0) {
                break;
            }
            try {
                counts.operations += step.next();
            } catch (RuntimeException e) {
                counts.errors++;
                firstError.compareAndSet(null, e.toString());
            }
            long now = System.nanoTime();
            record(counts, now - dueNanos);
            dueNanos = schedule.next(now);
        }
        while (schedule.isOpen() && dueNanos - endNanos < 0) {
            record(counts, endNanos - dueNanos);
            dueNanos = schedule.next(endNanos);
        }
    }

    private static void record(Counts counts, long nanos) {
        counts.latencies.recordValue(Math.min(nanos, HIGHEST_NANOS));
    }

    /** Sleeps. That ends some 50 µs late, which counts as time of the request; a loop would take the processor. */
    private static void await(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static double micros(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }
}
