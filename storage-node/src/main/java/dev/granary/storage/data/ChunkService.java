package dev.granary.storage.data;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Clock;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryStatistics;
import dev.granary.net.FrameException;
import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.ReportLoad;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.lease.LidSupply;
import dev.granary.storage.replicate.OwnedZones;
import dev.granary.storage.replicate.ReplicationMetrics;
import dev.granary.storage.replicate.ZoneContent;
import io.netty.buffer.ByteBufAllocator;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests for chunks, on the I/O threads. Thread-safe.
 *
 * <p>Invariants: (1) nothing is read or changed without a valid lease; (2) the lease is checked again after a value was
 * read and before it is shown (SAFETY rule "reads"); (3) a request id is carried out at most once (SAFETY rule
 * "retries"); (4) a request that is refused has changed nothing; (5) of a chunk that is on its way to another peer only
 * what its {@link Transition} allows is served, and a request that must wait keeps no thread busy; (6) no change is
 * acknowledged, and none is shown, before all backups that must have it do (SAFETY rule "acknowledgement").
 */
public final class ChunkService {

    private static final Logger LOG = LoggerFactory.getLogger(ChunkService.class);

    private static final long ASLEEP_RETRY_NANOS = 50_000_000;
    private final Replies replies;
    private final Parking parking;
    private final CompletedRequests completed;
    private final GetRequests gets;
    private final ChangeRequests changes;
    private final CreatedFinder finder;
    private final ThreadLocal<Scratch> scratches;
    private volatile @Nullable ServedChunks served;
    private volatile Refused refused = Refused.NOTHING;
    private final LockTokens tokens = new LockTokens();
    private final LoadSketch load = new LoadSketch();
    private volatile OperationGate gate = new OperationGate();

    /** Completes when no operation is inside one of the earlier gates. */
    @GuardedBy("this")
    private CompletableFuture<Void> turnedOver = CompletableFuture.completedFuture(null);

    @GuardedBy("this")
    private boolean closed;

    /**
     * Makes a service that does not serve yet.
     *
     * @param executor runs deferred requests when they go on
     * @param allocator allocates buffers for batches to backups
     * @param durability the level of requests that do not ask for another one
     * @param unsent refuses gets while there are too many unsent answers
     * @param parkedBytes limit of deferred requests, which wait because their chunks are moving
     * @param completedBytes limit of the answers that are kept for retries
     */
    public ChunkService(
            Clock clock,
            Lease lease,
            LidSupply lids,
            ChunkMetrics metrics,
            ReplicationMetrics replicationMetrics,
            Executor executor,
            ByteBufAllocator allocator,
            Durability durability,
            UnsentAnswers unsent,
            long parkedBytes,
            long completedBytes) {
        this.replies = new Replies(clock, lease, metrics);
        this.parking = new Parking(this, replies, executor, parkedBytes);
        this.completed = new CompletedRequests(clock, CompletedRequests.MAX_CLIENTS, completedBytes);
        CreationsUnderWay creations = new CreationsUnderWay();
        this.scratches = ThreadLocal.withInitial(() -> new Scratch(allocator, creations.join()));
        this.gets = new GetRequests(replies, parking, load, creations, unsent);
        this.finder = new CreatedFinder(replies, completed);
        this.changes = new ChangeRequests(replies, lids, parking, completed, load, replicationMetrics, durability);
    }

    /**
     * Serves the chunks of a memory from now on, while the lease is valid. Called once.
     *
     * @param zones the zones in which changes are logged
     * @param epoch the epoch of this incarnation of the storage peer
     */
    public void serve(ChunkMemory memory, Ownership ownership, OwnedZones zones, long epoch) {
        served = new ServedChunks(memory, ownership, tokens, zones, epoch);
    }

    /** Which requests this peer refuses for a while. */
    public enum Refused {
        NOTHING,
        CHANGES,
        EVERYTHING
    }

    /** Refuses requests from the next one on. Requests under way have ended when {@link #turnOver} completes. */
    public void refuse(Refused what) {
        refused = what;
        wake();
    }

    /** Sets whether this peer refuses new chunks, because it is being drained. */
    public void setDraining(boolean value) {
        changes.setDraining(value);
    }

    /** Returns whether this peer is being drained. */
    public boolean isDraining() {
        return changes.isDraining();
    }

    /**
     * Returns how busy this peer is, and with which chunks and ranges. Call it at equal intervals, once it serves.
     *
     * @param intervalNanos the time between two calls
     */
    public ReportLoad takeLoad(int nid, long intervalNanos) {
        // What is halved each time adds up to two intervals' worth.
        double perSecond = 1e9 / (2.0 * intervalNanos);
        return load.take(nid, perSecond, Objects.requireNonNull(served).zones());
    }

    /** Returns the bytes of deferred requests, which wait because their chunks are moving. */
    public long parkedBytes() {
        return parking.bytes();
    }

