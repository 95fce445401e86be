package dev.granary.bench.network;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.granary.bench.memory.Threads;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * Threads that each send the next request when the last one is answered. A stall of the machine is noted once for each
 * thread, since nothing is sent meanwhile.
 */
final class ClosedLoop {

    private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int PERCENT = 100;

    private final StoreClient client;
    private final int objects;
    private final byte[] value;

    /** @param objects how many objects were loaded */
    ClosedLoop(StoreClient client, int objects, byte[] value) {
        this.client = client;
        this.objects = objects;
        this.value = value;
    }

    /** Runs one measurement. */
    LoopFigures run(LoopRequest request) throws Exception {
        Histogram all = new Histogram(HIGHEST_NANOS, 3);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpuBefore = system.getProcessCpuTime();
        long bytesBefore = threads.getTotalThreadAllocatedBytes();
        LongAdder switches = new LongAdder();
        ThreadSwitches before = ThreadSwitches.of("self");
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.millis());
        Threads.Time time = Threads.time(request.threads(), thread -> {
            Histogram own = new Histogram(HIGHEST_NANOS, 3);
            long switchesBefore = ThreadSwitches.ofThisThread();
            try (StoreClient.Session session = client.open()) {
                run(session, request, new SplittableRandom(request.seed() + thread), endNanos, own);
            }
            switches.add(ThreadSwitches.ofThisThread() - switchesBefore);
            synchronized (all) {
                all.add(own);
            }
        });
        // The threads that have waited for answers are gone, and not among these.
        switches.add(ThreadSwitches.of("self").since(before));
        return new LoopFigures(
                all.getTotalCount() * request.batch(),
                Math.round(time.seconds() * TimeUnit.SECONDS.toNanos(1)),
                micros(all, 50),
                micros(all, 99),
                micros(all, 99.9),
                system.getProcessCpuTime() - cpuBefore,
                threads.getTotalThreadAllocatedBytes() - bytesBefore,
                switches.sum());
    }

    private void run(
            StoreClient.Session session,
            LoopRequest request,
            SplittableRandom random,
            long endNanos,
            Histogram latencies) {
        int[] numbers = new int[request.batch()];
        long from = System.nanoTime();
        while (from - endNanos < 0) {
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = random.nextInt(objects);
            }
            boolean isGet = random.nextInt(PERCENT) < request.getPercent();
            from = System.nanoTime();
            if (isGet) {
                get(session, numbers);
            } else if (numbers.length == 1) {
                session.put(numbers[0], value);
            } else {
                session.putAll(numbers, value);
            }
            long now = System.nanoTime();
            latencies.recordValue(Math.min(now - from, HIGHEST_NANOS));
            from = now;
        }
    }

    private void get(StoreClient.Session session, int[] numbers) {
        boolean found = numbers.length == 1
                ? session.get(numbers[0]) == value.length
                : session.getAll(numbers) == numbers.length;
        if (!found) {
            throw new IllegalStateException("an object is missing, or has another size than was written");
        }
    }

    private static double micros(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }
}
