package dev.granary.storage.data;

import org.jspecify.annotations.Nullable;

/** What to do with a request that changes chunks. Immutable. */
final class Admission {

    enum Kind {
        /** To be carried out, but for the chunks that {@link #known} has; then say what became of it. */
        NEW,
        /** Carried out before: repeat what {@link #known} has, change nothing. */
        REPEAT,
        /** Being carried out by another thread at this moment. */
        RUNNING,
        /** It may have been carried out before; the answer is not known any more. */
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

    /** What became of the request, or of some of its chunks; null when nothing is known. */
    @Nullable
    Completion known() {
        return known;
    }
}
