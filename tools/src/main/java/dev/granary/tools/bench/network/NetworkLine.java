package dev.granary.tools.bench.network;

import dev.granary.cli.base.Json;
import dev.granary.tools.bench.network.Contestant.Result;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A result: medians of all rounds, and rates and medians of latency of each round. */
public final class NetworkLine {

    public static final String STORE = "store";
    public static final String CLIENT = "client";
    public static final String THREADS = "threads";
    public static final String BATCH = "batch";
    public static final String GET_SHARE = "getShare";
    public static final String COPIES = "copies";
    public static final String OPS = "opsPerSecond";
    public static final String P50 = "p50Micros";
    public static final String P99 = "p99Micros";
    public static final String P999 = "p999Micros";
    public static final String CLIENT_CPU = "clientCpuNanosPerOp";
    public static final String SERVER_CPU = "serverCpuNanosPerOp";
    public static final String CLIENT_BYTES = "clientBytesAllocatedPerOp";
    public static final String SERVER_BYTES = "serverBytesAllocatedPerOp";
    public static final String CLIENT_SWITCHES = "clientVoluntarySwitchesPerOp";
    public static final String SERVER_SWITCHES = "serverVoluntarySwitchesPerOp";

    private static final int PERCENT = 100;

    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

    private NetworkLine() {}

    static NetworkLine of(Contestant contestant, NetworkPlan plan, int threads, int batch, List<Result> rounds) {
        NetworkLine line = new NetworkLine();
        line.fields.put(STORE, contestant.kind().store());
        line.fields.put(CLIENT, contestant.kind().toString());
        line.fields.put(THREADS, threads);
        line.fields.put(BATCH, batch);
        line.fields.put(GET_SHARE, plan.getPercent() / (double) PERCENT);
        line.fields.put(COPIES, contestant.store().copies());
        line.put(OPS, rounds, Result::opsPerSecond);
        line.put(P50, rounds, each -> each.client().p50Micros());
        line.put(P99, rounds, each -> each.client().p99Micros());
        line.put(P999, rounds, each -> each.client().p999Micros());
        line.put(CLIENT_CPU, rounds, each -> perOperation(each, each.client().cpuNanos()));
        line.put(SERVER_CPU, rounds, Result::serverCpuNanos);
        line.put(CLIENT_BYTES, rounds, each -> perOperation(each, each.client().allocatedBytes()));
        if (contestant.heap() == null) {
            line.fields.put(SERVER_BYTES, null);
        } else {
            line.put(SERVER_BYTES, rounds, each -> each.serverBytes() == null ? 0 : each.serverBytes());
        }
        line.put(
                CLIENT_SWITCHES,
                rounds,
                each -> perOperation(each, each.client().voluntarySwitches()));
        line.put(SERVER_SWITCHES, rounds, Result::serverSwitches);
        line.fields.put("objects", plan.objects());
        line.fields.put("valueBytes", plan.valueBytes());
        if (contestant.store().others().isEmpty()) {
            line.fields.put("superPeerCpuNanosPerOp", null);
        } else {
            line.put("superPeerCpuNanosPerOp", rounds, Result::otherCpuNanos);
        }
        line.fields.put("opsPerSecondOfRounds", each(rounds, Result::opsPerSecond));
        line.fields.put(
                "p50MicrosOfRounds", each(rounds, result -> result.client().p50Micros()));
        return line;
    }

    private static double perOperation(Result result, long number) {
        return number / (double) Math.max(1, result.client().operations());
    }

    private void put(String field, List<Result> rounds, ToDoubleFunction<Result> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        fields.put(field, rounded((sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2));
    }

    private static List<Double> each(List<Result> rounds, ToDoubleFunction<Result> figure) {
        return Arrays.stream(rounds.stream().mapToDouble(figure).toArray())
                .mapToObj(NetworkLine::rounded)
                .toList();
    }

    private static double rounded(double number) {
        return Math.round(number * 100) / 100.0;
    }

    /** A field, null where it does not apply. */
    public @Nullable Object get(String field) {
        return fields.get(field);
    }

    /** One line of JSON. */
    public String toJson() {
        return Json.compact(fields);
    }
}
