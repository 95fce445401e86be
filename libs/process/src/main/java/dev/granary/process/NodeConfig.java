package dev.granary.process;

import dev.granary.net.access.NodePorts;
import dev.granary.overlay.HostAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration that both kinds of nodes have.
 *
 * @param name for people
 * @param dataDir directory of durable files
 * @param listen where the binary protocol listens; port 0 takes any free port
 * @param ports the other ports of the binary protocol
 * @param connections that are accepted at once, on all ports of the binary protocol together
 * @param connectionsPerAddress that are accepted at once of one IP address
 * @param advertiseHost host under which others reach this node
 * @param advertisePort port under which others reach this node; 0 means the one on which it listens
 * @param http where HTTP listens; port 0 takes any free port
 * @param httpTls whether HTTP has TLS
 * @param seeds super-peers to ask first
 * @param logFormat how log lines are written
 * @param logLevel the lowest level that it logs
 * @param transport how to talk to the network
 * @param secretFile the file with the cluster's secret; null when there is none
 * @param tls the files of TLS; null for none
 * @param usersFile the file of users; null when there are none
 */
public record NodeConfig(
        String name,
        Path dataDir,
        HostAddress listen,
        NodePorts ports,
        int connections,
        int connectionsPerAddress,
        String advertiseHost,
        int advertisePort,
        HostAddress http,
        boolean httpTls,
        List<HostAddress> seeds,
        LogFormat logFormat,
        LogLevel logLevel,
        TransportKind transport,
        @Nullable Path secretFile,
        @Nullable NodeTls tls,
        @Nullable Path usersFile) {

    private static final Logger LOG = LoggerFactory.getLogger(NodeConfig.class);

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
                ports,
                connections,
                connectionsPerAddress,
                advertiseHost,
                advertisePort,
                new HostAddress(http.host(), httpPort),
                httpTls,
                seeds,
                logFormat,
                logLevel,
                transport,
                secretFile,
                tls,
                usersFile);
    }

    /** Returns whether nodes have to prove that they are nodes, so that no client can say that it is one. */
    public boolean provesNodes() {
        return secretFile != null || tls != null;
    }

    /** Says what it means when there is no secret; once in the life of a process. */
    public void tellOfSecret() {
        if (secretFile == null) {
            LOG.warn(
                    "{} is not set: nothing is proved here, and whoever reaches port {} can act as a node and as an"
                            + " administrator of this cluster (docs/guides/configuration.md, SECURITY.md)",
                    NodeKeys.SECRET_FILE,
                    listen.port());
        }
    }
}
