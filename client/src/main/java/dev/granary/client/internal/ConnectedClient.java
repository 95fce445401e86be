package dev.granary.client.internal;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.AsyncKeys;
import dev.granary.client.AsyncNames;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.ClientOptions;
import dev.granary.client.Durability;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.LockView;
import dev.granary.client.Place;
import dev.granary.client.WaitingChunks;
import dev.granary.client.view.ClusterView;
import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.net.FrameException;
import dev.granary.net.Transport;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.Logins;
import dev.granary.net.access.NodePorts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client over a transport. Each operation finds the owners of its chunks through the super-peers, and calls the
 * owners. Thread-safe.
 */
public final class ConnectedClient implements AsyncGranaryClient {

    private static final long LOCK_ID_STEP = 0x9E3779B97F4A7C15L;

    private final ClientOptions options;
    private final Retry.Context retry;
    private final RpcClient rpc;
    private final ClusterDirectory directory;
    private final BatchContext context;
    private final AsyncNames names;
    private final AtomicLong lockCount;
    private final Creators creators;
    private final Runnable afterClose;

    /**
     * Makes a client with the caller's clock, scheduler and transport. It finds the cluster with its first operation.
     *
     * @param random draws the client's id and the pauses between attempts; after the constructor only scheduler tasks
     *     use it
     */
    public ConnectedClient(
            Clock clock, Scheduler scheduler, RandomGenerator random, Transport transport, ClientOptions options) {
        this(clock, scheduler, random, transport, options, Credentials.none(), () -> {});
    }

    /**
     * The same for a client that proves who it is.
     *
     * @param credentials with which it does; the file that the options name is not read
     */
    public ConnectedClient(
            Clock clock,
            Scheduler scheduler,
            RandomGenerator random,
            Transport transport,
            ClientOptions options,
            Credentials credentials) {
        this(clock, scheduler, random, transport, options, credentials, () -> {});
    }

    /** @param afterClose closes what belongs to this client alone, once its connections are closed */
    ConnectedClient(
            Clock clock,
            Scheduler scheduler,
            RandomGenerator random,
            Transport transport,
            ClientOptions options,
            Credentials credentials,
            Runnable afterClose) {
        this.options = options;
        this.retry = new Retry.Context(
                clock, scheduler, random, options.attemptTimeout().toNanos());
        RpcIdentity identity = new RpcIdentity(
                NodeRole.CLIENT, 0, credentials, Logins.of(options.user(), options.password(), options.passwordFile()));
        this.rpc = new RpcClient(transport, clock, scheduler, identity, NodePorts.ofClient(options.adminPort()));
        long clientId = random.nextLong(1, Long.MAX_VALUE);
        this.directory = new ClusterDirectory(rpc, identity, seeds(options), retry, clientId);
        this.context = new BatchContext(rpc, directory, retry, options, clientId, new ConcurrentHashMap<>());
        this.names = new ClusterNames(context);
        this.lockCount = new AtomicLong();
        this.creators = new Creators(clock);
        this.afterClose = afterClose;
    }

    private static List<HostAddress> seeds(ClientOptions options) {
        return options.addresses().stream().map(HostAddress::parse).toList();
    }

    /** Makes a view of a client. Both count their requests in the same objects. */
    private ConnectedClient(ConnectedClient client, BatchContext context) {
        this.options = context.options();
        this.retry = client.retry;
        this.rpc = client.rpc;
        this.directory = client.directory;
        this.context = context;
        this.names = client.names;
        this.lockCount = client.lockCount;
        this.creators = client.creators;
        this.afterClose = client.afterClose;
    }

    @Override
    public AsyncGranaryClient withDurability(Durability durability) {
        return new ConnectedClient(this, context.withDurability(durability));
    }

    @Override
    public CompletableFuture<Long> create(byte[] value, Place place) {
        return create(ChunkSource.of(List.of(value)), place, deadline()).thenApply(cids -> cids[0]);
    }

    @Override
    public CompletableFuture<Long> create(Exportable object, Place place) {
        return create(ChunkSource.ofObjects(List.of(object)), place, deadline()).thenApply(cids -> cids[0]);
    }

    @Override
    public CompletableFuture<long[]> createAll(List<byte[]> values, Place place) {
        return create(ChunkSource.of(values), place, batchDeadline());
    }

    @Override
    public CompletableFuture<long[]> createObjects(List<? extends Exportable> objects, Place place) {
        return create(ChunkSource.ofObjects(objects), place, batchDeadline());
    }

