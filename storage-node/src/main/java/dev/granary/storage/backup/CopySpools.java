package dev.granary.storage.backup;

import dev.granary.env.Clock;
import dev.granary.env.Confined;
import dev.granary.env.Scheduler;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.ZoneSummary;
import dev.granary.net.message.Blob;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import dev.granary.net.message.ReplicationMessages.FetchedCopy;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.BackupZone;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands copies to other peers, part by part. A replay reads the copy, and its entries are kept until the other peer has
 * fetched them or stops asking. Few copies are handed out at a time. A copy that is larger than its room is replayed
 * several times, each time for other entries (ADR 0190). Only tasks of the scheduler use the state.
 */
public final class CopySpools {

    private static final Logger LOG = LoggerFactory.getLogger(CopySpools.class);

    private static final int MAX_SPOOLS = 2;
    private static final long IDLE_NANOS = 10_000_000_000L;
    private static final long BUSY_RETRY_NANOS = 50_000_000;
    private static final int PART_BITS = 20;

    private final Confined confined = new Confined();
    private final BackupLog log;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor readers;
    private final long maxSpoolBytes;
    private final Map<Long, CopySpool> spools = new ConcurrentHashMap<>();
    private long lastId;
    private boolean closed;

    /**
     * Makes spools for a log.
     *
     * @param readers replay copies, which takes time and reads the disk
     * @param maxBytes how many bytes all spools together may keep
     */
    public CopySpools(BackupLog log, Clock clock, Scheduler scheduler, Executor readers, long maxBytes) {
        this.log = log;
        this.clock = clock;
        this.scheduler = scheduler;
        this.readers = readers;
        this.maxSpoolBytes = maxBytes / MAX_SPOOLS;
    }

    /** Answers a request with a part. Called by any thread. */
    void fetch(FetchCopy wanted, RpcRequest request) {
        scheduler.execute(() -> {
            if (closed) {
                request.fail(ErrorCode.SHUTTING_DOWN, "this storage peer is stopping");
            } else if (wanted.cursor() == 0) {
                begin(wanted, request);
            } else {
                goOn(wanted, request);
            }
        });
    }

    private void begin(FetchCopy wanted, RpcRequest request) {
        assert confined.here() : confined;
        long now = clock.nanoTime();
        spools.values().removeIf(spool -> !spool.reading && now - spool.lastUsedNanos > IDLE_NANOS);
        ZoneSummary summary = log.zone(wanted.zone());
        if (summary == null || summary.fence() < wanted.epoch()) {
            request.fail(
                    ErrorCode.NOT_FOUND,
                    "there is no sealed copy of zone " + BackupZone.nameOf(wanted.zone()) + " here");
        } else if (spools.size() >= MAX_SPOOLS) {
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS, MAX_SPOOLS + " other copies are being fetched from this storage peer"));
        } else {
            long id = ++lastId;
            CopySpool spool = new CopySpool(log, wanted, summary.fence(), maxSpoolBytes);
            spools.put(id, spool);
            read(id, spool, 0, request);
        }
    }

    /** Reads the next parts on a reader, and answers with the first of them. */
    private void read(long id, CopySpool spool, int part, RpcRequest request) {
        spool.reading = true;
        readers.execute(() -> {
            RuntimeException failed = null;
            try {
                spool.readMore();
            } catch (RuntimeException e) {
                failed = e;
            }
            RuntimeException failure = failed;
            scheduler.execute(() -> {
                spool.reading = false;
                spool.lastUsedNanos = clock.nanoTime();
                if (failure != null) {
                    spools.remove(id);
                    LOG.atError().setCause(failure).log("a copy cannot be read");
                    request.fail(ErrorCode.INTERNAL, "the copy cannot be read: " + failure.getMessage());
                } else {
                    tell(id, part, spool, request);
                }
            });
        });
    }

    private void goOn(FetchCopy wanted, RpcRequest request) {
        assert confined.here() : confined;
        long id = wanted.cursor() >>> PART_BITS;
        int part = (int) (wanted.cursor() & ((1 << PART_BITS) - 1));
        CopySpool spool = spools.get(id);
        if (spool == null || spool.zone() != wanted.zone()) {
            request.fail(ErrorCode.NOT_FOUND, "the copy that was being fetched is not known any more");
        } else if (spool.reading) {
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS,
                    "the copy of zone " + BackupZone.nameOf(wanted.zone()) + " is being read from the disk"));
        } else if (spool.has(part)) {
            spool.lastUsedNanos = clock.nanoTime();
            tell(id, part, spool, request);
        } else if (spool.comesNext(part) && isAsItWas(spool)) {
            read(id, spool, part, request);
        } else {
            request.fail(ErrorCode.NOT_FOUND, "the copy that was being fetched is not known any more");
        }
    }

    /** Returns whether the copy cannot have changed since the other peer began to fetch it. */
    private boolean isAsItWas(CopySpool spool) {
        ZoneSummary summary = log.zone(spool.zone());
        return summary != null && summary.fence() == spool.fence();
    }

    private void tell(long id, int part, CopySpool spool, RpcRequest request) {
        assert confined.here() : confined;
        boolean last = spool.isLast(part);
        if (last) {
            // If the answer is lost, the other peer fetches the copy from the start.
            spools.remove(id);
        }
        request.reply(new FetchedCopy(
                last ? 0 : id << PART_BITS | (part + 1), spool.isDamaged(), new Blob(spool.part(part))));
    }

    /** Returns how many bytes all spools take. Called by any thread. */
    public long bytes() {
        return spools.values().stream().mapToLong(CopySpool::bytes).sum();
    }

    void close() {
        closed = true;
    }
}
