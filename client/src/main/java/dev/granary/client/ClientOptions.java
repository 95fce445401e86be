package dev.granary.client;

import dev.granary.net.message.Durability;
import dev.granary.overlay.HostAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a client reaches its cluster and how long it tries.
 *
 * @param seeds super-peers to ask first; one that answers is enough
 * @param deadline how long one operation may take, retries included
 * @param batchDeadline how long one batch may take, retries included
 * @param attemptTimeout how long to wait for one answer before asking again
 * @param requestBytes batches are cut into requests of about this many bytes of payload
 * @param requestChunks and of at most this many chunks
 * @param requestsInFlight how many requests of one batch are under way at once for each storage peer
 * @param ioThreads threads that send and receive
 * @param durability when creates, puts and deletes are answered; null for what the storage peers are configured to do
 */
public record ClientOptions(
        List<HostAddress> seeds,
        Duration deadline,
        Duration batchDeadline,
        Duration attemptTimeout,
        int requestBytes,
        int requestChunks,
        int requestsInFlight,
        int ioThreads,
        @Nullable Durability durability) {

    public ClientOptions {
        seeds = List.copyOf(seeds);
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("no seeds: name at least one super-peer as host:port");
        }
        requirePositive("deadline", deadline);
        requirePositive("batchDeadline", batchDeadline);
        requirePositive("attemptTimeout", attemptTimeout);
        requireRange("requestBytes", requestBytes, 1 << 10, 4 << 20);
        requireRange("requestChunks", requestChunks, 1, 1 << 16);
        requireRange("requestsInFlight", requestsInFlight, 1, 1024);
        requireRange("ioThreads", ioThreads, 1, 64);
    }

    /** Defaults with these super-peers, each as {@code host:port}. */
    public static ClientOptions of(String... seeds) {
        return of(Stream.of(seeds).map(HostAddress::parse).toList());
    }

    /** Defaults with these super-peers: 10 s an operation, 60 s a batch, 1 s an attempt. */
    public static ClientOptions of(List<HostAddress> seeds) {
        return new ClientOptions(
                seeds,
                Duration.ofSeconds(10),
                Duration.ofSeconds(60),
                Duration.ofSeconds(1),
                256 << 10,
                8192,
                4,
                2,
                null);
    }

    public ClientOptions withDeadline(Duration newDeadline) {
        return new ClientOptions(
                seeds,
                newDeadline,
                batchDeadline,
                attemptTimeout,
                requestBytes,
                requestChunks,
                requestsInFlight,
                ioThreads,
                durability);
    }

    public ClientOptions withBatchDeadline(Duration newBatchDeadline) {
        return new ClientOptions(
                seeds,
                deadline,
                newBatchDeadline,
                attemptTimeout,
                requestBytes,
                requestChunks,
                requestsInFlight,
                ioThreads,
                durability);
    }

    /** The same with another durability of creates, puts and deletes. */
    public ClientOptions withDurability(@Nullable Durability newDurability) {
        return new ClientOptions(
                seeds,
                deadline,
                batchDeadline,
                attemptTimeout,
                requestBytes,
                requestChunks,
                requestsInFlight,
                ioThreads,
                newDurability);
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be longer than zero");
        }
    }

    private static void requireRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + "; allowed are " + min + " to " + max);
        }
    }
}
