package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.env.Futures;
import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.NodePorts;
import dev.granary.net.cluster.Refusals;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RingMessages.RebuildProgress;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsException;
import dev.granary.net.tls.TlsSettings;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes super-peers rebuild ring and arcs. It asks the first super-peer, and those that its answer names, repeatedly
 * until nothing is left to do. While there is no ring it asks only the first one, so that no two begin a ring.
 */
final class RingRebuild {

    private static final Logger LOG = LoggerFactory.getLogger(RingRebuild.class);

    private static final long PAUSE_MILLIS = 300;
    private static final long CALL_TIMEOUT_NANOS = Duration.ofSeconds(5).toNanos();
    private static final int MAX_HOPS = 4;

    /** What no later attempt would change. */
    private static final Set<ErrorCode> HOPELESS =
            Set.of(ErrorCode.BAD_REQUEST, ErrorCode.NOT_PERMITTED, ErrorCode.NOT_AUTHENTICATED);

    private final List<HostAddress> superPeers;
    private final @Nullable TlsSettings tls;
    private final RebuildRing request;
    private final Credentials credentials;
    private final Supplier<@Nullable Login> login;
    private final NodePorts ports;
    private final Consumer<String> progress;
    private String told = "";

    /**
     * @param tls the files of TLS, null for a cluster without it
     * @param secretFile the file with the cluster's secret; null when there is none
     * @param login as which user
     * @param adminPort the port of all nodes for administration; 0 when there is none of its own
     */
    RingRebuild(
            List<HostAddress> superPeers,
            @Nullable TlsSettings tls,
            RebuildRing request,
            @Nullable Path secretFile,
            Supplier<@Nullable Login> login,
            int adminPort,
            Consumer<String> progress) {
        this.superPeers = superPeers;
        this.tls = tls;
        this.request = request;
        this.credentials = credentials(secretFile);
        this.login = login;
        this.ports = NodePorts.ofClient(adminPort);
        this.progress = progress;
    }

    /**
     * Asks until the rebuild is done.
     *
     * @throws UserException when it is not done within the time, or can never be done
     */
    void run(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try (ThreadScheduler scheduler = new ThreadScheduler(
                        "rebuild", failure -> LOG.error("A task of the rebuilding failed", failure));
                TlsContexts contexts = openTls();
                NettyTransport transport =
                        new NettyTransport(NettyOptions.defaults().withTls(contexts))) {
            RpcIdentity identity = new RpcIdentity(NodeRole.CLIENT, 0, credentials, login);
            RpcClient rpc = new RpcClient(transport, new SystemClock(), scheduler, identity, ports);
            try {
                while (!step(rpc)) {
                    if (System.nanoTime() - deadline > 0) {
                        throw new UserException("not done after " + timeout.toSeconds() + " s: " + told);
                    }
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UserException("interrupted", e);
            } finally {
                rpc.close();
            }
        }
    }

    private static Credentials credentials(@Nullable Path file) {
        try {
            return file == null ? Credentials.none() : Credentials.of(ClusterSecret.read(file), new SecureRandom());
        } catch (IOException e) {
            throw new UserException(String.valueOf(e.getMessage()), e);
        }
    }

    private @Nullable TlsContexts openTls() {
        try {
            return tls == null ? null : TlsContexts.open(tls, new SystemClock());
        } catch (TlsException e) {
            throw new UserException("TLS: " + e.getMessage(), e);
        }
    }

    /** Asks once. Returns true when nothing is left to do. */
    private boolean step(RpcClient rpc) {
        HostAddress target = superPeers.getFirst();
        for (int hop = 0; hop < MAX_HOPS; hop++) {
            try {
                RebuildProgress answer = rpc.call(
                                target, Nid.NONE, MessageType.REBUILD_RING, request, CALL_TIMEOUT_NANOS)
                        .join();
                tell(answer.text());
                return answer.done();
            } catch (CompletionException e) {
                Throwable cause = Futures.causeOf(e);
                HostAddress named = named(cause);
                if (named == null) {
                    tell("super-peer at " + target + ": " + cause.getMessage());
                    return false;
                }
                target = named;
            }
        }
        return false;
    }

    private static @Nullable HostAddress named(Throwable failure) {
        if (failure instanceof RemoteErrorException refused) {
            if (HOPELESS.contains(refused.code())) {
                throw new UserException(String.valueOf(refused.getMessage()), refused);
            }
        }
        return Refusals.namedBy(failure);
    }

    private void tell(String text) {
        if (!text.equals(told)) {
            told = text;
            progress.accept(text);
        }
    }
}