    /** Returns the bytes of the answers that are kept for retries. */
    public long completedBytes() {
        return completed.bytes();
    }

    /** Returns the greatest lock token that was shown for any chunk, 0 for none. */
    public long greatestToken() {
        return tokens.greatest();
    }

    /** Returns the completion records, which move with their chunks. */
    public RequestLuggage luggage() {
        return new RequestLuggage(completed, tokens);
    }

    /** Returns what new copies of zones are filled with, from the memory that is served. */
    public ZoneContent content(ChunkMemory memory) {
        return new ZoneContent() {
            @Override
            public ChunkMemory memory() {
                return memory;
            }

            @Override
            public CompletableFuture<Void> turnOver() {
                return ChunkService.this.turnOver();
            }

            @Override
            public void tell(long startCid, long endCidInclusive, Visitor visitor) {
                luggage().tell(startCid, endCidInclusive, visitor);
            }
        };
    }

    /**
     * Returns a future that completes, on the thread of the last one, when all operations that began before have ended.
     */
    public synchronized CompletableFuture<Void> turnOver() {
        if (closed) {
            return gate.close();
        }
        OperationGate old = gate;
        gate = new OperationGate();
        CompletableFuture<Void> left = old.close();
        turnedOver = CompletableFuture.allOf(turnedOver, left);
        return left;
    }

    /** Handles deferred requests again. Call it when a transition has changed. */
    public void wake() {
        parking.wake();
    }

    /** Forgets completion records that are not needed any more. Call it every few minutes. */
    public void expire() {
        completed.expire();
    }

    /** Returns what chunk memory holds; empty before this peer serves and once the memory is closed. */
    public Optional<MemoryStatistics> statistics() {
        ServedChunks chunks = served;
        OperationGate entered = chunks == null ? null : enter();
        if (chunks == null || entered == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(chunks.memory().statistics());
        } finally {
            entered.exit();
        }
    }

    /** Returns the way in for operations on keys. */
    public KeyedAccess keyed() {
        return new KeyedAccess(this, replies);
    }

    @Nullable
    ServedChunks served() {
        return served;
    }

    /** Returns why requests are refused while the cluster is put to sleep, or null. */
    @Nullable
    ErrorReply asleep(boolean change) {
        Refused now = refused;
        return now == Refused.EVERYTHING || (now == Refused.CHANGES && change)
                ? ErrorReply.retryLater(ASLEEP_RETRY_NANOS, "this cluster is being put to sleep ('granary hibernate')")
                : null;
    }

    /** Returns the gate that lets an operation in now, or null when none does any more. */
    @Nullable
    OperationGate enter() {
        while (true) {
            OperationGate present = gate;
            if (present.enter()) {
                return present;
            }
            if (present == gate) {
                return null;
            }
        }
    }

    /** Refuses everything from now on; the future completes when no operation uses the memory any more. */
    public CompletableFuture<Void> close() {
        CompletableFuture<Void> left;
        synchronized (this) {
            closed = true;
            left = CompletableFuture.allOf(turnedOver, gate.close());
        }
        wake();
        return left;
    }

    /** Adds the requests that this class answers. */
    public void addTo(RequestTable requests) {
        requests.add(MessageType.FIND_CREATED.code(), request -> finder.find(request, served));
        for (Operation operation : Operation.values()) {
            requests.add(operation.messageType, request -> handle(request, operation));
        }
    }

    private void handle(RpcRequest request, Operation operation) {
        OperationGate entered = enter();
        if (entered == null) {
            replies.refuse(
                    request, operation, 1, ErrorReply.of(ErrorCode.SHUTTING_DOWN, "this storage peer is stopping"));
            return;
        }
        try {
            ServedChunks chunks = served;
            ErrorReply asleep = asleep(operation != Operation.GET);
            if (asleep != null) {
                replies.refuse(request, operation, 1, asleep);
            } else if (chunks == null || !replies.hasLease()) {
                replies.noLease(request, operation, 1);
            } else if (operation == Operation.GET) {
                gets.get(request, chunks, scratches.get());
            } else if (operation == Operation.FENCE) {
                changes.fence(request, chunks, scratches.get());
            } else {
                changes.change(request, operation, chunks, scratches.get());
            }
        } catch (ChangeLayout.TooLargeException e) {
            replies.failed(operation);
            request.fail(ErrorCode.TOO_LARGE, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // The caller of this handler answers with the right error.
            replies.failed(operation);
            throw e;
        } finally {
            entered.exit();
        }
    }

    /** Handles a deferred request again. */
    void handleAgain(RpcRequest request) {
        try {
            handle(request, Operation.of(request.type()));
        } catch (FrameException | IndexOutOfBoundsException e) {
            request.fail(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("a request that had waited failed");
            request.fail(ErrorCode.INTERNAL, String.valueOf(e.getMessage()));
        }
    }
}
