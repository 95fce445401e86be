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
 * @param workers replay logs: they read the disk and take as long as it takes
 * @param present the log of this peer, which is another one after the disk has failed
 * @param epoch of this peer's incarnation
 * @param requests takes what logs say beside chunks
 * @param zones takes the zones that this peer owns
 * @param turnOver completes when all operations on chunks have ended that began before it was asked
 * @param wake has requests looked at again that waited until it is known who owns their chunks
 * @param window bounds what a replay collects
 * @param metrics count what is recovered
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
