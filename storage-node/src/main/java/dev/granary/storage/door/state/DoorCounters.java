package dev.granary.storage.door.state;

import dev.granary.storage.door.notice.Notice;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** What a door counts beside the calls of each command. Thread-safe. */
public final class DoorCounters {

    /** Why a door has closed a connection. */
    public enum Closing {
        /** The client asked for it, or is gone. */
        CLIENT("client"),
        /** Another client has asked for it. */
        KILLED("killed"),
        /** It sent what is no request. */
        PROTOCOL("protocol"),
        /** It did not take its replies. */
        SLOW("slow"),
        /** It held much while clients held too much altogether. */
        MEMORY("memory"),
        /** It asked nothing for too long. */
        IDLE("idle"),
        /** Its handshake of TLS has failed, or its certificate is none of a client. */
        TLS("tls"),
        /** An exception. */
        FAILURE("failure");

        private final String label;

        Closing(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    /** Clients choose the texts of no error code, but a bug might. */
    private static final int MOST_ERROR_CODES = 64;

    private final LongAdder opened = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();
    private final LongAdder reads = new LongAdder();
    private final LongAdder groupCalls = new LongAdder();
    private final LongAdder groupRequests = new LongAdder();
    private final LongAdder redirects = new LongAdder();
    private final LongAdder unknownCommands = new LongAdder();
    private final Map<Closing, LongAdder> closed = new EnumMap<>(Closing.class);
    private final Map<Notice.Kind, LongAdder> notices = new EnumMap<>(Notice.Kind.class);
    private final Map<String, LongAdder> errors = new ConcurrentHashMap<>();

    public DoorCounters() {
        for (Closing why : Closing.values()) {
            closed.put(why, new LongAdder());
        }
        for (Notice.Kind kind : Notice.Kind.values()) {
            notices.put(kind, new LongAdder());
        }
    }

    public void opened() {
        opened.increment();
    }

    public void refused() {
        refused.increment();
    }

    public void closed(Closing why) {
        counter(why).increment();
    }

    public void received(int bytes) {
        receivedBytes.add(bytes);
        reads.increment();
    }

    public void sent(long bytes) {
        sentBytes.add(bytes);
    }

    /** Counts a call for keys of one slot group, and its requests. */
    public void groupCall(int requests) {
        groupCalls.increment();
        groupRequests.add(requests);
    }

    public void redirected() {
        redirects.increment();
    }

    /** Counts a notice that was written to a client. */
    public void notified(Notice.Kind kind) {
        counter(kind).increment();
    }

    public void unknownCommand() {
        unknownCommands.increment();
    }

    /** Counts an error by its code, the first word of its text. */
    public void error(String code) {
        LongAdder counter = errors.get(code);
        if (counter == null && errors.size() < MOST_ERROR_CODES) {
            counter = errors.computeIfAbsent(code, any -> new LongAdder());
        }
        if (counter != null) {
            counter.increment();
        }
    }

    public long openedSum() {
        return opened.sum();
    }

    public long refusedSum() {
        return refused.sum();
    }

    public long closedSum(Closing why) {
        return counter(why).sum();
    }

    private LongAdder counter(Closing why) {
        return Objects.requireNonNull(closed.get(why));
    }

    public long notifiedSum(Notice.Kind kind) {
        return counter(kind).sum();
    }

    private LongAdder counter(Notice.Kind kind) {
        return Objects.requireNonNull(notices.get(kind));
    }

    public long receivedBytesSum() {
        return receivedBytes.sum();
    }

    public long sentBytesSum() {
        return sentBytes.sum();
    }

    public long readsSum() {
        return reads.sum();
    }

    public long groupCallsSum() {
        return groupCalls.sum();
    }

    public long groupRequestsSum() {
        return groupRequests.sum();
    }

    public long redirectsSum() {
        return redirects.sum();
    }

    public long unknownCommandsSum() {
        return unknownCommands.sum();
    }

    /** Returns the errors by their codes, in alphabetical order. */
    public SortedMap<String, Long> errorSums() {
        SortedMap<String, Long> sums = new TreeMap<>();
        errors.forEach((code, count) -> sums.put(code, count.sum()));
        return sums;
    }

    /** Begins at zero again. */
    public void reset() {
        opened.reset();
        refused.reset();
        receivedBytes.reset();
        sentBytes.reset();
        reads.reset();
        groupCalls.reset();
        groupRequests.reset();
        redirects.reset();
        unknownCommands.reset();
        closed.values().forEach(LongAdder::reset);
        notices.values().forEach(LongAdder::reset);
        errors.clear();
    }
}
