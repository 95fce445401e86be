package dev.granary.tools.bench.network;

import dev.granary.bench.network.LoopFigures;
import dev.granary.bench.network.LoopRequest;
import dev.granary.bench.network.ThreadSwitches;
import dev.granary.tools.bench.process.ProcessFigures;
import dev.granary.tools.bench.redis.MeasuredStore;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client with the store that it talks to.
 *
 * @param heap tells what the servers allocate; null when they are no Java processes
 */
record Contestant(
        ClientKind kind,
        ClientProcess client,
        MeasuredStore store,
        @Nullable ServerHeap heap) {

    /**
     * What one measurement gave, for each operation where that is said.
     *
     * @param serverSwitches how often threads of the servers gave their processor up to wait, an operation
     * @param serverBytes bytes of heap an operation; null when the server is no Java process
     * @param otherCpuNanos processor time of the super-peers an operation
     */
    record Result(
            LoopFigures client,
            double opsPerSecond,
            double serverCpuNanos,
            double otherCpuNanos,
            double serverSwitches,
            @Nullable Double serverBytes) {}

    /** Measures. */
    Result measure(LoopRequest request) throws IOException {
        long bytesBefore = heap == null ? 0 : heap.allocatedBytes();
        long cpuBefore = ProcessFigures.cpuNanos(store.servers());
        long otherBefore = ProcessFigures.cpuNanos(store.others());
        List<ThreadSwitches> switchesBefore = switches();
        LoopFigures figures = client.measure(request);
        double operations = Math.max(1, figures.operations());
        double cpu = ProcessFigures.cpuNanos(store.servers()) - cpuBefore;
        double other = ProcessFigures.cpuNanos(store.others()) - otherBefore;
        List<ThreadSwitches> switchesAfter = switches();
        long switches = 0;
        for (int i = 0; i < switchesAfter.size(); i++) {
            switches += switchesAfter.get(i).since(switchesBefore.get(i));
        }
        Double bytes = heap == null ? null : (heap.allocatedBytes() - bytesBefore) / operations;
        return new Result(
                figures,
                figures.operations() * 1e9 / Math.max(1, figures.nanos()),
                cpu / operations,
                other / operations,
                switches / operations,
                bytes);
    }

    private List<ThreadSwitches> switches() {
        return store.servers().stream()
                .map(pid -> ThreadSwitches.of(Long.toString(pid)))
                .toList();
    }
}
