package dev.granary.storage.door.state;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which clients know that there is a cluster: those that have asked for its slots. A client library asks on one of its
 * connections and uses others, so that its host and its name count as well, for some minutes. A library without a name
 * is known by its connection only: others on the same host may be of another program. Thread-safe.
 */
public final class AwareClients {

    private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final int MOST = 10_000;

    private final Map<String, Long> askedNanos = new ConcurrentHashMap<>();

    /** Rises with each client that is learned, from 1: clients that were looked up before are looked up again. */
    private final AtomicInteger version = new AtomicInteger(1);

    /** Notes that a client has asked for the slots of the cluster. */
    public void asked(Client client, long nowNanos) {
        client.aware(true);
        if (client.libName().isEmpty()) {
            return;
        }
        if (askedNanos.size() >= MOST) {
            askedNanos.values().removeIf(nanos -> nowNanos - nanos > REMEMBERED_NANOS);
        }
        if (askedNanos.size() < MOST && askedNanos.put(key(client), nowNanos) == null) {
            version.incrementAndGet();
        }
    }

    /** Returns whether a client knows that there is a cluster. What is found stays true for its connection. */
    public boolean knows(Client client, long nowNanos) {
        int now = version.get();
        if (client.aware() || client.awareVersion() == now) {
            return client.aware();
        }
        client.awareVersion(now);
        Long asked = client.libName().isEmpty() ? null : askedNanos.get(key(client));
        if (asked != null && nowNanos - asked <= REMEMBERED_NANOS) {
            client.aware(true);
        }
        return client.aware();
    }

    private static String key(Client client) {
        return client.host() + ' ' + client.libName();
    }
}
