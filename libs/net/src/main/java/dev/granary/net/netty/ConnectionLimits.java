package dev.granary.net.netty;

import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How many connections a port accepts, all together and of one address, and how it treats those that have not greeted
 * (ADR 0323). Counts what it refuses. Thread-safe.
 *
 * <p>Invariant: {@code open} counts the connections that were let in and have not left; {@code byAddress} counts them
 * for each address.
 */
public final class ConnectionLimits {

    /** Why a connection was refused, or closed before it had greeted. */
    public enum Refusal {
        /** There were as many connections as there may be. */
        ALL,
        /** There were as many of its address. */
        ADDRESS,
        /** It did not greet in time. */
        SILENT,
        /** It sent a frame that is too large for a hello. */
        FRAME,
        /** Its handshake of TLS has failed. */
        TLS
    }

    private final NettyOptions.Accepting limits;
    private final AtomicInteger open = new AtomicInteger();
    private final Map<InetAddress, Integer> byAddress = new ConcurrentHashMap<>();
    private final Map<Refusal, LongAdder> refused = new EnumMap<>(Refusal.class);

    public ConnectionLimits(NettyOptions.Accepting limits) {
        this.limits = limits;
        for (Refusal refusal : Refusal.values()) {
            refused.put(refusal, new LongAdder());
        }
    }

    /** Returns after how long a connection is closed whose caller has not greeted. */
    int helloMillis() {
        return limits.helloMillis();
    }

    /** Lets a connection in, or returns why not. Whoever is let in must {@link #leave}. */
    public @Nullable Refusal enter(InetAddress address) {
        if (open.incrementAndGet() > limits.connections()) {
            open.decrementAndGet();
            return Refusal.ALL;
        }
        boolean[] entered = new boolean[1];
        byAddress.compute(address, (same, present) -> {
            int before = present == null ? 0 : present;
            entered[0] = before < limits.connectionsOfAddress();
            return before == 0 && !entered[0] ? null : before + (entered[0] ? 1 : 0);
        });
        if (!entered[0]) {
            open.decrementAndGet();
            return Refusal.ADDRESS;
        }
        return null;
    }

    /** Lets a connection go that was let in. */
    public void leave(InetAddress address) {
        byAddress.computeIfPresent(address, (same, present) -> present == 1 ? null : present - 1);
        open.decrementAndGet();
    }

    void count(Refusal refusal) {
        LongAdder counter = refused.get(refusal);
        if (counter != null) {
            counter.increment();
        }
    }

    int open() {
        return open.get();
    }

    long refused(Refusal refusal) {
        LongAdder counter = refused.get(refusal);
        return counter == null ? 0 : counter.sum();
    }
}
