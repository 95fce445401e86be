package dev.granary.storage.backup;

import dev.granary.env.Loop;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;
import dev.granary.env.Steps;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.ZoneSummary;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyFilled;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import dev.granary.net.message.ReplicationMessages.FillData;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests for the copies of zones that this peer keeps for others. Thread-safe.
 *
 * <p>Invariants: (1) no request of another cluster is taken; (2) a batch that is answered as held is in the log, and on
 * the disk if the request asked for a sync; (3) answers to opening, sealing and filling are sent when the disk has the
 * change.
 */
public final class BackupService {

    private static final Logger LOG = LoggerFactory.getLogger(BackupService.class);

    private static final long NOT_YET_RETRY_NANOS = 100_000_000;

    private static final long TICK_NANOS = 10_000_000;
    private static final long CLEAN_NANOS = 100_000_000;

    /** Longer than any disk takes to rewrite a few log segments. */
    private static final long CLEAN_LIMIT_NANOS = 600_000_000_000L;

    private static final long BUSY_RETRY_NANOS = 20_000_000;
    private static final int KEPT_BUFFER_BYTES = 1 << 20;

    private final BackupLog log;
    private final Steps ticks;
    private final RpcIdentity identity;
    private final Incarnation incarnation;
    private final BackupMetrics metrics;
    private final Copies copies;
    private final CopySpools spools;
    private final AtomicBoolean ticking = new AtomicBoolean();
    private final ThreadLocal<Buffer> buffers = ThreadLocal.withInitial(Buffer::new);
    private final Loop cleaning;
    private volatile boolean stopped;

    /** The buffer of one I/O thread. */
    private static final class Buffer {
        private final BatchBytes parts = new BatchBytes();
        private byte[] bytes = new byte[1 << 16];

        /** Returns the next bytes of a payload in an array on the heap, from which the log copies them. */
        private ByteBuffer take(ByteBuf payload, int sizeBytes) {
            if (sizeBytes > bytes.length) {
                byte[] larger = new byte[Math.max(sizeBytes, Math.min(2 * bytes.length, KEPT_BUFFER_BYTES))];
                if (larger.length <= KEPT_BUFFER_BYTES) {
                    bytes = larger;
                }
                payload.readBytes(larger, 0, sizeBytes);
                return ByteBuffer.wrap(larger, 0, sizeBytes);
            }
            payload.readBytes(bytes, 0, sizeBytes);
            return ByteBuffer.wrap(bytes, 0, sizeBytes);
        }
    }

    /**
     * Makes a service for a log that is open.
     *
     * @param log the log of this peer; {@link #close} closes it
     * @param incarnation this one
     * @param lost zones whose copies were lost with a log before this one, as {@link #promises} told
     */
    public BackupService(
            BackupLog log,
            Scheduler scheduler,
            RpcIdentity identity,
            Incarnation incarnation,
            BackupMetrics metrics,
            CopySpools spools,
            Map<Integer, Long> lost) {
        this.log = log;
        this.ticks = new Steps(scheduler, "copy-log-writes", TICK_NANOS);
        this.identity = identity;
        this.incarnation = incarnation;
        this.metrics = metrics;
        this.copies = new Copies(log, incarnation::epoch, lost);
        this.spools = spools;
        // Without this loop the disk fills up, and then this backup takes no change of any owner.
        this.cleaning = Loop.answered(scheduler, "copy-log-cleaner", CLEAN_NANOS, CLEAN_LIMIT_NANOS, this::clean)
                .vital(CLEAN_LIMIT_NANOS + Loops.VITAL_LIMIT_NANOS);
        metrics.show(log);
        cleaning.beginAfter(CLEAN_NANOS);
    }

    /** Says that this incarnation began in another process and resumes here: the log has all that it had. */
    public void resumed() {
        log.trustWhatWasFound();
        copies.resumed();
    }

    /**
     * Adds the requests that this class answers.
     *
     * @param present returns the service of the open log, which may change; null while no log is open
     */
    public static void addTo(RequestTable requests, Supplier<@Nullable BackupService> present) {
        requests.add(MessageType.REPLICATE, at(present, BackupService::replicate));
        requests.add(MessageType.FILL_DATA, at(present, BackupService::fill));
        requests.add(MessageType.LIST_COPIES.code(), at(present, BackupService::list));
        requests.add(MessageType.OPEN_COPIES.code(), at(present, BackupService::open));
        requests.add(MessageType.SEAL_ZONES.code(), at(present, BackupService::seal));
        requests.add(MessageType.COPY_FILLED.code(), at(present, BackupService::filled));
        requests.add(MessageType.DROP_COPIES.code(), at(present, BackupService::drop));
        requests.add(MessageType.FETCH_COPY.code(), at(present, BackupService::fetch));
    }

