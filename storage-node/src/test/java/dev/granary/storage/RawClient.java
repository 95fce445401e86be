package dev.granary.storage;

import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.testkit.Callers;
import dev.granary.testkit.SimulatedNode;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/** Sends single requests for chunks and waits for their answers on virtual time. */
public final class RawClient {

    private static final long TIMEOUT_NANOS = 5_000_000_000L;

    private final NodeFixture peer;
    private final Callers rpc;
    private final HostAddress target;
    long clientId = 0x1234;
    long sequence;

    /** The flags of changes, such as their durability level. */
    int flags;

    private final SimulatedNode machine;

    RawClient(NodeFixture peer, String host, HostAddress target) {
        this.peer = peer;
        this.target = target;
        this.machine = peer.world.node(host);
        List<Callers> made = new ArrayList<>();
        machine.restart(started -> made.add(new Callers(started)));
        peer.advanceUntil(() -> !made.isEmpty());
        this.rpc = made.getFirst();
    }

    /** Returns the node on which it runs. */
    SimulatedNode machine() {
        return machine;
    }

    long[] create(byte[]... payloads) {
        return await(createLater(++sequence, sequence - 1, payloads));
    }

    CompletableFuture<long[]> createLater(long withSequence, long acked, byte[]... payloads) {
        return send(
                MessageType.CREATE,
                out -> {
                    new MutationHeader(clientId, withSequence, acked, flags, payloads.length).writeTo(out);
                    for (byte[] payload : payloads) {
                        out.writeIntLE(payload.length);
                    }
                    for (byte[] payload : payloads) {
                        out.writeBytes(payload);
                    }
                },
                RawClient::readCids);
    }

    /** Creates one chunk, if the storage peer has this epoch. */
    CompletableFuture<long[]> createForEpoch(long withSequence, long epoch, byte[] payload) {
        return send(
                MessageType.CREATE,
                out -> {
                    new MutationHeader(clientId, withSequence, 0, ChunkLayouts.FLAG_EPOCH, 1).writeTo(out);
                    out.writeLongLE(epoch).writeIntLE(payload.length).writeBytes(payload);
                },
                RawClient::readCids);
    }

    long[] createZeroed(int... sizes) {
        return await(createZeroedLater(++sequence, sizes));
    }

    CompletableFuture<long[]> createZeroedLater(long withSequence, int... sizes) {
        return send(
                MessageType.CREATE,
                out -> {
                    new MutationHeader(clientId, withSequence, withSequence - 1, 1, sizes.length).writeTo(out);
                    for (int size : sizes) {
                        out.writeIntLE(size);
                    }
                },
                RawClient::readCids);
    }

    private static long[] readCids(ByteBuf in) {
        long[] cids = new long[in.readIntLE()];
        for (int i = 0; i < cids.length; i++) {
            cids[i] = in.readLongLE();
        }
        return cids;
    }

    /** The answer for one chunk of a get: a payload, or a negated status and an empty payload. */
    static final class Got {

        private final int result;
        private final byte[] payload;

        Got(int result, byte[] payload) {
            this.result = result;
            this.payload = payload;
        }

        int result() {
            return result;
        }

        byte[] payload() {
            return payload;
        }
    }

    List<Got> get(long... cids) {
        return await(getLater(cids));
    }

    CompletableFuture<List<Got>> getLater(long... cids) {
        return send(
                MessageType.GET,
                out -> {
                    out.writeIntLE(0).writeIntLE(cids.length);
                    for (long cid : cids) {
                        out.writeLongLE(cid);
                    }
                },
                in -> {
                    int[] results = new int[in.readIntLE()];
                    for (int i = 0; i < results.length; i++) {
                        results[i] = in.readIntLE();
                    }
                    List<Got> all = new ArrayList<>();
                    for (int result : results) {
                        byte[] payload = new byte[Math.max(0, result)];
                        in.readBytes(payload);
                        all.add(new Got(result, payload));
                    }
                    // The new owners of moved chunks are behind the payloads.
                    boolean moved = all.stream().anyMatch(got -> got.result() == -ChunkStatus.WRONG_OWNER);
                    if (in.isReadable() && !moved) {
                        throw new AssertionError(in.readableBytes() + " bytes too many");
                    }
                    return all;
                });
    }

