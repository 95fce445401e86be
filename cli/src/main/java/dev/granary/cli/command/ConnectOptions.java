package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.LocalTls;
import dev.granary.client.ClientOptions;
import dev.granary.client.ClientTls;
import dev.granary.client.Durability;
import dev.granary.client.GranaryClient;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.net.access.Logins;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.tls.TlsSettings;
import dev.granary.overlay.HostAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which cluster a command talks to: one named by its super-peers, or the local one. */
public final class ConnectOptions {

    @Option(
            names = "--seeds",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "Super-peers of the cluster; one that answers is enough. "
                    + "Default: $GRANARY_SEEDS, otherwise the local cluster that 'granary up' started.")
    private List<String> seeds = new ArrayList<>();

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Directory of the local cluster. Default: ~/.granary/local.")
    private @Nullable Path directory;

    @Option(
            names = "--admin-port",
            paramLabel = "PORT",
            description = "Port of all nodes for administration, where the cluster has one: admin.port of the nodes. "
                    + "Default: $GRANARY_ADMIN_PORT, otherwise the port of the seeds. Not for the local cluster.")
    private @Nullable String adminPort;

    @Option(
            names = "--secret-file",
            paramLabel = "FILE",
            description = "File with the secret of the cluster, which administration needs. Default: that of the local "
                    + "cluster, otherwise $GRANARY_CLUSTER_SECRET_FILE.")
    private @Nullable Path secretFile;

