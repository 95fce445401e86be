package dev.granary.tools.bench.compare;

import dev.granary.bench.memory.Medians;
import dev.granary.bench.stores.CaseRequest;
import dev.granary.bench.stores.StoreWorkload;
import dev.granary.tools.bench.compare.Contestant.Result;
import java.util.List;
import java.util.Map;

/**
 * The rounds of all stores in one case.
 *
 * @param request what was asked of each
 * @param rounds by the name of the store
 */
public record CaseTable(CaseRequest request, Map<String, List<Result>> rounds) {

    /** The median rate of rounds. */
    static double medianOpsPerSecond(List<Result> rounds) {
        return Medians.of(rounds, Result::opsPerSecond);
    }

    /** The head of the lines that {@link #print} returns. */
    public static String head() {
        return String.format(
                "%-18s %-7s %7s %-11s %12s %9s %10s %10s %9s %9s %7s",
                "workload",
                "mode",
                "batch",
                "store",
                "ops/s",
                "p50 us",
                "p99 us",
                "p99.9 us",
                "client ns",
                "server ns",
                "errors");
    }

    private String label() {
        boolean rated =
                StoreWorkload.of(request.workload()).map(StoreWorkload::isRated).orElse(false);
        return request.workload() + (rated ? "/" + request.threads() : "");
    }

    /** Lines for people: medians, one line for each store. */
    public String print() {
        StringBuilder text = new StringBuilder();
        rounds.forEach((store, results) -> text.append(String.format(
                "%-18s %-7s %7d %-11s %,12.0f %9.1f %10.1f %10.1f %,9.0f %,9.0f %7d%n",
                label(),
                request.opsPerSecond() == 0 ? CompareLine.CLOSED : CompareLine.OPEN,
                request.batch(),
                store,
                medianOpsPerSecond(results),
                Medians.of(results, each -> each.figures().p50Micros()),
                Medians.of(results, each -> each.figures().p99Micros()),
                Medians.of(results, each -> each.figures().p999Micros()),
                Medians.of(results, Result::clientCpuNanos),
                Medians.of(results, Result::serverCpuNanos),
                results.stream().mapToLong(each -> each.figures().errors()).sum())));
        return text.toString();
    }
}
