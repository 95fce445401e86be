package dev.granary.superpeer.node;

import dev.granary.env.Environment;
import dev.granary.net.cluster.NodeCalls;
import dev.granary.net.cluster.Target;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.HostAddress;
import dev.granary.process.NodeIdentity;
import dev.granary.process.ProcessControl;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one super-peer share.
 *
 * @param config the configuration
 * @param environment clock, scheduler, chance and disk; all parts run as tasks of this scheduler
 * @param identity the disk and the incarnation
 * @param rpcIdentity what this node says about itself on its connections
 * @param rpc the connections to other nodes
 * @param calls calls on them, whose answers are tasks of the scheduler
 * @param control ends the process when it cannot go on
 * @param metrics the metrics of this super-peer
 * @param memory how much the parts take of the memory plan
 */
public record Node(
        SuperPeerConfig config,
        Environment environment,
        NodeIdentity identity,
        RpcIdentity rpcIdentity,
        RpcClient rpc,
        NodeCalls calls,
        ProcessControl control,
        SuperPeerMetrics metrics,
        MemoryUse memory) {

    /** Makes a node whose parts have taken no memory yet. */
    public Node(
            SuperPeerConfig config,
            Environment environment,
            NodeIdentity identity,
            RpcIdentity rpcIdentity,
            RpcClient rpc,
            ProcessControl control,
            SuperPeerMetrics metrics) {
        this(
                config,
                environment,
                identity,
                rpcIdentity,
                rpc,
                NodeCalls.asTasks(rpc, environment.scheduler()),
                control,
                metrics,
                MemoryUse.of(config.memory()));
    }

    public long nanoTime() {
        return environment.clock().nanoTime();
    }

    /** Calls another super-peer and goes on as a task of the scheduler, with the reply or the failure. */
    public <Q extends Message, R extends Message> void ask(
            HostAddress to,
            int expectedNid,
            MessageType<Q, R> type,
            Q request,
            long timeoutNanos,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        calls.ask(new Target(to, expectedNid), type, request, timeoutNanos, then);
    }
}
