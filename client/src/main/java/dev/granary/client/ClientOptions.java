package dev.granary.client;

import dev.granary.overlay.HostAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a client reaches its cluster and how long it tries. Immutable.
 *
 * <pre>{@code
 * ClientOptions options = ClientOptions.builder()
 *         .address("granary-0.example:7400")
 *         .address("granary-1.example:7400")
 *         .deadline(Duration.ofSeconds(2))
 *         .build();
 * }</pre>
 */
public final class ClientOptions {

    private final List<String> addresses;
    private final int adminPort;
    private final Duration deadline;
    private final Duration batchDeadline;
    private final Duration attemptTimeout;
    private final int requestBytes;
    private final int requestChunks;
    private final int requestsInFlight;
    private final int ioThreads;
    private final @Nullable Durability durability;
    private final @Nullable Path clusterSecretFile;
    private final @Nullable String clusterSecret;
    private final @Nullable String user;
    private final @Nullable String password;
    private final @Nullable Path passwordFile;
    private final @Nullable ClientTls tls;
    private final @Nullable ClientTlsText tlsText;

    private ClientOptions(Builder builder) {
        this.addresses = List.copyOf(builder.addresses);
        this.adminPort = builder.adminPort;
        this.deadline = builder.deadline;
        this.batchDeadline = builder.batchDeadline;
        this.attemptTimeout = builder.attemptTimeout;
        this.requestBytes = builder.requestBytes;
        this.requestChunks = builder.requestChunks;
        this.requestsInFlight = builder.requestsInFlight;
        this.ioThreads = builder.ioThreads;
        this.durability = builder.durability;
        this.clusterSecretFile = builder.clusterSecretFile;
        this.clusterSecret = builder.clusterSecret;
        this.user = builder.user;
        this.password = builder.password;
        this.passwordFile = builder.passwordFile;
        this.tls = builder.tls;
        this.tlsText = builder.tlsText;
    }

    /**
     * Returns the default options with these super-peers.
     *
     * @param addresses each as {@code host:port}, see {@link Builder#address}
     */
    public static ClientOptions of(String... addresses) {
        return of(List.of(addresses));
    }

    /** Returns the default options with these super-peers, each as {@code host:port}. */
    public static ClientOptions of(Collection<String> addresses) {
        return builder().addresses(addresses).build();
    }

    /** Returns a builder that sets options one by one. At least one address must be set. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that begins with these options. */
    public Builder toBuilder() {
        Builder builder = new Builder()
                .addresses(addresses)
                .adminPort(adminPort)
                .deadline(deadline)
                .batchDeadline(batchDeadline)
                .attemptTimeout(attemptTimeout)
                .requestBytes(requestBytes)
                .requestChunks(requestChunks)
                .requestsInFlight(requestsInFlight)
                .ioThreads(ioThreads);
        return builder.durability(durability)
                .clusterSecretFile(clusterSecretFile)
                .clusterSecret(clusterSecret)
                .user(user)
                .password(password)
                .passwordFile(passwordFile)
                .tls(tls)
                .tlsText(tlsText);
    }

    /** Returns these options with another deadline of single operations. */
    public ClientOptions withDeadline(Duration newDeadline) {
        return toBuilder().deadline(newDeadline).build();
    }

    /** Returns these options with another deadline of batches. */
    public ClientOptions withBatchDeadline(Duration newBatchDeadline) {
        return toBuilder().batchDeadline(newBatchDeadline).build();
    }

    /** Returns these options with another durability level of creates, puts and deletes. */
    public ClientOptions withDurability(@Nullable Durability newDurability) {
        return toBuilder().durability(newDurability).build();
    }

    /** See {@link Builder#address}. */
    public List<String> addresses() {
        return addresses;
    }

    /** See {@link Builder#adminPort}. */
    public int adminPort() {
        return adminPort;
    }

    /** See {@link Builder#deadline}. */
    public Duration deadline() {
        return deadline;
    }

    /** See {@link Builder#batchDeadline}. */
    public Duration batchDeadline() {
        return batchDeadline;
    }

