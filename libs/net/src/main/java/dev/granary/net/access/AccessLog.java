package dev.granary.net.access;

import dev.granary.env.Clock;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what a node has denied its callers, and logs who asked for what, from where. It logs {@value #LINES} lines in
 * ten seconds, so that no caller fills the log, and says how many it has left out. Thread-safe.
 */
public final class AccessLog {

    /** Lines of a period. */
    static final int LINES = 10;

    static final long PERIOD_NANOS = 10_000_000_000L;

    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);

    private final Clock clock;
    private final Consumer<String> line;
    private final LongAdder requests = new LongAdder();
    private final LongAdder ports = new LongAdder();
    private final LongAdder callers = new LongAdder();
    private final LongAdder users = new LongAdder();
    private long periodBeganNanos;
    private int lines;
    private long leftOut;

    /** Makes a log that has counted nothing. */
    public AccessLog(Clock clock) {
        this(clock, LOG::warn);
    }

    /** @param line takes each line of the log */
    AccessLog(Clock clock, Consumer<String> line) {
        this.clock = clock;
        this.line = line;
        this.periodBeganNanos = clock.nanoTime();
    }

    /** Tells of a request that the caller's roles may not send. */
    public void deniedRequest(Hello caller, HostAddress from, int type) {
        requests.increment();
        if (isTimeForALine()) {
            line.accept("denied '%s' to %s at %s: only %s may send it"
                    .formatted(MessageType.nameOf(type), describe(caller), from, RequestRoles.of(type)));
        }
    }

    /** Tells of a request that belongs to another port of the node. */
    public void deniedPort(Hello caller, HostAddress from, String why) {
        ports.increment();
        if (isTimeForALine()) {
            line.accept("denied a request to %s at %s: %s".formatted(describe(caller), from, why));
        }
    }

    /** Tells of a caller that was refused because it did not prove who it is. */
    public void deniedCaller(Hello caller, HostAddress from, String why) {
        callers.increment();
        if (isTimeForALine()) {
            line.accept("refused %s at %s: %s".formatted(describe(caller), from, why));
        }
    }

    /** Counts a login or a request that was refused because of the caller's user; {@link Users} tells of it. */
    public void deniedUser() {
        users.increment();
    }

    /**
     * Returns what was denied since the start by reason: {@code role} and {@code port} count requests, {@code proof}
     * callers, and {@code user} logins and requests.
     */
    public Map<String, Long> counts() {
        return Map.of("role", requests.sum(), "port", ports.sum(), "proof", callers.sum(), "user", users.sum());
    }

    private static String describe(Hello caller) {
        return switch (caller.role()) {
            case CLIENT -> "a client";
            case SUPER_PEER -> "super-peer " + Nid.toHex(caller.nid());
            case STORAGE_PEER -> "storage peer " + Nid.toHex(caller.nid());
        };
    }

    private synchronized boolean isTimeForALine() {
        long now = clock.nanoTime();
        if (now - periodBeganNanos >= PERIOD_NANOS) {
            if (leftOut > 0) {
                line.accept(leftOut + " more denials were not logged; they are counted");
            }
            periodBeganNanos = now;
            lines = 0;
            leftOut = 0;
        }
        if (lines == LINES) {
            leftOut++;
            return false;
        }
        lines++;
        return true;
    }
}
