package dev.granary.storage.door;

/**
 * How many requests the next {@link Round} of a connection may have. The replies of a round are held until those before
 * them are there; so there are as many as have replies of {@value #BYTES} bytes together, by the sizes in the round
 * before.
 */
final class RoundSize {

    /** A client that begins with large values must not fill the memory before anything is known of it. */
    static final int FIRST = 32;

    static final int MOST = 256;

    private static final int BYTES = 1 << 20;

    private int requests = FIRST;

    /** Returns how many requests the next round may have, at least one. */
    int requests() {
        return requests;
    }

    /** Learns from a round. */
    void ended(int roundRequests, long replyBytes) {
        long fit = (long) BYTES * roundRequests / Math.max(1, replyBytes);
        if (fit < requests) {
            requests = (int) Math.max(1, fit);
        } else if (roundRequests == requests) {
            requests = Math.min(MOST, 2 * requests);
        }
    }
}
