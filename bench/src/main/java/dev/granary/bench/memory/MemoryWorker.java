package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemoryException;

/** The process that measures chunk memory. Its one argument is a {@link MemoryPlan} as JSON. */
public final class MemoryWorker {

    private MemoryWorker() {}

    /** Measures. Exits with 1 and a line on standard error when something is wrong. */
    public static void main(String[] arguments) {
        try {
            run(MemoryPlan.ofJson(arguments[0]), new Output(System.out));
        } catch (BadOptionException | ChunkMemoryException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        } catch (Exception | OutOfMemoryError e) {
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(MemoryPlan plan, Output out) throws Exception {
        Workload.Special special = Workload.parse(plan.workload()).special();
        if (special == Workload.Special.SOAK) {
            new SoakRun(plan, out).run();
        } else if (special == Workload.Special.DEFRAGMENT) {
            new DefragmentRun(plan, out).run();
        } else {
            out.note("reading the clock takes %d ns, which is in every latency".formatted(Latencies.timerNanos()));
            BenchStore.Factory factory = GranaryStore.factory(plan.layout(), plan.memoryBytes());
            new MemoryRun(plan, factory, out).run();
        }
    }
}
