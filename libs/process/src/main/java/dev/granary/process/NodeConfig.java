package dev.granary.process;

import dev.granary.overlay.HostAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration that both kinds of nodes have.
 *
 * @param name for people
 * @param dataDir directory of durable files
 * @param listen where the binary protocol listens; port 0 takes any free port
 * @param connections that are accepted at once
 * @param connectionsPerAddress that are accepted at once of one IP address
 * @param advertiseHost host under which others reach this node
 * @param advertisePort port under which others reach this node; 0 means the one on which it listens
 * @param http where HTTP listens; port 0 takes any free port
 * @param seeds super-peers to ask first
 * @param logFormat how log lines are written
 * @param logLevel the lowest level that it logs
 * @param transport how to talk to the network
 * @param tls the files of TLS; null for none
 */
public record NodeConfig(
        String name,
        Path dataDir,
        HostAddress listen,
        int connections,
        int connectionsPerAddress,
        String advertiseHost,
        int advertisePort,
        HostAddress http,
        List<HostAddress> seeds,
        LogFormat logFormat,
        LogLevel logLevel,
        TransportKind transport,
        @Nullable NodeTls tls) {

    public NodeConfig {
        seeds = List.copyOf(seeds);
    }

    /** The address to give to others, once it is known on which port this node listens. */
    public HostAddress advertised(int boundPort) {
        return new HostAddress(advertiseHost, advertisePort == 0 ? boundPort : advertisePort);
    }

    /** Returns this configuration with the ports on which the node listens, so that a later start takes them. */
    public NodeConfig withPorts(int listenPort, int httpPort) {
        return new NodeConfig(
                name,
                dataDir,
                new HostAddress(listen.host(), listenPort),
                connections,
                connectionsPerAddress,
                advertiseHost,
                advertisePort,
                new HostAddress(http.host(), httpPort),
                seeds,
                logFormat,
                logLevel,
                transport,
                tls);
    }
}
