package dev.granary.bench.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * Loads a store and the plain array and measures them by turns, so that noise from outside affects both. Throughput is
 * measured without reading the clock between operations, latencies in a separate pass.
 */
public final class MemoryRun {

    private static final long SEED = 20_251_121;
    private static final long WARM_UP_CHUNKS = 100_000;
    private static final int WARM_UP_OPERATIONS = 300_000;
    private static final double GIB = 1 << 30;
    private static final long SAMPLE = 1_000_000;

    /** The longest time of a round. A slow store gets shorter rounds. */
    private static final double ROUND_SECONDS = 5;

    private static final int CALIBRATION_OPERATIONS = 20_000;

    private final MemoryPlan plan;
    private final BenchStore.Factory subject;
    private final Output out;
    private final Workload workload;
    private final SizePattern sizes;

    /** Prepares a run that writes its results to an output. */
    public MemoryRun(MemoryPlan plan, BenchStore.Factory subject, Output out) {
        this.plan = plan;
        this.subject = subject;
        this.out = out;
        workload = Workload.parse(plan.workload());
        sizes = new SizePattern(plan.sizeDistribution(), SEED);
    }

    /** Warms up, then measures with each number of threads. */
    public void run() throws Exception {
        MemoryPlan small = plan.smaller(WARM_UP_CHUNKS, WARM_UP_OPERATIONS);
        new MemoryRun(small, subject, Output.silent()).measureAll();
        measureAll();
    }

    private void measureAll() throws Exception {
        for (int threads : plan.threads()) {
            if (!plan.bound()) {
                measure(List.of(subject), threads);
            } else if (fitsBoth()) {
                measure(List.of(PlainArray.factory(), subject), threads);
            } else {
                out.note("the plain array does not fit beside the store; it is measured before it, not by turns");
                measure(List.of(PlainArray.factory()), threads);
                measure(List.of(subject), threads);
            }
        }
    }

    private boolean fitsBoth() {
        long payload = sizes.bytesBefore(plan.chunks());
        long both = payload + plan.layout().expectedBytes(plan.chunks(), payload);
        return both + both / 16 < Machine.availableBytes();
    }

    private void measure(List<BenchStore.Factory> factories, int threads) throws Exception {
        List<Contender> contenders = new ArrayList<>();
        try {
            for (BenchStore.Factory factory : factories) {
                Contender contender = Contender.load(factory, plan, sizes, threads);
                contenders.add(contender);
                out.line(contender.loadLine(threads));
            }
            out.note("%.2f of %.2f GiB of the process lie in huge pages"
                    .formatted(Machine.hugePageBytes() / GIB, Machine.residentBytes() / GIB));
            measureLoaded(contenders, threads);
        } finally {
            contenders.forEach(Contender::close);
        }
    }

    private void measureLoaded(List<Contender> contenders, int threads) throws Exception {
        Contents contents = new Contents(plan, sizes, plan.verify() ? 1 : Math.max(1, plan.chunks() / SAMPLE));
        contents.check(contenders, threads, out, "after the load");
        if (plan.parts().contains(Part.WORKLOAD)) {
            for (KeyDistribution distribution : plan.distributions()) {
                mixed("workload", contenders, threads, distribution, workload.getShare(), true);
            }
        }
        if (plan.parts().contains(Part.SINGLES)) {
            mixed("get", contenders, threads, KeyDistribution.UNIFORM, 1, false);
            mixed("put", contenders, threads, KeyDistribution.UNIFORM, 0, false);
        }
        for (Contender contender : contenders) {
            if (contender.isGranary()) {
                GranaryParts parts = new GranaryParts(plan, sizes, contender, threads, out);
                parts.run();
            }
        }
        contents.check(contenders, threads, out, "at the end");
        if (plan.parts().contains(Part.DEPENDENT)) {
            new PointerChase(plan, sizes, threads).measure(contenders, out);
        }
    }

    private void mixed(
            String name,
            List<Contender> contenders,
            int threads,
            KeyDistribution distribution,
            double getShare,
            boolean latencies)
            throws Exception {
        int operations = calibrate(contenders.getLast());
        List<Trace> traces = new ArrayList<>();
        List<KeyDistribution.Source> sources = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            traces.add(new Trace(Math.max(1, operations / threads), contenders.size()));
            sources.add(distribution.source(plan.chunks(), SEED + i));
        }
        List<Series> results =
                contenders.stream().map(contender -> new Series()).toList();
        // One additional round, to warm up.
        for (int round = 0; round <= plan.rounds(); round++) {
            draw(traces, sources, getShare, round);
            for (int place = 0; place < contenders.size(); place++) {
                Threads.Time time = run(traces, place, contenders.get(place).store());
                if (round > 0) {
                    results.get(place).add(time, (long) traces.getFirst().length() * threads);
                }
            }
        }
        for (int place = 0; place < contenders.size(); place++) {
            Contender contender = contenders.get(place);
            ResultLine line = contender
                    .line(name, threads)
                    .with(ResultLine.DISTRIBUTION, distribution.toString())
                    .with(ResultLine.RATE, Math.round(results.get(place).rate()))
                    .with(ResultLine.CPU_NANOS, results.get(place).cpuNanos());
            if (latencies) {
                look(traces, place, contender.store());
                Latencies.measure(traces, place, contender.store(), sizes.maxBytes())
                        .addTo(line);
            }
            out.line(line);
        }
    }

    /** The operations of a round: fewer than in the plan when the store is slow. */
    private int calibrate(Contender contender) throws Exception {
        Trace trace = new Trace(Math.min(CALIBRATION_OPERATIONS, plan.operations()), 1);
        trace.draw(KeyDistribution.UNIFORM.source(plan.chunks(), SEED), workload.getShare(), sizes, SEED);
        Threads.Time time = run(List.of(trace), 0, contender.store());
        double most = trace.length() / time.seconds() * ROUND_SECONDS;
        if (most >= plan.operations()) {
            return plan.operations();
        }
        out.note("%s is slow: %,d operations a round".formatted(contender.storeName(), (int) most));
        return (int) most;
    }

    private void draw(List<Trace> traces, List<KeyDistribution.Source> sources, double getShare, int round)
            throws Exception {
        Threads.time(traces.size(), thread -> traces.get(thread)
                .draw(sources.get(thread), getShare, sizes, SEED + 1000L * round + thread));
    }

    private Threads.Time run(List<Trace> traces, int place, BenchStore store) throws Exception {
        look(traces, place, store);
        return Threads.time(
                traces.size(), thread -> traces.get(thread).run(place, store, new Scratch(sizes.maxBytes())));
    }

    private static void look(List<Trace> traces, int place, BenchStore store) throws Exception {
        Threads.time(traces.size(), thread -> traces.get(thread).look(place, store));
    }
}
