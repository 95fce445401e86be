package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * One operation of a client on one chunk. It ends by exactly one of the methods that say how;
 * one that never ends counts as unknown.
 */
public final class Operation {

    /** What is asked. */
    public enum Kind {
        CREATE,
        GET,
        PUT,
        DELETE,
        /** Makes sure that all changes before it are on disks; part of giving a chunk a name. */
        FENCE,
        /** Not asked by a client: the client library deletes what a create that failed had made. */
        UNDO,
        /** Not asked by a client: the owner's memory is gone. */
        OWNER_DIED,
        /** Not asked by a client: memories are gone, and what was promised too little for that may be undone. */
        ROLLBACK
    }

    /** How it ended. */
    public enum Outcome {
        /** Done; a get brought a value. */
        DONE,
        /** The answer was that there is no such chunk. */
        NOT_FOUND,
        /** The answer was that the chunk is lost. */
        LOST,
        /** It has certainly changed nothing, and shows nothing. */
        NO_EFFECT,
        /** It may have been carried out, or may be at any time from its begin on. */
        UNKNOWN
    }

    static final long NO_VALUE = 0;
    private static final long NEVER = Long.MAX_VALUE;

    private final String client;
    private final Kind kind;
    private final long beganAt;
    private final LongSupplier moments;
    private final long beganNanos;
    private long cid;
    private long value;
    private long endedAt = NEVER;
    private Outcome outcome = Outcome.UNKNOWN;
    private Promise promise = Promise.REPLICATED;

    Operation(String client, Kind kind, long cid, long value, long beganAt, LongSupplier time, LongSupplier moments) {
        this.client = client;
        this.kind = kind;
        this.cid = cid;
        this.value = value;
        this.beganAt = beganAt;
        this.moments = moments;
        this.beganNanos = time.getAsLong();
    }

    /** The same operation as if no answer had come. */
    Operation withUnknownOutcome() {
        return unknown(kind);
    }

    /** The deletion of what this create, which has failed, may have made; at any moment after its begin, or never. */
    Operation undo() {
        return unknown(Kind.UNDO);
    }

    private Operation unknown(Kind ofKind) {
        return new Operation(client, ofKind, cid, value, beganAt, () -> beganNanos, moments).promising(promise);
    }

    /**
     * Says what the acknowledgement of a change promises, or what a rollback leaves: all that promised this or more.
     * {@link Promise#REPLICATED} otherwise.
     */
    public Operation promising(Promise promised) {
        promise = promised;
        return this;
    }

    Promise promise() {
        return promise;
    }

    /** A create was answered. */
    public void created(long newCid) {
        require(kind == Kind.CREATE);
        cid = newCid;
        end(Outcome.DONE);
    }

    /** A get was answered with a value. */
    public void read(long found) {
        require(kind == Kind.GET);
        value = found;
        end(Outcome.DONE);
    }

    /** A put or a delete was carried out. */
    public void done() {
        require(kind != Kind.CREATE && kind != Kind.GET);
        end(Outcome.DONE);
    }

    public void notFound() {
        end(Outcome.NOT_FOUND);
    }

    public void lost() {
        end(Outcome.LOST);
    }

    /** It was refused and has certainly changed nothing. */
    public void refused() {
        end(Outcome.NO_EFFECT);
    }

    /** Nobody knows whether it was carried out. */
    public void unknown() {
        require(endedAt == NEVER);
    }

    /** Whether it need not have happened at all. */
    boolean isOptional() {
        return outcome == Outcome.UNKNOWN;
    }

    /** Whether nobody knows whether this create has made a chunk, and which. */
    boolean mayHaveCreatedAnything() {
        return kind == Kind.CREATE && outcome == Outcome.UNKNOWN;
    }

    Kind kind() {
        return kind;
    }

    /** How it ended; unknown as long as it has not. */
    public Outcome outcome() {
        return outcome;
    }

    /** The chunk, once it is known. */
    public long cid() {
        return cid;
    }

    long value() {
        return value;
    }

    long beganAt() {
        return beganAt;
    }

    /** When the answer came; after everything else when none came. */
    long endedAt() {
        return endedAt;
    }

    /** Whether it changes nothing: without an answer it says nothing. */
    boolean isLook() {
        return kind == Kind.GET || kind == Kind.FENCE;
    }

    boolean isOfClient() {
        return kind != Kind.OWNER_DIED && kind != Kind.ROLLBACK;
    }

    /** The line of an operation of a client. */
    HistoryLine toLine() {
        HistoryLine line = HistoryLine.of("chunk").with("client", client).with("operation", optionName(kind));
        if (cid != Cid.NONE) {
            line.withCid("chunk", cid);
        }
        if (value != NO_VALUE) {
            line.with("value", value);
        }
        line.with("outcome", optionName(outcome));
        return withTimes(kind == Kind.GET ? line : withPromise(line));
    }

    HistoryLine withPromise(HistoryLine line) {
        return line.with("promise", optionName(promise));
    }

    /** Adds when it began and, if it did, ended. */
    HistoryLine withTimes(HistoryLine line) {
        line.with("begin", beganAt).with("beginNanos", beganNanos);
        return endedAt == NEVER ? line : line.with("end", endedAt);
    }

    private static String optionName(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private void end(Outcome how) {
        require(endedAt == NEVER);
        outcome = how;
        endedAt = moments.getAsLong();
    }

    private static void require(boolean possible) {
        if (!possible) {
            throw new IllegalStateException("an operation cannot end this way, or twice");
        }
    }

    @Override
    public String toString() {
        String end = endedAt == NEVER ? "…" : Long.toString(endedAt);
        String promised = promise == Promise.REPLICATED ? "" : " " + promise;
        return "[%d..%s] %.6f s %s %s%s %s value %d: %s"
                .formatted(beganAt, end, beganNanos / 1e9, client, kind, promised, Cid.toHex(cid), value, outcome)
                .replace(" value 0", "");
    }
}
