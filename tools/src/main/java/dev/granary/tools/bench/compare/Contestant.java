package dev.granary.tools.bench.compare;

import dev.granary.bench.stores.CaseFigures;
import dev.granary.bench.stores.CaseRequest;
import dev.granary.tools.bench.process.JsonProcess;
import dev.granary.tools.bench.process.ProcessFigures;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** A store with its client. */
record Contestant(RunningStore store, JsonProcess client) {

    /** How much longer than it was told a measurement may take. */
    private static final long EXTRA_SECONDS = 180;

    /** What one measurement gave. */
    record Result(CaseFigures figures, double opsPerSecond, double clientCpuNanos, double serverCpuNanos) {}

    /** Measures, or loads objects. */
    Result measure(CaseRequest request) throws IOException {
        long before = ProcessFigures.cpuNanos(store.ready().servers());
        CaseFigures figures = client.ask(
                request, CaseFigures.class, TimeUnit.MILLISECONDS.toSeconds(request.millis()) + EXTRA_SECONDS);
        double server = ProcessFigures.cpuNanos(store.ready().servers()) - before;
        double operations = Math.max(1, figures.operations());
        return new Result(
                figures,
                figures.operations() * 1e9 / Math.max(1, figures.nanos()),
                figures.cpuNanos() / operations,
                server / operations);
    }

    @Override
    public String toString() {
        return store.choice().toString();
    }
}