    private static RequestHandler at(
            Supplier<@Nullable BackupService> present, BiConsumer<BackupService, RpcRequest> answer) {
        return request -> {
            BackupService service = present.get();
            if (service == null) {
                request.fail(ErrorReply.retryLater(NOT_YET_RETRY_NANOS, "this storage peer is just starting"));
            } else if (service.stopped) {
                request.fail(ErrorCode.SHUTTING_DOWN, "this storage peer is stopping");
            } else {
                answer.accept(service, request);
            }
        };
    }

    /** Returns whether a request comes from this cluster, and refuses it otherwise. */
    private boolean isOurs(RpcRequest request, UUID clusterId) {
        UUID own = identity.clusterId();
        if (own.equals(clusterId)) {
            return true;
        }
        if (own.equals(RpcIdentity.NO_CLUSTER)) {
            request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, "this storage peer is just looking for its cluster"));
        } else {
            request.fail(ErrorCode.WRONG_CLUSTER, "this storage peer belongs to cluster " + own);
        }
        return false;
    }

    private void replicate(RpcRequest request) {
        ByteBuf in = request.payload();
        Replicate header = Replicate.read(in);
        if (!isOurs(request, header.clusterId())) {
            return;
        }
        List<CopyState> states = new ArrayList<>(header.zones());
        Buffer buffer = buffers.get();
        for (int i = 0; i < header.zones(); i++) {
            int zone = in.readIntLE();
            long epoch = in.readLongLE();
            long acknowledged = in.readLongLE();
            int sizeBytes = requireSize(in.readIntLE(), in);
            CopyState state = copies.append(zone, epoch, buffer.take(in, sizeBytes), buffer.parts);
            log.acknowledged(zone, epoch, acknowledged);
            metrics.count(state.result());
            states.add(state);
        }
        tickSoon();
        if ((header.flags() & Replicate.FLAG_SYNC) == 0) {
            reply(request, states);
            return;
        }
        var _ = log.sync().whenComplete((done, failure) -> {
            if (failure != null) {
                LOG.atError().setCause(failure).log("the log of this backup failed");
                reply(request, states.stream().map(BackupService::failed).toList());
            } else {
                reply(request, states);
            }
        });
    }

    private static CopyState failed(CopyState state) {
        return new CopyState(state.zone(), CopyResult.FAILED, state.epoch(), 0);
    }

    private static void reply(RpcRequest request, List<CopyState> states) {
        ByteBuf out = request.startReply(Short.BYTES + CopyState.BYTES * states.size());
        out.writeShortLE(states.size());
        for (int i = 0; i < states.size(); i++) {
            states.get(i).writeTo(out);
        }
        request.reply(out);
    }

    private static int requireSize(int sizeBytes, ByteBuf in) {
        if (sizeBytes < 0 || sizeBytes > in.readableBytes()) {
            throw new IllegalArgumentException(
                    "batches of " + sizeBytes + " bytes in a message with " + in.readableBytes() + " left");
        }
        return sizeBytes;
    }

    private void fill(RpcRequest request) {
        ByteBuf in = request.payload();
        FillData header = FillData.read(in);
        if (!isOurs(request, header.clusterId())) {
            return;
        }
        Buffer buffer = buffers.get();
        ByteBuffer batches = buffer.take(in, in.readableBytes());
        request.reply(copies.fill(header.zone(), header.epoch(), header.step(), batches, buffer.parts));
        tickSoon();
    }

    private void open(RpcRequest request) {
        OpenCopies wanted = request.read(MessageType.OPEN_COPIES);
        if (!incarnation.holdsLease()) {
            // Its arc has another incarnation as the member, or will have: what this one held would not count.
            StorageProbe.OPENING_WITHOUT_A_LEASE.hit();
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS, "this backup holds no lease: another machine may have taken its place"));
        } else if (isOurs(request, wanted.clusterId())) {
            answer(
                    request,
                    wanted.copies(),
                    copy -> copies.open(wanted.clusterId(), wanted.ownerNid(), copy)
                            .exceptionally(failure -> new CopyState(copy.zone(), CopyResult.FAILED, copy.epoch(), 0)),
                    CopyStates::new);
        }
    }

    private void seal(RpcRequest request) {
        SealZones wanted = request.read(MessageType.SEAL_ZONES);
        if (isOurs(request, wanted.clusterId())) {
            answer(request, wanted.zones(), copies::seal, SealedCopies::new);
        }
    }

    private void filled(RpcRequest request) {
        CopyFilled filled = request.read(MessageType.COPY_FILLED);
        if (isOurs(request, filled.clusterId())) {
            answer(request, List.of(filled), one -> copies.filled(one), states -> states.getFirst());
        }
    }

    private void drop(RpcRequest request) {
        DropCopies dropped = request.read(MessageType.DROP_COPIES);
        if (isOurs(request, dropped.clusterId())) {
            answer(request, dropped.zones(), copies::drop, done -> new Empty());
        }
    }

    /** Answers when all futures have completed. Refuses the request as a whole when one of them fails. */
    private static <Q, R> void answer(
            RpcRequest request,
            List<Q> parts,
            Function<Q, CompletableFuture<R>> work,
            Function<List<R>, Message> answer) {
        List<CompletableFuture<R>> all = parts.stream().map(work).toList();
        var _ = CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        request.reply(answer.apply(
                                all.stream().map(CompletableFuture::join).toList()));
                    } else {
                        LOG.atError().setCause(failure).log("the copies of this backup cannot be changed");
                        request.fail(ErrorCode.INTERNAL, "the log of this backup failed: " + failure.getMessage());
                    }
                });
    }

    private void fetch(RpcRequest request) {
        FetchCopy wanted = request.read(MessageType.FETCH_COPY);
        if (isOurs(request, wanted.clusterId())) {
            spools.fetch(wanted, request);
        }
    }

    private void list(RpcRequest request) {
        request.reply(list(request.read(MessageType.LIST_COPIES)));
    }

    private CopyList list(ListCopies asked) {
        List<CopyList.Held> told = new ArrayList<>();
        int next = 0;
        for (ZoneSummary each : asked.limit() <= 0 ? List.<ZoneSummary>of() : log.zones()) {
            if (each.zone() <= asked.afterZone()) {
                continue;
            }
            if (told.size() == asked.limit()) {
                next = told.getLast().zone();
                break;
            }
            told.add(new CopyList.Held(
                    each.zone(),
                    each.epoch(),
                    each.fence(),
                    each.members(),
                    each.lastSequence(),
                    each.continuous() && each.damage().isEmpty(),
                    each.filled(),
                    each.usedBytes()));
        }
        return new CopyList(incarnation.epoch(), next, told);
    }

    /** Asks the log to write what it took, a little later, so that several appends are written together. */
    private void tickSoon() {
        if (ticking.compareAndSet(false, true)) {
            ticks.after(TICK_NANOS, this::tick);
        }
    }

    private void tick() {
        ticking.set(false);
        if (!stopped) {
            log.tick();
            if (log.isTickNeeded()) {
                tickSoon();
            }
        }
    }

    private void clean() {
        copies.lookForDamage();
        // A log that was opened on a full disk is sent nothing, and must see by itself that there is room again.
        log.tick();
        // That a disk fails is seen by whoever looks after the log; here it only has to be tried again.
        var _ = log.clean().whenComplete((more, failure) -> cleaning.again(CLEAN_NANOS));
    }

    /** Returns how many copies are on the disk. */
    public int count() {
        return log.zoneCount();
    }

    /**
     * Returns what the service of the next log must know when this log has failed: the epoch that was promised for each
     * zone.
     */
    public Map<Integer, Long> promises() {
        return copies.promises();
    }

    /** Returns how many bytes the copies take. */
    public long sizeBytes() {
        return log.segmentBytes();
    }

    /**
     * Takes no request any more, and closes the log. Called when nobody reads the log any more.
     *
     * @param writer does the log's work, one task after the other
     */
    public CompletableFuture<Void> close(Executor writer) {
        stopped = true;
        cleaning.stop();
        spools.close();
        return CompletableFuture.runAsync(this::closeLog, writer);
    }

    private void closeLog() {
        try {
            log.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
