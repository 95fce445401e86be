package dev.granary.storage.backup;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.BatchWriter;
import dev.granary.log.backup.EntryVisitor;
import dev.granary.log.backup.ReplayReport;
import dev.granary.log.backup.ZoneSummary;
import dev.granary.net.message.Blob;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.FetchCopy;
import dev.granary.net.message.FetchedCopy;
import dev.granary.net.rpc.RpcRequest;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands copies to other peers, part by part: the copy is replayed once, and what comes out is kept until it is fetched, or
 * not asked for any more. Few at a time. State is touched by tasks of the scheduler only.
 */
public final class CopySpools {

    private static final Logger LOG = LoggerFactory.getLogger(CopySpools.class);

    private static final int PART_BYTES = 1 << 20;
    private static final int MAX_SPOOLS = 2;
    private static final long IDLE_NANOS = 10_000_000_000L;
    private static final long BUSY_RETRY_NANOS = 50_000_000;
    private static final int PART_BITS = 20;

    private final BackupLog log;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Executor readers;
    private final Map<Long, Spool> spools = new LinkedHashMap<>();
    private long lastId;
    private int begun;
    private boolean closed;

    /** A copy that is being fetched. */
    private static final class Spool implements EntryVisitor {
        private final int zone;
        private final long epoch;
        private final BatchWriter writer = new BatchWriter();
        private final List<byte[]> parts = new ArrayList<>();
        private boolean open;
        private boolean damaged;
        private long lastUsedNanos;

        private Spool(int zone, long epoch) {
            this.zone = zone;
            this.epoch = epoch;
        }

        private void makeRoom() {
            if (open && writer.sizeBytes() >= PART_BYTES) {
                finish();
            }
            if (!open) {
                writer.start(zone, epoch, 0);
                open = true;
            }
        }

        private void finish() {
            if (open) {
                ByteBuffer batch = writer.finish();
                byte[] bytes = new byte[batch.remaining()];
                batch.get(bytes);
                parts.add(bytes);
                open = false;
            }
        }

        @Override
        public void chunk(long cid, long ofEpoch, long sequence, MemorySegment bytes, long offset, int length) {
            makeRoom();
            writer.chunk(cid, bytes, offset, length);
        }

        @Override
        public void request(
                long clientId,
                long requestSequence,
                long ackedSequence,
                long ofEpoch,
                long sequence,
                MemorySegment bytes,
                long offset,
                int length) {
            makeRoom();
            writer.request(clientId, requestSequence, ackedSequence, bytes, offset, length);
        }

        @Override
        public void token(long cid, long token, long ofEpoch, long sequence) {
            makeRoom();
            writer.token(cid, token);
        }
    }

    /**
     * @param readers replay copies, which takes time and reads the disk
     */
    public CopySpools(BackupLog log, Clock clock, Scheduler scheduler, Executor readers) {
        this.log = log;
        this.clock = clock;
        this.scheduler = scheduler;
        this.readers = readers;
    }

    /** Answers with a part. By any thread. */
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
        long now = clock.nanoTime();
        spools.values().removeIf(spool -> now - spool.lastUsedNanos > IDLE_NANOS);
        ZoneSummary summary = log.zone(wanted.zone());
        if (summary == null || summary.fence() < wanted.epoch()) {
            request.fail(ErrorCode.NOT_FOUND, "there is no copy of zone " + wanted.zone() + " that was sealed");
        } else if (begun + spools.size() >= MAX_SPOOLS) {
            request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, "other copies are just being fetched"));
        } else {
            begun++;
            readers.execute(() -> read(wanted, request));
        }
    }

    private void read(FetchCopy wanted, RpcRequest request) {
        Spool spool = new Spool(wanted.zone(), wanted.epoch());
        RuntimeException failed = null;
        try {
            ReplayReport report = log.replay(wanted.zone(), wanted.upToSequence(), spool);
            spool.finish();
            spool.damaged = !report.isComplete();
        } catch (RuntimeException e) {
            failed = e;
        }
        RuntimeException failure = failed;
        scheduler.execute(() -> {
            begun--;
            if (failure != null) {
                LOG.atError().setCause(failure).log("a copy cannot be read");
                request.fail(ErrorCode.INTERNAL, "the copy cannot be read: " + failure.getMessage());
                return;
            }
            long id = ++lastId;
            spool.lastUsedNanos = clock.nanoTime();
            spools.put(id, spool);
            tell(id, 0, spool, request);
        });
    }

    private void goOn(FetchCopy wanted, RpcRequest request) {
        long id = wanted.cursor() >>> PART_BITS;
        int part = (int) (wanted.cursor() & ((1 << PART_BITS) - 1));
        Spool spool = spools.get(id);
        if (spool == null || part >= spool.parts.size() || spool.zone != wanted.zone()) {
            request.fail(ErrorCode.NOT_FOUND, "the copy that was being fetched is not known any more");
            return;
        }
        spool.lastUsedNanos = clock.nanoTime();
        tell(id, part, spool, request);
    }

    private void tell(long id, int part, Spool spool, RpcRequest request) {
        boolean last = part + 1 >= spool.parts.size();
        byte[] bytes = part < spool.parts.size() ? spool.parts.get(part) : new byte[0];
        if (last) {
            // Should the answer be lost, it is fetched from the start.
            spools.remove(id);
        }
        request.reply(new FetchedCopy(last ? 0 : id << PART_BITS | (part + 1), spool.damaged, new Blob(bytes)));
    }

    void close() {
        closed = true;
    }
}
