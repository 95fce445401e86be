package dev.granary.testkit;

import dev.granary.env.Environment;
import dev.granary.net.Transport;
import dev.granary.net.access.RequestRoles;
import dev.granary.net.access.Role;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Calls a node for a test, each request as one who may send it: over the connections of a client, a storage peer or a
 * super-peer on one machine. Requests of different roles may overtake each other. Thread-safe.
 */
public final class Callers {

    private final Map<NodeRole, RpcClient> clients = new EnumMap<>(NodeRole.class);

    /** Makes callers on a machine that has started. */
    public Callers(SimulatedNode.World world) {
        this(world.environment(), world.transport());
    }

    /** Makes callers with a transport of their own. */
    public Callers(Environment environment, Transport transport) {
        for (NodeRole role : NodeRole.values()) {
            RpcIdentity identity = new RpcIdentity(role, role == NodeRole.CLIENT ? 0 : 1);
            clients.put(role, new RpcClient(transport, environment.clock(), environment.scheduler(), identity));
        }
    }

    /** Sends a control message; see {@link RpcClient#call(HostAddress, int, MessageType, Message, long)}. */
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            HostAddress to, int expectedNid, MessageType<Q, R> type, Q request, long timeoutNanos) {
        return clientFor(type.code()).call(to, expectedNid, type, request, timeoutNanos);
    }

    /** Sends a request that is written and whose reply is read in place. */
    public <R> CompletableFuture<R> call(
            HostAddress to,
            int expectedNid,
            int type,
            Consumer<ByteBuf> writePayload,
            Function<ByteBuf, R> readReply,
            long timeoutNanos) {
        return clientFor(type).call(to, expectedNid, type, writePayload, readReply, timeoutNanos);
    }

    private RpcClient clientFor(int type) {
        Set<Role> permitted = RequestRoles.of(type);
        NodeRole role = NodeRole.CLIENT;
        if (permitted.contains(Role.CLIENT) || permitted.contains(Role.ADMINISTRATOR)) {
            role = NodeRole.CLIENT;
        } else if (permitted.contains(Role.STORAGE_PEER)) {
            role = NodeRole.STORAGE_PEER;
        } else if (permitted.contains(Role.SUPER_PEER)) {
            role = NodeRole.SUPER_PEER;
        }
        return Objects.requireNonNull(clients.get(role));
    }
}
