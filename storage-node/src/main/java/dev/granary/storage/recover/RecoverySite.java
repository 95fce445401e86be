package dev.granary.storage.recover;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.log.backup.BackupLog;
import dev.granary.memory.ChunkMemory;
import dev.granary.net.rpc.RpcClient;
import dev.granary.storage.data.LearntRequests;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.ArcCalls;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * What the recoveries of one storage peer work with.
 *
 * @param workers replay logs: they may wait for the disk
 * @param present the backup log of this peer, which is another one after the disk has failed
 * @param epoch the epoch of this peer's incarnation
 * @param requests takes completion records and lock tokens from logs
 * @param zones takes the zones that this peer owns after a recovery
 * @param turnOver completes when all operations on chunks have ended that began before the call
 * @param wake tries requests again that waited until the owner of their chunks is known
 * @param window the bounds of what a replay collects
 * @param metrics the metrics of recoveries
 */
public record RecoverySite(
        Clock clock,
        Scheduler scheduler,
        Executor workers,
        RpcClient rpc,
        ArcCalls arcs,
        UUID clusterId,
        Supplier<BackupLog> present,
        ChunkMemory memory,
        Ownership ownership,
        long epoch,
        LearntRequests requests,
        ZoneTaker zones,
        Supplier<CompletableFuture<Void>> turnOver,
        Runnable wake,
        WindowBounds window,
        RecoveryMetrics metrics) {

    BackupLog log() {
        return present.get();
    }

    int nid() {
        return ownership.nid();
    }
}
