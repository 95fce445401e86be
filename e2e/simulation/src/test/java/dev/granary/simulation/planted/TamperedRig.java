package dev.granary.simulation.planted;

import dev.granary.env.Environment;
import dev.granary.log.batch.Batch;
import dev.granary.log.batch.BatchWriter;
import dev.granary.net.Transport;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.testkit.Callers;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A process that answers, and one that asks it, over the real protocol. One of them has a network with a bug in it. */
final class TamperedRig {

    static final UUID CLUSTER = new UUID(7, 7);
    static final int ZONE = 0x8000 << 15 | 1;

    private static final int NID = 0x8000;
    private static final long TIMEOUT_NANOS = 20_000_000_000L;

    final Simulation world = new Simulation(5);

    /** What the process that answers has heard. */
    final List<Object> heard = new ArrayList<>();

    private final Map<Integer, RequestHandler> handlers = new HashMap<>();
    private final HostAddress address;
    private @Nullable Callers caller;

    private TamperedRig(
            String host,
            BiFunction<Environment, Transport, Transport> ofServer,
            BiFunction<Environment, Transport, Transport> ofCaller) {
        address = new HostAddress(host, 7500);
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
        identity.joinCluster(CLUSTER);
        identity.takeNid(NID);
        world.node(host).start(started -> {
            var _ = ofServer.apply(started.environment(), started.transport())
                    .listen(address, new RpcServer(identity, this::answer));
        });
        world.node("caller")
                .start(started -> caller =
                        new Callers(started.environment(), ofCaller.apply(started.environment(), started.transport())));
        handlers.put(MessageType.REPLICATE, this::replicate);
        world.runFor(1_000_000);
    }

    /** The process that answers has this network. */
    static TamperedRig server(BiFunction<Environment, Transport, Transport> network) {
        return new TamperedRig("storage-0", network, (environment, transport) -> transport);
    }

    /** The process that asks has this network. */
    static TamperedRig caller(String host, BiFunction<Environment, Transport, Transport> network) {
        return new TamperedRig(host, (environment, transport) -> transport, network);
    }

    /** Says how a type of messages is answered. */
    <Q extends Message, R extends Message> TamperedRig on(MessageType<Q, R> type, Function<Q, R> answer) {
        handlers.put(type.code(), request -> {
            Q message = request.read(type);
            heard.add(message);
            request.reply(answer.apply(message));
        });
        return this;
    }

    TamperedRig on(int type, RequestHandler handler) {
        handlers.put(type, handler);
        return this;
    }

    private void answer(RpcRequest request) {
        RequestHandler handler = handlers.get(request.type());
        if (handler == null) {
            throw new AssertionError("not expected: " + MessageType.nameOf(request.type()));
        }
        handler.handle(request);
    }

    private void replicate(RpcRequest request) {
        ByteBuf in = request.payload();
        Replicate header = Replicate.read(in);
        List<ReplicatedPart> parts = ReplicatedPart.readAll(header, in);
        heard.addAll(parts);
        ByteBuf out = request.startReply(2);
        out.writeShortLE(0);
        request.reply(out);
    }

    <Q extends Message, R extends Message> CompletableFuture<R> callLater(MessageType<Q, R> type, Q message) {
        return rpc().call(address, NID, type, message, TIMEOUT_NANOS);
    }

    <Q extends Message, R extends Message> R call(MessageType<Q, R> type, Q message) {
        return await(callLater(type, message));
    }

    <R> CompletableFuture<R> send(int type, Consumer<ByteBuf> write, Function<ByteBuf, R> read) {
        return rpc().call(address, NID, type, write, read, TIMEOUT_NANOS);
    }

    /** Sends a batch of the zone, and returns the states that are answered. */
    CompletableFuture<List<CopyState>> replicate(
            int ownerNid, long epoch, long sequence, Consumer<BatchWriter> entries) {
        BatchWriter writer = new BatchWriter();
        writer.start(ZONE, epoch, sequence);
        entries.accept(writer);
        ByteBuffer finished = writer.finish();
        byte[] batch = new byte[finished.remaining()];
        finished.get(batch);
        return send(
                MessageType.REPLICATE,
                out -> {
                    new Replicate(CLUSTER, ownerNid, 0, 1).writeTo(out);
                    out.writeIntLE(ZONE).writeLongLE(epoch).writeLongLE(0).writeIntLE(batch.length);
                    out.writeBytes(batch);
                },
                in -> {
                    List<CopyState> states = new ArrayList<>();
                    int count = in.readUnsignedShortLE();
                    for (int i = 0; i < count; i++) {
                        states.add(CopyState.read(in));
                    }
                    return states;
                });
    }

    /** The batches that were heard. */
    List<Batch> batches() {
        return heard.stream()
                .filter(ReplicatedPart.class::isInstance)
                .map(ReplicatedPart.class::cast)
                .flatMap(part -> part.batches().stream())
                .toList();
    }

    <T> T await(CompletableFuture<T> future) {
        if (!world.runUntil(future::isDone, TIMEOUT_NANOS)) {
            throw new AssertionError("no answer: " + world.lastEvents());
        }
        return future.join();
    }

    private Callers rpc() {
        Callers present = caller;
        if (present == null) {
            throw new AssertionError("too early");
        }
        return present;
    }
}
