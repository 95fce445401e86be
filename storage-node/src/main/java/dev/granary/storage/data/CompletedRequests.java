package dev.granary.storage.data;

import dev.granary.env.Clock;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What became of the requests that changed chunks, so that a retry repeats the answer and changes nothing (SAFETY rule
 * "retries", ADR 0071). Bounded: answers that a client has seen go at once; of the rest at most {@link
 * #MAX_CLIENT_BYTES} are kept for a client and about a share of the heap for all, the oldest go first and a retry
 * of such a request is told that its outcome is not known. A client that has been silent for {@link #IDLE_NANOS} is
 * forgotten as a whole; for {@link #MIN_IDLE_NANOS} when the table is full. Thread-safe.
 */
final class CompletedRequests {

    static final int MAX_CLIENTS = 1 << 14;
    static final long MAX_CLIENT_BYTES = 4 << 20;
    static final long IDLE_NANOS = 15 * 60_000_000_000L;

    /** Longer than any client waits between two attempts. */
    static final long MIN_IDLE_NANOS = 60_000_000_000L;

    /** What each client may keep when all together keep too much. */
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
     * Decides about a request for chunks, or for new ones. When the answer is {@link Admission.Kind#NEW} one of
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

    /** The request has been carried out and answered so. */
    void complete(long clientId, long sequence, Completion completion) {
        ClientRequests client = clients.get(clientId);
        if (client != null) {
            client.complete(sequence, completion, MAX_CLIENT_BYTES);
            keepSmall();
        }
    }

    /** Bytes of the answers that are kept. */
    long bytes() {
        return totalBytes.get();
    }

    private void keepSmall() {
        if (totalBytes.get() > maxTotalBytes) {
            clients.values().forEach(each -> each.trim(SMALL_CLIENT_BYTES));
        }
    }

    /**
     * The chunks that a create has made, as far as it is known here; of what was never heard of nothing was made here.
     */
    CreatedChunks findCreated(long clientId, long sequence) {
        ClientRequests client = clients.get(clientId);
        return client == null ? new CreatedChunks(true, List.of()) : client.findCreated(sequence);
    }

    /** Visits what must be known to another peer that takes over a span of chunks. */
    void visit(long startCid, long endCidInclusive, TravellingRequests.Visitor visitor) {
        clients.keySet().stream().sorted().forEach(clientId -> {
            ClientRequests client = clients.get(clientId);
            if (client != null) {
                client.visit(clientId, startCid, endCidInclusive, visitor);
            }
        });
    }

    /**
     * Takes what another peer knew of requests for chunks that are owned here from now on; beyond the limit of clients.
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

    /** The request was refused and has changed nothing. */
    void abandon(long clientId, long sequence) {
        ClientRequests client = clients.get(clientId);
        if (client != null) {
            client.abandon(sequence);
        }
    }

    /** The request failed half-way. */
    void lose(long clientId, long sequence) {
        ClientRequests client = clients.get(clientId);
        if (client != null) {
            client.lose(sequence);
        }
    }

    /** Forgets clients that have been silent for a long time; to be called now and then. */
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
