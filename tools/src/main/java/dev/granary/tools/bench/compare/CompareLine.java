package dev.granary.tools.bench.compare;

import dev.granary.bench.memory.Machine;
import dev.granary.bench.stores.CaseRequest;
import dev.granary.bench.stores.JsonLines;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One round of one store as a line of JSON: docs/formats/benchmark-results.md. */
public final class CompareLine {

    private CompareLine() {}

    /** The mode in which each thread waits for the answer before it goes on. */
    static final String CLOSED = "closed";

    /** The mode with times at which requests are due. */
    static final String OPEN = "open";

    /** Returns the line. */
    static String of(
            Contestant contestant,
            ComparePlan plan,
            CaseRequest request,
            int valueBytes,
            int round,
            Contestant.Result result) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("kind", "compare");
        fields.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        fields.put("store", contestant.store().choice().toString());
        fields.put("version", contestant.store().ready().version());
        fields.put("client", contestant.store().choice().client());
        fields.put("workload", request.workload());
        fields.put("mode", request.opsPerSecond() == 0 ? CLOSED : OPEN);
        fields.put("threads", request.threads());
        fields.put("batch", request.batch());
        fields.put("copies", 1);
        fields.put("objects", request.objects());
        fields.put("valueBytes", valueBytes);
        fields.put("millis", request.millis());
        fields.put("round", round);
        fields.put("targetPerSecond", request.opsPerSecond());
        fields.put("opsPerSecond", result.opsPerSecond());
        fields.put("p50Micros", result.figures().p50Micros());
        fields.put("p95Micros", result.figures().p95Micros());
        fields.put("p99Micros", result.figures().p99Micros());
        fields.put("p999Micros", result.figures().p999Micros());
        fields.put("staleReads", result.figures().staleReads());
        fields.put("errors", result.figures().errors());
        fields.put("firstError", result.figures().firstError());
        fields.put("clientCpuNanosPerOp", result.clientCpuNanos());
        fields.put("serverCpuNanosPerOp", result.serverCpuNanos());
        fields.put("serverCpus", plan.serverCpus());
        fields.put("clientCpus", plan.clientCpus());
        fields.put("machine", Machine.description());
        return JsonLines.write(fields);
    }
}