    /** See {@link Builder#attemptTimeout}. */
    public Duration attemptTimeout() {
        return attemptTimeout;
    }

    /** See {@link Builder#requestBytes}. */
    public int requestBytes() {
        return requestBytes;
    }

    /** See {@link Builder#requestChunks}. */
    public int requestChunks() {
        return requestChunks;
    }

    /** See {@link Builder#requestsInFlight}. */
    public int requestsInFlight() {
        return requestsInFlight;
    }

    /** See {@link Builder#ioThreads}. */
    public int ioThreads() {
        return ioThreads;
    }

    /** See {@link Builder#durability}. */
    public @Nullable Durability durability() {
        return durability;
    }

    /** See {@link Builder#clusterSecretFile}. */
    public @Nullable Path clusterSecretFile() {
        return clusterSecretFile;
    }

    /** See {@link Builder#clusterSecret}. */
    public @Nullable String clusterSecret() {
        return clusterSecret;
    }

    /** See {@link Builder#user}. */
    public @Nullable String user() {
        return user;
    }

    /** See {@link Builder#password}. */
    public @Nullable String password() {
        return password;
    }

    /** See {@link Builder#passwordFile}. */
    public @Nullable Path passwordFile() {
        return passwordFile;
    }

    /** See {@link Builder#tls}. */
    public @Nullable ClientTls tls() {
        return tls;
    }

    /** See {@link Builder#tlsText}. */
    public @Nullable ClientTlsText tlsText() {
        return tlsText;
    }

    /** Sets options one by one; each setter refuses what is out of its range. Not thread-safe. */
    public static final class Builder {

        private final List<String> addresses = new ArrayList<>();
        private int adminPort;
        private Duration deadline = Duration.ofSeconds(10);
        private Duration batchDeadline = Duration.ofSeconds(60);
        private Duration attemptTimeout = Duration.ofSeconds(1);
        private int requestBytes = 256 << 10;
        private int requestChunks = 8192;
        private int requestsInFlight = 4;
        private int ioThreads = 2;
        private @Nullable Durability durability;
        private @Nullable Path clusterSecretFile;
        private @Nullable String clusterSecret;
        private @Nullable String user;
        private @Nullable String password;
        private @Nullable Path passwordFile;
        private @Nullable ClientTls tls;
        private @Nullable ClientTlsText tlsText;

        private Builder() {}

        /**
         * Adds a super-peer to ask first. One that answers is enough, because the client finds all others through it.
         * There is no default: at least one must be named.
         *
         * @param address {@code host:port} or {@code [IPv6 address]:port}
         * @throws IllegalArgumentException when the text is malformed; the message says why
         */
        public Builder address(String address) {
            addresses.add(HostAddress.parse(address).toString());
            return this;
        }

        /** Adds super-peers; see {@link #address}. */
        public Builder addresses(Collection<String> more) {
            more.forEach(this::address);
            return this;
        }

        /**
         * Sets the port of all nodes for requests of administrators, where the cluster has one. 0, the default, is for
         * a cluster whose nodes take them at the port for everything.
         *
         * @param port as {@code admin.port} of the nodes
         */
        public Builder adminPort(int port) {
            adminPort = requireRange("adminPort", port, 0, 65_535);
            return this;
        }

        /** Sets how long one operation may take, retries included. Longer than zero; 10 s by default. */
        public Builder deadline(Duration value) {
            deadline = requirePositive("deadline", value);
            return this;
        }

        /** Sets how long one batch may take, retries included. Longer than zero; 60 s by default. */
        public Builder batchDeadline(Duration value) {
            batchDeadline = requirePositive("batchDeadline", value);
            return this;
        }

        /** Sets how long to wait for one answer before asking again. Longer than zero; 1 s by default. */
        public Builder attemptTimeout(Duration value) {
            attemptTimeout = requirePositive("attemptTimeout", value);
            return this;
        }

