package dev.granary.storage;

import dev.granary.memory.MemoryStatistics;
import dev.granary.overlay.Nid;
import dev.granary.process.JsonText;
import java.util.Map;
import java.util.UUID;

/**
 * A storage peer at one moment, for people and metrics.
 *
 * @param name for people
 * @param nid 0 while it has none
 * @param clusterId the zero UUID while it belongs to none
 * @param incarnation of the process, 0 before it has started
 * @param version of the program
 * @param leaseRemainingNanos 0 without a lease
 * @param epoch of its ranges, 0 before the first lease
 * @param firstLid first LID of this incarnation, 0 before the first lease
 * @param waitingFor what it waits for; empty when it waits for nothing
 * @param memory what it holds
 * @param plan what everything else may take
 * @param planUsedBytes what of that is taken, by the name of the share, as far as it is counted
 */
record StorageStatus(
        String name,
        int nid,
        UUID clusterId,
        long incarnation,
        String version,
        long leaseRemainingNanos,
        long epoch,
        long firstLid,
        String waitingFor,
        MemoryStatistics memory,
        StorageMemory plan,
        Map<String, Long> planUsedBytes) {

    private static final long NANOS_PER_MILLI = 1_000_000;

    String nidText() {
        return Nid.toHex(nid);
    }

    String toJson() {
        JsonText json = new JsonText()
                .object()
                .field("role", "storage")
                .field("name", name)
                .field("nid", nidText())
                .field("clusterId", clusterId.toString())
                .field("incarnation", "0x%016x".formatted(incarnation))
                .field("version", version)
                .object("lease")
                .field("valid", leaseRemainingNanos > 0)
                .field("remainingMillis", leaseRemainingNanos / NANOS_PER_MILLI)
                .field("epoch", epoch)
                .field("waitingFor", waitingFor)
                .end()
                .field("lostLidsBelow", Math.max(1, firstLid))
                .object("memory")
                .field("chunks", memory.chunks())
                .field("payloadBytes", memory.payloadBytes())
                .field("bookkeepingBytes", memory.bookkeepingBytes())
                .field("tableBytes", memory.tableBytes())
                .field("blockBytes", memory.blockBytes())
                .field("headerBytes", memory.headerBytes())
                .field("heapBytes", memory.heapBytes())
                .field("freeBytes", memory.freeBytes())
                .field("committedBytes", memory.committedBytes())
                .field("usedBytes", memory.usedBytes())
                .field("capacityBytes", memory.capacityBytes())
                .end();
        plan.plan().write(json, planUsedBytes);
        return json.end().toString();
    }
}