    int[] put(long[] cids, byte[]... payloads) {
        return await(putLater(++sequence, cids, payloads));
    }

    CompletableFuture<int[]> putLater(long withSequence, long[] cids, byte[]... payloads) {
        return send(
                MessageType.PUT,
                out -> {
                    new MutationHeader(clientId, withSequence, 0, flags, cids.length).writeTo(out);
                    for (long cid : cids) {
                        out.writeLongLE(cid);
                    }
                    for (byte[] payload : payloads) {
                        out.writeIntLE(payload.length);
                    }
                    for (byte[] payload : payloads) {
                        out.writeBytes(payload);
                    }
                },
                RawClient::readStatuses);
    }

    /** Puts and deletes with lock tokens, and fences. */
    int[] putWithToken(long cid, long token, byte[] payload) {
        long now = ++sequence;
        return await(send(
                MessageType.PUT,
                out -> {
                    new MutationHeader(clientId, now, now - 1, 2, 1).writeTo(out);
                    out.writeLongLE(cid).writeIntLE(payload.length).writeLongLE(token);
                    out.writeBytes(payload);
                },
                RawClient::readStatuses));
    }

    int[] deleteWithToken(long cid, long token) {
        long now = ++sequence;
        return await(send(
                MessageType.DELETE,
                out -> {
                    new MutationHeader(clientId, now, now - 1, 2, 1).writeTo(out);
                    out.writeLongLE(cid).writeLongLE(token);
                },
                RawClient::readStatuses));
    }

    int[] fence(long token, long... cids) {
        return await(send(
                MessageType.FENCE,
                out -> {
                    out.writeIntLE(0).writeIntLE(cids.length);
                    for (long cid : cids) {
                        out.writeLongLE(cid);
                    }
                    for (int i = 0; i < cids.length; i++) {
                        out.writeLongLE(token);
                    }
                },
                RawClient::readStatuses));
    }

    int[] delete(long... cids) {
        return await(deleteLater(++sequence, cids));
    }

    CompletableFuture<int[]> deleteLater(long withSequence, long... cids) {
        return send(
                MessageType.DELETE,
                out -> {
                    new MutationHeader(clientId, withSequence, 0, flags, cids.length).writeTo(out);
                    for (long cid : cids) {
                        out.writeLongLE(cid);
                    }
                },
                RawClient::readStatuses);
    }

    private static int[] readStatuses(ByteBuf in) {
        int[] statuses = new int[in.readIntLE()];
        for (int i = 0; i < statuses.length; i++) {
            statuses[i] = in.readByte();
        }
        return statuses;
    }

    /** Sends a control message. */
    public <Q extends Message, R extends Message> CompletableFuture<R> call(MessageType<Q, R> type, Q message) {
        return rpc.call(target, 0, type, message, TIMEOUT_NANOS);
    }

    public <R> CompletableFuture<R> send(int type, Consumer<ByteBuf> write, Function<ByteBuf, R> read) {
        return rpc.call(target, 0, type, write, read, TIMEOUT_NANOS);
    }

    public <R> R await(CompletableFuture<R> answer) {
        peer.advanceUntil(answer::isDone);
        return answer.join();
    }

    /** Returns the error with which a request is answered. */
    ErrorCode errorOf(CompletableFuture<?> answer) {
        return replyOf(answer).code();
    }

    /** Returns the refusal of a request. */
    ErrorReply replyOf(CompletableFuture<?> answer) {
        peer.advanceUntil(answer::isDone);
        try {
            throw new AssertionError("answered with " + answer.join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof RemoteErrorException refused) {
                return refused.reply();
            }
            throw e;
        }
    }
}