        /**
         * Sets the most bytes of payload in one request of a batch, approximately. 1 KiB to 4 MiB; 256 KiB by default.
         */
        public Builder requestBytes(int bytes) {
            requestBytes = requireRange("requestBytes", bytes, 1 << 10, 4 << 20);
            return this;
        }

        /** Sets the most chunks in one request of a batch. 1 to 65,536; 8,192 by default. */
        public Builder requestChunks(int chunks) {
            requestChunks = requireRange("requestChunks", chunks, 1, 1 << 16);
            return this;
        }

        /**
         * Sets how many requests of one batch are under way at once for each storage peer. 1 to 1,024; 4 by default.
         */
        public Builder requestsInFlight(int requests) {
            requestsInFlight = requireRange("requestsInFlight", requests, 1, 1024);
            return this;
        }

        /** Sets how many threads send and receive. 1 to 64; 2 by default. */
        public Builder ioThreads(int threads) {
            ioThreads = requireRange("ioThreads", threads, 1, 64);
            return this;
        }

        /**
         * Sets when creates, puts and deletes are acknowledged. Null, the default, leaves that to the cluster's
         * configuration.
         */
        public Builder durability(@Nullable Durability value) {
            durability = value;
            return this;
        }

        /** Sets the files of TLS. Null, the default, is for a cluster without TLS. */
        public Builder tls(@Nullable ClientTls value) {
            tls = value;
            return this;
        }

        /**
         * Sets what else would be in the files of TLS, for a program that has it from elsewhere; it goes before {@link
         * #tls}. Null, the default, is for none.
         */
        public Builder tlsText(@Nullable ClientTlsText value) {
            tlsText = value;
            return this;
        }

        /**
         * Sets the file with the cluster's secret. With it the client proves that it may administer the cluster, and
         * talks to nodes only that prove that they belong to it. It is read when the client is connected. Null, the
         * default, is for applications: they may read and change data, and need no secret.
         *
         * @param file as {@code cluster.secret.file} of the nodes
         */
        public Builder clusterSecretFile(@Nullable Path file) {
            clusterSecretFile = file;
            return this;
        }

        /**
         * Sets the cluster's secret itself, for a program that has it from elsewhere than a file; it goes before {@link
         * #clusterSecretFile}.
         *
         * @param secret 16 to 1024 bytes of text; null for none
         */
        public Builder clusterSecret(@Nullable String secret) {
            clusterSecret = secret;
            return this;
        }

        /**
         * Sets the user as which the client logs in, where the cluster has users. Null, the default, is for none: the
         * client is the user {@code default} then. A client that has the cluster's secret, too, may do what the user
         * may.
         */
        public Builder user(@Nullable String name) {
            user = name;
            return this;
        }

        /**
         * Sets the user's password; it goes before {@link #passwordFile}. It is sent in clear, so use {@link #tls}
         * where somebody may listen. Null, the default, is for none.
         */
        public Builder password(@Nullable String text) {
            password = text;
            return this;
        }

        /**
         * Sets the file with the user's password. It is read for each new connection, so that a changed password holds
         * without a new client. Null, the default, is for none.
         *
         * @param file text in UTF-8, of at most 4096 bytes; a line end behind it does not count
         */
        public Builder passwordFile(@Nullable Path file) {
            passwordFile = file;
            return this;
        }

        /**
         * Returns the options.
         *
         * @throws IllegalArgumentException when no address was set, or a password without a user
         */
        public ClientOptions build() {
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException(
                        "no address: name at least one super-peer of the cluster, as in address(\"localhost:7400\")");
            }
            if (user == null && (password != null || passwordFile != null)) {
                throw new IllegalArgumentException("a password without a user: name the user, as in user(\"app\")");
            }
            return new ClientOptions(this);
        }

        private static Duration requirePositive(String name, Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new IllegalArgumentException(name + " is " + value + "; it must be longer than zero");
            }
            return value;
        }

        private static int requireRange(String name, int value, int min, int max) {
            if (value < min || value > max) {
                throw new IllegalArgumentException(name + " is " + value + "; allowed are " + min + " to " + max);
            }
            return value;
        }
    }
}
