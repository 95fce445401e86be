package dev.granary.storage.data;

import dev.granary.env.Clock;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The completion records of all clients, so that a retry repeats the answer and changes nothing (SAFETY rule "retries",
 * ADR 0071). The table is bounded. Answers that a client has seen are dropped at once. Of the others at most {@link
 * #MAX_CLIENT_BYTES} are kept for a client, and about a share of the heap for all clients. The oldest are dropped
 * first; the answer to a retry of such a request is that its outcome is not known. A client that has been silent for
 * {@link #IDLE_NANOS} is forgotten as a whole; for {@link #MIN_IDLE_NANOS} when the table is full. Thread-safe.
 */
final class CompletedRequests {

    static final int MAX_CLIENTS = 1 << 14;
    static final long MAX_CLIENT_BYTES = 4 << 20;
    static final long IDLE_NANOS = 15 * 60_000_000_000L;

    /** Longer than any client waits between two attempts. */
    static final long MIN_IDLE_NANOS = 60_000_000_000L;

    /** The bytes that each client may keep when all together keep too much. */
    private static final long SMALL_CLIENT_BYTES = 2 << 10;

    private final Clock clock;
    private final int maxClients;
    private final long maxTotalBytes;
    private final AtomicLong totalBytes = new AtomicLong();
    private final ConcurrentHashMap<Long, ClientRequests> clients = new ConcurrentHashMap<>();

    CompletedRequests(Clock clock, int maxClients, long maxTotalBytes) {
        this.maxTotalBytes = maxTotalBytes;
        this.clock = clock;
        this.maxClients = maxClients;
    }

    /**
     * Decides about a request that changes or creates chunks. When the answer is {@link Admission.Kind#NEW} one of
     * {@link #complete}, {@link #abandon} and {@link #lose} must follow.
     */
    Admission begin(long clientId, long sequence, long ackedSequence, long[] cids, int count, int[] statuses) {
        while (true) {
            ClientRequests client = clients.get(clientId);
            if (client == null) {
                client = admit(clientId);
                if (client == null) {
                    return Admission.FULL;
                }
            }
            Admission admission = client.begin(sequence, ackedSequence, cids, count, statuses, clock.nanoTime());
            if (admission != null) {
                return admission;
            }
            clients.remove(clientId, client);
        }
    }

    /** Notes that a request was carried out, with its completion record. */
    void complete(long clientId, long sequence, Completion completion) {
        ClientRequests client = clients.get(clientId);
        if (client != null) {
            client.complete(sequence, completion, MAX_CLIENT_BYTES);
            keepSmall();
        }
    }

    /** Returns the bytes of the answers that are kept. */
    long bytes() {
        return totalBytes.get();
    }

    private void keepSmall() {
        if (totalBytes.get() > maxTotalBytes) {
            clients.values().forEach(each -> each.trim(SMALL_CLIENT_BYTES));
        }
    }

    /**
     * Returns the chunks that a create has made, as far as this peer knows. A create that this peer never heard of has
     * made nothing here.
     */
    CreatedChunks findCreated(long clientId, long sequence) {
        ClientRequests client = clients.get(clientId);
        return client == null ? new CreatedChunks(true, List.of()) : client.findCreated(sequence);
    }

    /** Visits what another peer must know that takes over a span of chunks. */
    void visit(long startCid, long endCidInclusive, TravellingRequests.Visitor visitor) {
        clients.keySet().stream().sorted().forEach(clientId -> {
            ClientRequests client = clients.get(clientId);
            if (client != null) {
                client.visit(clientId, startCid, endCidInclusive, visitor);
            }
        });
    }

    /**
     * Returns a visitor that takes over completion records for chunks that this peer owns from now on. The limit of
     * clients does not apply to them.
     */
    TravellingRequests.Visitor learner() {
        return new TravellingRequests.Visitor() {
            @Override
            public void completed(long clientId, long sequence, Completion completion) {
                present(clientId).learn(sequence, completion);
                keepSmall();
            }

            @Override
            public void unknown(long clientId, long sequence) {
                present(clientId).learnLost(sequence);
            }

            @Override
            public void floor(long clientId, long sequence) {
                present(clientId).forgetUpTo(sequence);
            }
        };
    }

    private ClientRequests present(long clientId) {
        return clients.compute(
                clientId,
                (id, known) -> known != null && known.touch(clock.nanoTime())
                        ? known
                        : new ClientRequests(totalBytes, clock.nanoTime()));
    }

    /** Notes that a request was refused and has changed nothing. */
    void abandon(long clientId, long sequence) {
        ClientRequests client = clients.get(clientId);
        if (client != null) {
            client.abandon(sequence);
        }
    }

    /** Notes that a request failed half-way. */
    void lose(long clientId, long sequence) {
        ClientRequests client = clients.get(clientId);
        if (client != null) {
            client.lose(sequence);
        }
    }

    /** Forgets clients that have been silent for a long time. Call it every few minutes. */
    void expire() {
        expireIdle(IDLE_NANOS);
    }

    int clientCount() {
        return clients.size();
    }

    long storedBytes() {
        return totalBytes.get();
    }

    private @Nullable ClientRequests admit(long clientId) {
        if (clients.size() >= maxClients) {
            expireIdle(MIN_IDLE_NANOS);
            if (clients.size() >= maxClients) {
                return null;
            }
        }
        return clients.computeIfAbsent(clientId, id -> new ClientRequests(totalBytes, clock.nanoTime()));
    }

    private void expireIdle(long idleNanos) {
        long since = clock.nanoTime() - idleNanos;
        clients.values().removeIf(client -> client.retireIfIdleSince(since));
    }
}
