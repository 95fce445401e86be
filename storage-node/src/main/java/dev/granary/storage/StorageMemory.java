package dev.granary.storage;

import dev.granary.log.backup.BackupLogOptions;
import dev.granary.net.Frame;
import dev.granary.process.MemoryPlan;
import dev.granary.process.MemoryPlan.Area;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.process.MemoryPlan.Need;
import dev.granary.storage.recover.WindowBounds;
import dev.granary.storage.replicate.ReplicationBounds;
import dev.granary.storage.replicate.ReplicationConfig;
import java.util.List;

/**
 * What the parts of a storage peer may take beside the chunk memory (SAFETY rule "budgets", ADR 0169).
 *
 * @param plan of its process
 */
public record StorageMemory(MemoryPlan plan) {

    static final String INBOUND = "inbound-frames";
    static final String OUTBOUND = "outbound-frames";
    static final String PENDING = "pending-batches";
    static final String SHIPMENTS = "shipments";
    static final String PARKED = "parked-requests";
    static final String HELD = "held-answers";
    static final String WINDOWS = "recovery-windows";
    static final String WINDOW_TABLES = "recovery-tables";
    static final String LOG_INDEX = "copy-log-index";
    static final String LOG_BUFFER = "copy-log-buffer";
    static final String SPOOLS = "fetched-copies";
    static final String BULK = "bulk-transfers";
    static final String COMPLETED = "completed-requests";
    static final String NAMES = "name-copies";
    static final String KEY_INDEX = "key-index";

    private static final long MIB = 1 << 20;

    /**
     * How many backups are sent requests of the full size at the same time. Requests to further backups are only as
     * large as the room for pending batches allows.
     */
    private static final int STREAMS = 32;

    private static final int MIN_REQUEST_BYTES = 64 << 10;

    /** A chunk may be 8 MiB. What Granary's client sends in one request is one chunk, or less than that. */
    private static final long LARGEST_CHANGE_BYTES = Frame.MAX_CHUNK_BYTES + 2 * MIB;

    /** A batch is one chunk, or less than that. */
    private static final long LARGEST_BATCH_BYTES = Frame.MAX_CHUNK_BYTES + MIB;

    /** How many steps of fills and moves may be on their way at once, each of this size or with one large chunk. */
    private static final int TRANSFERS = 8;

    private static final long TRANSFER_BYTES = MIB / 2;

    /** A frame may be 16 MiB; below that a peer could not take what others are allowed to send. */
    private static final List<Need> NEEDS = List.of(
            new Need(INBOUND, Area.DIRECT, 2, 18 * MIB, 512 * MIB),
            new Need(OUTBOUND, Area.DIRECT, 1, 2 * MIB, 256 * MIB),
            new Need(PENDING, Area.DIRECT, 4, LARGEST_CHANGE_BYTES, 128 * MIB),
            new Need(SHIPMENTS, Area.DIRECT, 2, LARGEST_BATCH_BYTES, 64 * MIB),
            new Need(PARKED, Area.DIRECT, 1, 2 * MIB, 64 * MIB),
            new Need(HELD, Area.DIRECT, 1, 2 * MIB, 256 * MIB),
            new Need(
                    WINDOWS,
                    Area.DIRECT,
                    2,
                    12 * MIB,
                    windowBytes(WindowBounds.usual().maxBytes())),
            new Need(
                    WINDOW_TABLES,
                    Area.HEAP,
                    3,
                    4 * MIB,
                    tableBytes(WindowBounds.usual().maxChunks())),
            new Need(KEY_INDEX, Area.DIRECT, 4, MIB, 4096 * MIB),
            new Need(LOG_INDEX, Area.HEAP, 3, 4 * MIB, 128 * MIB),
            new Need(LOG_BUFFER, Area.HEAP, 2, 4 * MIB, 16 * MIB),
            new Need(SPOOLS, Area.HEAP, 2, 12 * MIB, 2 * 272 * MIB),
            new Need(
                    BULK,
                    Area.HEAP,
                    1,
                    LARGEST_BATCH_BYTES + TRANSFERS * TRANSFER_BYTES,
                    TRANSFERS * LARGEST_BATCH_BYTES),
            new Need(COMPLETED, Area.HEAP, 2, 4 * MIB, 32 * MIB),
            new Need(NAMES, Area.HEAP, 2, MIB, 1024 * MIB));

    /**
     * Returns the plan of a process with an amount of memory.
     *
     * @throws dev.granary.process.MemoryPlanException when that is too little; says what to change
     */
    public static StorageMemory of(Limits limits) {
        return new StorageMemory(MemoryPlan.of(limits, NEEDS));
    }

    /** With all that the parts ever need. */
    public static StorageMemory ample() {
        return of(new Limits(8192 * MIB, 4096 * MIB));
    }

    /** The same way of replicating, with what waits for backups in its bounds. */
    ReplicationConfig bound(ReplicationConfig config) {
        long shipped = plan.bytes(SHIPMENTS) / ((long) STREAMS * config.requestsInFlight());
        return config.within(
                Math.clamp(shipped, Math.min(MIN_REQUEST_BYTES, config.requestBytes()), config.requestBytes()),
                new ReplicationBounds(
                        plan.bytes(PENDING),
                        plan.bytes(PENDING),
                        plan.bytes(HELD),
                        plan.bytes(SHIPMENTS),
                        plan.bytes(BULK)));
    }

    /** The same log of copies, with its buffers and indexes in their bounds. */
    BackupLogOptions bound(BackupLogOptions options) {
        return options.withMemory(
                Math.min(options.bufferBytes(), plan.bytes(LOG_BUFFER)),
                Math.min(options.indexBytes(), plan.bytes(LOG_INDEX)));
    }

    /** What each recovery of a zone may collect at once. */
    WindowBounds window() {
        return new WindowBounds(
                (int) (plan.bytes(WINDOWS) / windowBytes(1)), (int) (plan.bytes(WINDOW_TABLES) / tableBytes(1)));
    }

    /** All windows, each beside a smaller one while it grows. */
    private static long windowBytes(long maxBytes) {
        return maxBytes * WindowBounds.WINDOWS * 3 / 2;
    }

    private static long tableBytes(long maxChunks) {
        return maxChunks * WindowBounds.WINDOWS * WindowBounds.BYTES_PER_CHUNK;
    }

    /** All frames together that are being received. */
    long inboundBytes() {
        return plan.bytes(INBOUND);
    }

    /** All frames together that are written and not sent. */
    long outboundBytes() {
        return plan.bytes(OUTBOUND);
    }

    /** Requests that wait because their chunks are moving. */
    long parkedBytes() {
        return plan.bytes(PARKED);
    }

    /** Copies that others fetch. */
    long spoolBytes() {
        return plan.bytes(SPOOLS);
    }

    /** Answers of requests that were carried out, kept for retries. */
    long completedBytes() {
        return plan.bytes(COMPLETED);
    }

    /** Indexes of the keys of slot groups. */
    long indexBytes() {
        return plan.bytes(KEY_INDEX);
    }

    /** Copies of names. */
    long nameBytes() {
        return plan.bytes(NAMES);
    }
}