    @Option(
            names = "--tls",
            paramLabel = "DIR",
            description = "Directory of ca.crt, tls.crt and tls.key, for a cluster with TLS. "
                    + "Default: $GRANARY_TLS_DIRECTORY, or what 'granary up --tls' has made for the local cluster.")
    private @Nullable Path tlsDirectory;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "The CAs of a cluster with TLS that asks clients for no certificate. "
                    + "Default: $GRANARY_TLS_CA.")
    private @Nullable Path tlsCa;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "The user to log in as, where the cluster has users. Default: $GRANARY_USER, otherwise none.")
    private @Nullable String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "File with the user's password. Default: the password itself in $GRANARY_PASSWORD.")
    private @Nullable Path passwordFile;

    @Option(
            names = "--deadline",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long one operation may take, retries included (default: ${DEFAULT-VALUE}).")
    private int deadlineSeconds;

    /** Opens a client of the cluster. */
    public GranaryClient connect() {
        return connect(null);
    }

    /**
     * Opens a client of the cluster.
     *
     * @param durability durability level of its changes; null for the default of the storage peers
     */
    public GranaryClient connect(@Nullable Durability durability) {
        return opened(() -> GranaryClient.connect(options(durability)));
    }

    /** Opens an administrator's connection to the cluster. */
    public ClusterAdmin administer() {
        return opened(() -> ClusterAdmin.connect(options(null)));
    }

    /** Opens what may not like a file of TLS. */
    private static <T> T opened(Supplier<T> opening) {
        try {
            return opening.get();
        } catch (IllegalArgumentException e) {
            throw new UserException(String.valueOf(e.getMessage()), e);
        }
    }

    private ClientOptions options(@Nullable Durability durability) {
        if (deadlineSeconds < 1) {
            throw new UserException("--deadline is " + deadlineSeconds + "; it must be at least 1 second");
        }
        return ClientOptions.builder()
                .addresses(addresses().stream().map(HostAddress::toString).toList())
                .adminPort(adminPort())
                .deadline(Duration.ofSeconds(deadlineSeconds))
                .durability(durability)
                .clusterSecretFile(secretFile())
                .user(user())
                .password(password())
                .passwordFile(passwordFile)
                .tls(tls())
                .build();
    }

    /** The port of all nodes for administration; 0 when there is none of its own. */
    int adminPort() {
        String named = System.getenv("GRANARY_ADMIN_PORT");
        if (adminPort != null) {
            return port("--admin-port", adminPort);
        }
        return localDirectory() != null || named == null || named.isBlank() ? 0 : port("GRANARY_ADMIN_PORT", named);
    }

    private static int port(String name, String text) {
        String digits = text.strip();
        int port = digits.matches("\\d{1,5}") ? Integer.parseInt(digits) : 0;
        if (port < 1 || port > 65_535) {
            throw new UserException(name + " is '" + text + "'; it must be a port from 1 to 65535");
        }
        return port;
    }

    /** The file with the cluster's secret; null when none is known. */
    @Nullable
    Path secretFile() {
        if (secretFile != null) {
            return secretFile;
        }
        Path local = localDirectory();
        if (local != null) {
            return LocalCluster.find(local).flatMap(LocalCluster::secretFile).orElse(null);
        }
        String named = System.getenv("GRANARY_CLUSTER_SECRET_FILE");
        return named == null || named.isBlank() ? null : Path.of(named);
    }

    private @Nullable String user() {
        String named = user == null ? System.getenv("GRANARY_USER") : user;
        if (named == null && passwordFile != null) {
            throw new UserException("--password-file is for a user: name it with --user");
        }
        return named;
    }

    private @Nullable String password() {
        return passwordFile == null && user() != null ? System.getenv("GRANARY_PASSWORD") : null;
    }

    /** How a connection without a client logs in. */
    Supplier<@Nullable Login> login() {
        return Logins.of(user(), password(), passwordFile);
    }

    /** The files of TLS; null for a cluster without it. */
    @Nullable
    ClientTls tls() {
        if (tlsDirectory != null) {
            return ClientTls.ofDirectory(tlsDirectory);
        }
        if (tlsCa != null) {
            return ClientTls.ofCa(tlsCa);
        }
        Path local = localDirectory();
        if (local != null) {
            return LocalTls.exists(local) ? ClientTls.ofDirectory(LocalTls.clientDirectory(local)) : null;
        }
        String named = System.getenv("GRANARY_TLS_DIRECTORY");
        String ca = System.getenv("GRANARY_TLS_CA");
        if (named != null && !named.isBlank()) {
            return ClientTls.ofDirectory(Path.of(named));
        }
        return ca == null || ca.isBlank() ? null : ClientTls.ofCa(Path.of(ca));
    }

    /** The files of TLS for a connection without a client; null for a cluster without it. */
    @Nullable
    TlsSettings tlsSettings() {
        ClientTls files = tls();
        return files == null
                ? null
                : new TlsSettings(
                        files.certificate(),
                        files.key(),
                        files.ca(),
                        TlsSettings.crl(files.ca(), null),
                        TlsSettings.ClientAuthentication.REQUIRED);
    }

    /** What reads the pages of the cluster's nodes. */
    public NodePages pages() {
        return NodePages.of(tls(), login());
    }

    /** The super-peers to ask. */
    public List<HostAddress> addresses() {
        List<String> named = seeds;
        String environment = System.getenv("GRANARY_SEEDS");
        if (named.isEmpty() && directory == null && environment != null && !environment.isBlank()) {
            named = List.of(environment.split(","));
        }
        if (!named.isEmpty()) {
            return named.stream().map(ConnectOptions::parse).toList();
        }
        return localSeeds(directory == null ? LocalCluster.defaultDirectory() : directory);
    }

    /** The directory of the local cluster; null when the command line names super-peers. */
    @Nullable
    Path localDirectory() {
        String environment = System.getenv("GRANARY_SEEDS");
        boolean named = !seeds.isEmpty() || (directory == null && environment != null && !environment.isBlank());
        return named ? null : directory == null ? LocalCluster.defaultDirectory() : directory;
    }

    private static HostAddress parse(String text) {
        try {
            return HostAddress.parse(text.strip());
        } catch (IllegalArgumentException e) {
            throw new UserException(e.getMessage() + " (of a super-peer, usually port 7400)", e);
        }
    }

    private static List<HostAddress> localSeeds(Path directory) {
        LocalCluster cluster = LocalCluster.find(directory)
                .orElseThrow(() -> new UserException("there is no local cluster under " + directory
                        + ". Start one with 'granary up', or name one with --seeds HOST:PORT."));
        if (cluster.seeds().isEmpty()) {
            throw new UserException("the local cluster under " + directory + " is down. Start it with 'granary up'.");
        }
        return cluster.seeds();
    }
}
