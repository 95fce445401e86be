package dev.granary.client.internal;

import dev.granary.client.ChunkOutcome;
import dev.granary.client.ClientOptions;
import dev.granary.client.Durability;
import dev.granary.client.GranaryException;
import dev.granary.client.internal.ClusterDirectory.Owner;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcClient;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What all operations of one client share.
 *
 * @param rpc calls nodes
 * @param directory knows the owners of chunks
 * @param retry clock, scheduler and random source of retries
 * @param options limits
 * @param clientId the number from which the ids of this client's sessions are made
 * @param sessions request counters by storage peer
 */
public record BatchContext(
        RpcClient rpc,
        ClusterDirectory directory,
        Retry.Context retry,
        ClientOptions options,
        long clientId,
        ConcurrentHashMap<Integer, MutationSession> sessions) {

    /** Returns this context with another durability level of changes. Both count their requests together. */
    BatchContext withDurability(Durability durability) {
        return new BatchContext(rpc, directory, retry, options.withDurability(durability), clientId, sessions);
    }

    /** Returns the flags for the durability level of requests that change chunks; 0 when the options name no level. */
    int durabilityFlags() {
        Durability asked = options.durability();
        return asked == null ? 0 : wireForm(asked).flags();
    }

    private static dev.granary.net.message.Durability wireForm(Durability asked) {
        return switch (asked) {
            case ASYNC -> dev.granary.net.message.Durability.ASYNC;
            case REPLICATED -> dev.granary.net.message.Durability.REPLICATED;
            case SYNCED -> dev.granary.net.message.Durability.SYNCED;
        };
    }

    MutationSession session(int nid) {
        return sessions.computeIfAbsent(nid, _ -> new MutationSession(sessionId(nid)));
    }

    /**
     * Returns the id of the session with a storage peer. The ids of all peers differ, and a collision with another
     * client's session is as unlikely as one of client ids.
     */
    private long sessionId(int nid) {
        long mixed = (clientId + nid) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32)) * 0xD6E8FEB86659FD93L;
        mixed ^= mixed >>> 32;
        return mixed == 0 ? clientId : mixed;
    }

    /**
     * Calls the owner of a chunk. When the call fails, the next one looks up the owner again.
     *
     * @param expectedNid the peer that the request is meant for, or {@link Nid#NONE} for any owner: when another one
     *     owns the chunk now, the attempt fails with {@link OwnerChangedException}
     */
    <R extends @Nullable Object> CompletableFuture<R> callOwner(
            long cid,
            int expectedNid,
            int type,
            Consumer<ByteBuf> writer,
            Function<ByteBuf, R> reader,
            long timeoutNanos) {
        Owner cached = directory.cachedOwner(cid);
        return cached != null
                ? call(cached, cid, expectedNid, type, writer, reader, timeoutNanos)
                : directory
                        .owner(cid, timeoutNanos)
                        .thenCompose(owner -> call(owner, cid, expectedNid, type, writer, reader, timeoutNanos));
    }

    /**
     * Calls the owner of a chunk with a request that depends on the owner. When the call fails, the next one looks up
     * the owner again.
     */
    <R extends @Nullable Object> CompletableFuture<R> callOwner(
            long cid, int type, BiConsumer<Owner, ByteBuf> writer, Function<ByteBuf, R> reader, long timeoutNanos) {
        Owner cached = directory.cachedOwner(cid);
        return cached != null
                ? call(cached, cid, type, out -> writer.accept(cached, out), reader, timeoutNanos)
                : directory
                        .owner(cid, timeoutNanos)
                        .thenCompose(owner ->
                                call(owner, cid, type, out -> writer.accept(owner, out), reader, timeoutNanos));
    }

    private <R extends @Nullable Object> CompletableFuture<R> call(
            Owner owner,
            long cid,
            int expectedNid,
            int type,
            Consumer<ByteBuf> writer,
            Function<ByteBuf, R> reader,
            long timeoutNanos) {
        return expectedNid != Nid.NONE && owner.nid() != expectedNid
                ? CompletableFuture.failedFuture(new OwnerChangedException())
                : call(owner, cid, type, writer, reader, timeoutNanos);
    }

    private <R extends @Nullable Object> CompletableFuture<R> call(
            Owner owner, long cid, int type, Consumer<ByteBuf> writer, Function<ByteBuf, R> reader, long timeoutNanos) {
        return rpc.callUnlessRefused(owner.address(), owner.nid(), type, writer, reader, timeoutNanos)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        directory.suspect(cid);
                    }
                });
    }

    /**
     * Shows the token of a lock to the owner of its chunk.
     *
     * @param token 0 to ask only whether the chunk exists
     */
    CompletableFuture<ChunkOutcome> fence(long cid, long token, long deadlineNanos) {
        return Retry.run(
                retry,
                () -> "a look for chunk " + Cid.toHex(cid),
                deadlineNanos,
                directory.newsOf(cid),
                timeout -> callOwner(
                                cid,
                                Nid.NONE,
                                MessageType.FENCE,
                                out -> out.writeIntLE(0)
                                        .writeIntLE(1)
                                        .writeLongLE(cid)
                                        .writeLongLE(token),
                                BatchContext::readOneStatus,
                                timeout)
                        .thenApply(status -> {
                            if (status == ChunkStatus.WRONG_OWNER) {
                                directory.suspect(cid);
                                throw new Retry.AgainException("chunk " + Cid.toHex(cid) + " has another owner now");
                            }
                            return Outcomes.of(status);
                        }));
    }

    private static int readOneStatus(ByteBuf in) {
        int count = in.readIntLE();
        if (count != 1) {
            throw new FrameException("a request for one chunk was answered for " + count);
        }
        return in.readUnsignedByte();
    }

    /** Calls a storage peer. When the call fails, the next one fetches the peer's address again. */
    <R extends @Nullable Object> CompletableFuture<R> callPeer(
            int nid, int type, Consumer<ByteBuf> writer, Function<ByteBuf, R> reader, long timeoutNanos) {
        return directory.addressOf(nid, timeoutNanos).thenCompose(address -> rpc.call(
                        address, nid, type, writer, reader, timeoutNanos)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        directory.suspectAddress(nid);
                    }
                }));
    }

    /** The chunk has another owner than the request was made for. The batch groups its chunks again. */
    static final class OwnerChangedException extends GranaryException {
        private static final long serialVersionUID = 1L;

        OwnerChangedException() {
            super("the chunk has another owner than the request was made for");
        }
    }
}
