package dev.granary.storage.data;

import org.jspecify.annotations.Nullable;

/** What to do with a request that changes chunks. Immutable. */
final class Admission {

    enum Kind {
        /**
         * The request is to be carried out, except for the chunks that {@link #known} has; then its outcome is noted.
         */
        NEW,
        /** The request was carried out before: repeat the answer in {@link #known}, change nothing. */
        REPEAT,
        /** Another thread is carrying the request out at this moment. */
        RUNNING,
        /** The request may have been carried out before; the answer is not known any more. */
        FORGOTTEN,
        /** The table has no room for another client. */
        FULL
    }

    static final Admission NEW = new Admission(Kind.NEW, null);
    static final Admission RUNNING = new Admission(Kind.RUNNING, null);
    static final Admission FORGOTTEN = new Admission(Kind.FORGOTTEN, null);
    static final Admission FULL = new Admission(Kind.FULL, null);

    private final Kind kind;
    private final @Nullable Completion known;

    private Admission(Kind kind, @Nullable Completion known) {
        this.kind = kind;
        this.known = known;
    }

    static Admission repeat(Completion known) {
        return new Admission(Kind.REPEAT, known);
    }

    /** A request of which some chunks are done: by the peer that owned them before. */
    static Admission rest(Completion known) {
        return new Admission(Kind.NEW, known);
    }

    Kind kind() {
        return kind;
    }

    /** Returns the completion record of the request, or of some of its chunks; null when nothing is known. */
    @Nullable
    Completion known() {
        return known;
    }
}
