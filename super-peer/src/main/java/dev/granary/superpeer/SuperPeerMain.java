package dev.granary.superpeer;

import dev.granary.access.Access;
import dev.granary.access.NodeUsers;
import dev.granary.access.PageUsers;
import dev.granary.env.Clock;
import dev.granary.env.Environment;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.tls.TlsContexts;
import dev.granary.overlay.HostAddress;
import dev.granary.process.ConnectionMetrics;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpGate;
import dev.granary.process.HttpPages;
import dev.granary.process.HttpPort;
import dev.granary.process.LoopMetrics;
import dev.granary.process.Metrics;
import dev.granary.process.NodeConfig;
import dev.granary.process.NodeRuntime;
import dev.granary.process.PortsFile;
import dev.granary.process.ProcessControl;
import dev.granary.process.ProcessMain;
import dev.granary.process.Program;
import dev.granary.process.TlsMetrics;
import dev.granary.process.TlsPage;
import dev.granary.process.TransportKind;
import dev.granary.process.config.Config;
import dev.granary.process.config.ConfigSchema;
import dev.granary.superpeer.console.Console;
import dev.granary.superpeer.node.SuperPeerConfig;
import dev.granary.superpeer.node.SuperPeerKeys;
import dev.granary.superpeer.node.SuperPeerMetrics;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The {@code super-peer} process. */
public final class SuperPeerMain implements Program {

    private static final int START_LIMIT_SECONDS = 30;
    private static final int STOP_LIMIT_SECONDS = 5;
    private static final int STATUS_LIMIT_SECONDS = 5;

    private final SuperPeerKeys keys = new SuperPeerKeys();

    private SuperPeerMain() {}

    /** Runs until SIGTERM or a failure. */
    public static void main(String[] args) {
        ProcessMain.run(new SuperPeerMain(), args);
    }

    @Override
    public String name() {
        return "super-peer";
    }

    @Override
    public String description() {
        return "Runs a super-peer of a Granary cluster: it knows who owns what and watches the storage peers.";
    }

    @Override
    public ConfigSchema schema() {
        return keys.schema();
    }

    @Override
    public LogSettings logging(Config config) {
        NodeConfig common = keys.nodeConfig(config);
        return new LogSettings(common.logFormat(), common.logLevel());
    }

    @Override
    public Running start(Config config, ProcessControl control) throws Exception {
        Resources resources = new Resources();
        try {
            begin(config, control, resources);
        } catch (Exception e) {
            resources.close();
            throw e;
        }
        return resources::close;
    }

    private void begin(Config config, ProcessControl control, Resources resources) throws Exception {
        NodeConfig common = keys.nodeConfig(config);
        common.tellOfSecret();
        NodeRuntime runtime = NodeRuntime.open(common.dataDir(), "control", control);
        resources.add(runtime);
        SuperPeerConfig own = keys.superPeerConfig(config);
        TlsContexts tls = SuperPeerTls.open(common.tls(), runtime.environment().clock());
        if (tls != null) {
            resources.add(tls);
        }
        NettyTransport transport = new NettyTransport(NettyOptions.defaults()
                .withPolling(pollingOf(common.transport()))
                .withInboundBytes(own.memory().inboundBytes())
                .withAccepting(NettyOptions.Accepting.defaults()
                        .withConnections(common.connections(), common.connectionsPerAddress()))
                .withTls(tls));
        resources.add(transport);
        CollectorRegistry registry = Metrics.newRegistryWithJvm();
        ConnectionMetrics.register(
                registry,
                transport::acceptedConnections,
                transport::refusedConnections,
                new ConnectionMetrics.Traffic(
                        transport::receivedFrames,
                        transport::receivedBytes,
                        transport::sentFrames,
                        transport::sentBytes));
        if (tls != null) {
            TlsMetrics.register(
                    registry,
                    tls::secondsToExpiry,
                    tls::lifetimeSeconds,
                    new TlsMetrics.Revoked(tls::revokedCertificates, tls::secondsToNextLists),
                    tls::filesTaken,
                    tls::filesRefused);
        }
        LoopMetrics.register(registry, runtime.environment().scheduler().loops());
        SuperPeer superPeer =
                SuperPeer.open(own, runtime.environment(), transport, control, new SuperPeerMetrics(registry));
        resources.add(() -> superPeer.stop().get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS));
        Path usersFile = common.usersFile();
        Access access = usersFile == null ? null : openUsers(superPeer, usersFile, runtime.environment(), resources);
        HttpPages console = keys.showsConsole(config)
                ? Console.on(superPeer::overview, runtime.environment().clock())
                : Console.off();
        HttpPages certificates = tls == null ? TlsPage.none() : TlsPage.of(tls::certificate, tls::authorities);
        HttpPort http = HttpPort.open(
                common.http(),
                new Content(superPeer, registry, console),
                Map.of(TlsPage.PATH, certificates),
                gate(common, tls, access, runtime.environment().clock()));
        http.refusals().register(registry);
        resources.add(http);
        HostAddress bound = superPeer
                .start(new HostAddress(common.advertiseHost(), http.port()))
                .get(START_LIMIT_SECONDS, TimeUnit.SECONDS);
        PortsFile.write(runtime.environment().disk(), bound.port(), http.port());
    }

    private static HttpGate gate(NodeConfig common, @Nullable TlsContexts tls, @Nullable Access access, Clock clock) {
        return tls == null || !common.httpTls()
                ? HttpGate.OPEN
                : HttpGate.of(tls, access == null ? null : new PageUsers(access, clock), clock);
    }

    private static Access openUsers(SuperPeer superPeer, Path file, Environment environment, Resources resources)
            throws IOException {
        Access access = new Access(file, environment.random());
        resources.add(access);
        access.begin(environment.scheduler());
        NodeUsers users = new NodeUsers(access, environment.clock(), environment.scheduler(), superPeer::nid);
        resources.add(users);
        users.begin();
        superPeer.use(users);
        return access;
    }

    private static Polling pollingOf(TransportKind kind) {
        return switch (kind) {
            case AUTO -> Polling.AUTO;
            case EPOLL -> Polling.EPOLL;
            case NIO -> Polling.NIO;
        };
    }

    /** Closes in the reverse order of opening, all even when one fails. */
    private static final class Resources {
        private final Deque<AutoCloseable> open = new ArrayDeque<>();

        private void add(AutoCloseable resource) {
            open.push(resource);
        }

        private void close() throws Exception {
            Exception first = null;
            while (!open.isEmpty()) {
                try {
                    open.pop().close();
                } catch (Exception e) {
                    if (first == null) {
                        first = e;
                    } else {
                        first.addSuppressed(e);
                    }
                }
            }
            if (first != null) {
                throw first;
            }
        }
    }

    /** What the HTTP port shows. */
    private record Content(SuperPeer superPeer, CollectorRegistry metrics, HttpPages console) implements HttpContent {

        @Override
        public Map<String, HttpPages> pages() {
            return Map.of(Console.PATH, console);
        }

        @Override
        public Optional<String> notAliveReason() {
            return superPeer.notAliveReason();
        }

        @Override
        public Optional<String> notReadyReason() {
            return superPeer.notReadyReason();
        }

        @Override
        public String statusJson() {
            try {
                return superPeer.status().get(STATUS_LIMIT_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while the status was gathered", e);
            } catch (ExecutionException | TimeoutException e) {
                throw new IllegalStateException("the status could not be gathered", e);
            }
        }
    }
}
