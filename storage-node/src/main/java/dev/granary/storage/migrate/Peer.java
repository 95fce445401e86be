package dev.granary.storage.migrate;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.memory.ChunkMemory;
import dev.granary.net.rpc.RpcClient;
import dev.granary.storage.data.ChunkService;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.replicate.Replication;
import dev.granary.storage.replicate.ZoneContent;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the migrations of one storage peer share.
 *
 * @param epoch of this peer's incarnation
 * @param placeholders how many LIDs are taken by chunks that are elsewhere
 * @param replication logs what is taken over
 * @param content what there is of a range beside chunks
 * @param metrics what is measured
 */
record Peer(
        Clock clock,
        Scheduler scheduler,
        RpcClient rpc,
        ArcCalls arcs,
        ChunkService service,
        Lease lease,
        ChunkMemory memory,
        Ownership ownership,
        long epoch,
        AtomicLong placeholders,
        Replication replication,
        ZoneContent content,
        MigrationMetrics metrics) {

    int nid() {
        return ownership.nid();
    }
}
