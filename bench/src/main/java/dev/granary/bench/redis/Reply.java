package dev.granary.bench.redis;

/** The reply that was read last. A wire fills it; it is used again and again. */
public final class Reply {

    /** What a reply says. */
    public enum Outcome {
        /** The key was there, with a value. */
        HIT,
        /** The key was not there. */
        MISS,
        /** The change was made. */
        DONE,
        /** The store refused. */
        ERROR
    }

    Outcome outcome = Outcome.DONE;
    /** Where the value of a hit begins in the buffer, and its length. */
    int valueAt;

    int valueLength;
    /** What the store says about an error. */
    String error = "";

    void is(Outcome what) {
        outcome = what;
    }

    void isError(String text) {
        outcome = Outcome.ERROR;
        error = text;
    }

    void isValue(int at, int length) {
        outcome = Outcome.HIT;
        valueAt = at;
        valueLength = length;
    }
}
