package dev.granary.storage.data;

/** What to do with a request that changes chunks. Immutable; the answer's bytes must not be changed. */
final class Admission {

    enum Kind {
        /** Never seen: carry it out, then say what became of it. */
        NEW,
        /** Carried out before: repeat the answer, change nothing. */
        REPEAT,
        /** Being carried out by another thread at this moment. */
        RUNNING,
        /** It may have been carried out before; the answer is not known any more. */
        FORGOTTEN,
        /** The table has no room for another client. */
        FULL
    }

    private static final byte[] NO_ANSWER = {};

    static final Admission NEW = new Admission(Kind.NEW, NO_ANSWER);
    static final Admission RUNNING = new Admission(Kind.RUNNING, NO_ANSWER);
    static final Admission FORGOTTEN = new Admission(Kind.FORGOTTEN, NO_ANSWER);
    static final Admission FULL = new Admission(Kind.FULL, NO_ANSWER);

    private final Kind kind;
    private final byte[] answer;

    private Admission(Kind kind, byte[] answer) {
        this.kind = kind;
        this.answer = answer;
    }

    static Admission repeat(byte[] answer) {
        return new Admission(Kind.REPEAT, answer);
    }

    Kind kind() {
        return kind;
    }

    /** For {@link Kind#REPEAT}: the payload of the reply that was given before; otherwise empty. */
    byte[] answer() {
        return answer;
    }
}
