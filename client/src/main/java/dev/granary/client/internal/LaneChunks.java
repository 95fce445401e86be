package dev.granary.client.internal;

import dev.granary.client.GranaryClient;
import dev.granary.client.WaitingChunks;
import dev.granary.client.internal.ClusterDirectory.Owner;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.rpc.Lane;
import dev.granary.net.rpc.RpcClient;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Operations of threads that wait, over lanes: the calling thread writes the request and reads the reply. Only the
 * straight case is here. Without a cached owner, without a free lane, and after each answer but a good one, the
 * operation goes on as one with a future, whose first attempt was this one. A change keeps its request id. Thread-safe.
 */
final class LaneChunks implements WaitingChunks {

    private final ConnectedClient client;
    private final BatchContext context;

    LaneChunks(ConnectedClient client, BatchContext context) {
        this.client = client;
        this.context = context;
    }

    /**
     * Takes a lane for the first attempt of an operation; null when there is none, and for a thread that is
     * interrupted, which would close it.
     */
    static @Nullable Lane take(BatchContext context, Owner owner, long startNanos) {
        long limitNanos =
                Math.min(context.options().deadline().toNanos(), context.retry().attemptTimeoutNanos());
        return Thread.currentThread().isInterrupted()
                ? null
                : context.rpc().lane(owner.address(), owner.nid(), startNanos + limitNanos);
    }

    /** Waits for an operation whose first attempt had no lane to its owner. */
    static <T extends @Nullable Object> T await(
            BatchContext context, @Nullable Owner owner, CompletableFuture<T> future) {
        if (owner == null) {
            return GranaryClient.await(future);
        }
        context.rpc().waitWithoutLane(owner.nid(), 1);
        try {
            return GranaryClient.await(future);
        } finally {
            context.rpc().waitWithoutLane(owner.nid(), -1);
        }
    }

    @Override
    public byte[] get(long cid) {
        return get(cid, ConnectedClient.BYTES);
    }

    @Override
    public <T extends Importable> T get(long cid, T object) {
        return get(cid, ConnectedClient.into(object));
    }

    private <T> T get(long cid, ConnectedClient.ValueReader<T> reader) {
        long startNanos = context.retry().clock().nanoTime();
        Owner owner = context.directory().cachedOwner(cid);
        Lane lane = owner == null ? null : take(context, owner, startNanos);
        if (lane == null) {
            byte[] value = owner == null ? null : getJointly(cid, owner);
            return value != null
                    ? reader.of(value)
                    : await(context, owner, client.getOne(cid, reader, startNanos, null));
        }
        Throwable failure;
        try {
            ByteBuf in = ask(lane, cid);
            int result = readResult(lane, in);
            if (result >= 0) {
                return read(lane, in, result, reader);
            }
            failure = failureOf(cid, result, in);
        } catch (RuntimeException e) {
            context.directory().suspect(cid);
            failure = e;
        } finally {
            lane.release();
        }
        return GranaryClient.await(client.getOne(cid, reader, startNanos, failure));
    }

    /** Gets a chunk together with other threads; null when that does not give it. */
    private byte @Nullable [] getJointly(long cid, Owner owner) {
        long limitNanos =
                Math.min(context.options().deadline().toNanos(), context.retry().attemptTimeoutNanos());
        if (limitNanos < RpcClient.JOINT_LIMIT_NANOS || Thread.currentThread().isInterrupted()) {
            return null;
        }
        context.rpc().waitWithoutLane(owner.nid(), 1);
        try {
            return context.rpc().getJointly(owner.nid(), cid);
        } finally {
            context.rpc().waitWithoutLane(owner.nid(), -1);
        }
    }

    private static ByteBuf ask(Lane lane, long cid) {
        lane.request(MessageType.GET).writeIntLE(0).writeIntLE(1).writeLongLE(cid);
        return lane.exchange();
    }

    private static int readResult(Lane lane, ByteBuf in) {
        try {
            int done = in.readIntLE();
            if (done != 1) {
                throw new FrameException("a get of one chunk was answered for " + done);
            }
            return in.readIntLE();
        } catch (FrameException | IndexOutOfBoundsException e) {
            throw lane.malformed(e);
        }
    }

    private static <T> T read(Lane lane, ByteBuf in, int sizeBytes, ConnectedClient.ValueReader<T> reader) {
        try {
            return reader.read(in, sizeBytes);
        } catch (FrameException | IndexOutOfBoundsException | IllegalArgumentException e) {
            throw lane.malformed(e);
        }
    }

    /** Returns why there is no value, as the failure of an attempt. */
    private Throwable failureOf(long cid, int result, ByteBuf in) {
        if (result == -ChunkStatus.WRONG_OWNER) {
            context.directory().suspect(cid);
            context.directory().learnMoved(MovedRanges.read(in));
        }
        return ConnectedClient.failureOf(cid, -result);
    }

    @Override
    public void put(long cid, byte[] value) {
        OneChange.runHere(context, cid, new ChunkSource.One(value));
    }

    @Override
    public void put(long cid, Exportable object) {
        OneChange.runHere(context, cid, ChunkSource.ofObjects(List.of(object)));
    }

    @Override
    public void delete(long cid) {
        OneChange.runHere(context, cid, null);
    }
}