    @Override
    public CompletableFuture<long[]> createZeroed(int count, int sizeBytes, Place place) {
        if (count < 0 || sizeBytes < 0) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    count + " chunks of " + sizeBytes + " bytes cannot be created: neither may be negative"));
        }
        return create(ChunkSource.zeroed(count, sizeBytes), place, batchDeadline());
    }

    private CompletableFuture<long[]> create(ChunkSource source, Place place, long deadlineNanos) {
        return new CreateBatch(context, source, place, creators, deadlineNanos).run();
    }

    @Override
    public CompletableFuture<byte[]> get(long cid) {
        return getOne(cid, BYTES, retry.clock().nanoTime(), null);
    }

    @Override
    public <T extends Importable> CompletableFuture<T> get(long cid, T object) {
        return getOne(cid, into(object), retry.clock().nanoTime(), null);
    }

    /** Makes a value of the next bytes of a reply. */
    @FunctionalInterface
    interface ValueReader<T> {
        T read(ByteBuf in, int sizeBytes);

        /** Makes a value of bytes that nobody else uses. */
        default T of(byte[] bytes) {
            return read(Unpooled.wrappedBuffer(bytes), bytes.length);
        }
    }

    /** Reads bytes as they are. */
    static final ValueReader<byte[]> BYTES = new ValueReader<>() {
        @Override
        public byte[] read(ByteBuf in, int sizeBytes) {
            byte[] value = new byte[sizeBytes];
            in.readBytes(value);
            return value;
        }

        @Override
        public byte[] of(byte[] bytes) {
            return bytes;
        }
    };

    /** Returns what fills an object. */
    static <T extends Importable> ValueReader<T> into(T object) {
        return (in, sizeBytes) -> {
            ChunkBuffers.load(object, in, sizeBytes);
            return object;
        };
    }

    @Override
    public WaitingChunks waitingChunks() {
        return new LaneChunks(this, context);
    }

    /** A found value, or the status that says why there is no value. */
    private record Answer<T>(int status, @Nullable T value) {}

    /**
     * Reads a chunk.
     *
     * @param startNanos when the operation began
     * @param failed why a first attempt has failed; null when there was none
     */
    <T> CompletableFuture<T> getOne(long cid, ValueReader<T> reader, long startNanos, @Nullable Throwable failed) {
        return Retry.resume(
                retry,
                () -> "a get of chunk " + Cid.toHex(cid),
                startNanos,
                startNanos + options.deadline().toNanos(),
                directory.newsOf(cid),
                failed,
                timeout -> context.callOwner(
                                cid,
                                Nid.NONE,
                                MessageType.GET,
                                out -> out.writeIntLE(0).writeIntLE(1).writeLongLE(cid),
                                in -> readOne(cid, in, reader),
                                timeout)
                        .thenApply(answer -> valueOf(cid, answer)));
    }

    private <T> Answer<T> readOne(long cid, ByteBuf in, ValueReader<T> reader) {
        int done = in.readIntLE();
        if (done != 1) {
            throw new FrameException("a get of one chunk was answered for " + done);
        }
        int result = in.readIntLE();
        if (result >= 0) {
            return new Answer<>(ChunkStatus.OK, reader.read(in, result));
        }
        if (result == -ChunkStatus.WRONG_OWNER) {
            directory.suspect(cid);
            directory.learnMoved(MovedRanges.read(in));
        }
        return new Answer<>(-result, null);
    }

    private <T> T valueOf(long cid, Answer<T> answer) {
        if (answer.value() != null) {
            return answer.value();
        }
        throw failureOf(cid, answer.status());
    }

    /** Returns the failure of an attempt for a status that is not {@link ChunkStatus#OK}. */
    static RuntimeException failureOf(long cid, int status) {
        return status == ChunkStatus.WRONG_OWNER
                ? new Retry.AgainException("chunk " + Cid.toHex(cid) + " has another owner now")
                : Outcomes.failure(Outcomes.of(status), cid);
    }

    @Override
    public CompletableFuture<List<byte @Nullable []>> getAll(long[] cids) {
        byte[][] values = new byte[cids.length][];
        return get(cids, new ChunkSink() {
                    @Override
                    public void found(int index, ByteBuf in, int sizeBytes) {
                        byte[] value = new byte[sizeBytes];
                        in.readBytes(value);
                        values[index] = value;
                    }

                    @Override
                    public void missing(int index, ChunkOutcome outcome) {
                        values[index] = null;
                    }
                })
                .thenApply(_ -> Arrays.asList(values));
    }

    @Override
    public <T extends Importable> CompletableFuture<List<@Nullable T>> getObjects(long[] cids, IntFunction<T> factory) {
        List<@Nullable T> objects = new ArrayList<>(Collections.nCopies(cids.length, null));
        return get(cids, new ChunkSink() {
                    @Override
                    public void found(int index, ByteBuf in, int sizeBytes) {
                        T object = factory.apply(index);
                        ChunkBuffers.load(object, in, sizeBytes);
                        objects.set(index, object);
                    }

                    @Override
                    public void missing(int index, ChunkOutcome outcome) {
                        objects.set(index, null);
                    }
                })
                .thenApply(_ -> objects);
    }

    private CompletableFuture<Void> get(long[] cids, ChunkSink sink) {
        return new GetBatch(context, cids.clone(), sink, batchDeadline()).run();
    }

    @Override
    public CompletableFuture<Void> put(long cid, byte[] value) {
        return changeOne(cid, ChunkSource.of(List.of(value)));
    }

    @Override
    public CompletableFuture<Void> put(long cid, Exportable object) {
        return changeOne(cid, ChunkSource.ofObjects(List.of(object)));
    }

    @Override
    public CompletableFuture<ChunkOutcome[]> putAll(long[] cids, List<byte[]> values) {
        return change(cids, ChunkSource.of(values), batchDeadline());
    }

    @Override
    public CompletableFuture<ChunkOutcome[]> putObjects(long[] cids, List<? extends Exportable> objects) {
        return change(cids, ChunkSource.ofObjects(objects), batchDeadline());
    }

    @Override
    public CompletableFuture<Void> delete(long cid) {
        return changeOne(cid, null);
    }

    @Override
    public CompletableFuture<ChunkOutcome[]> deleteAll(long[] cids) {
        return change(cids, null, batchDeadline());
    }

    private CompletableFuture<Void> changeOne(long cid, @Nullable ChunkSource source) {
        return OneChange.run(context, cid, source, 0, deadline());
    }

    private CompletableFuture<ChunkOutcome[]> change(long[] cids, @Nullable ChunkSource source, long deadlineNanos) {
        if (source != null && source.count() != cids.length) {
            return CompletableFuture.failedFuture(new InvalidRequestException("a put of " + cids.length + " CIDs with "
                    + source.count() + " contents: give one content for each CID"));
        }
        return new ChangeBatch(context, cids.clone(), source, deadlineNanos).run();
    }

    @Override
    public AsyncNames names() {
        return names;
    }

    @Override
    public <K> AsyncKeys<K> keys(Function<? super K, byte[]> bytesOf) {
        return new ClusterKeys<>(context, bytesOf);
    }

    @Override
    public CompletableFuture<AsyncChunkLock> lock(long cid, Duration lease, Duration wait) {
        if (wait.isNegative()) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    "a lock of chunk " + Cid.toHex(cid) + " with a wait of " + wait + ": it may not be negative"));
        }
        return new LockAttempt(context, cid, this::nextLockId, lease.toNanos(), wait.toNanos()).run();
    }

    /**
     * Returns the id of the next lock request. Multiplies by an odd number, so that the ids of all clients lie far
     * apart.
     */
    private long nextLockId() {
        long lockId = context.clientId() + lockCount.incrementAndGet() * LOCK_ID_STEP;
        return lockId == 0 ? LOCK_ID_STEP : lockId;
    }

    @Override
    public AsyncChunkLock heldLock(long cid, long token) {
        return new HeldLock(context, cid, token, 0, context.retry().clock().nanoTime());
    }

    @Override
    public CompletableFuture<LockView> lockView(long cid) {
        return Retry.run(
                        retry,
                        () -> "a look at the lock of chunk " + Cid.toHex(cid),
                        deadline(),
                        timeout ->
                                directory.askSuperPeer(Cid.nid(cid), MessageType.SHOW_LOCK, new ShowLock(cid), timeout))
                .thenApply(reply ->
                        new LockView(reply.token(), Duration.ofNanos(reply.remainingNanos()), reply.waiting()));
    }

    /** Returns what this client shares with the administration of its cluster. */
    public BatchContext context() {
        return context;
    }

    /** Fetches the ring and the storage peers from the super-peers. */
    public CompletableFuture<ClusterView> view() {
        return Retry.run(retry, () -> "a look at the cluster", deadline(), directory::refresh);
    }

    private long deadline() {
        return retry.deadlineAfter(options.deadline().toNanos());
    }

    private long batchDeadline() {
        return retry.deadlineAfter(options.batchDeadline().toNanos());
    }

    @Override
    public void close() {
        retry.pauses().close();
        rpc.close();
        afterClose.run();
    }
}
