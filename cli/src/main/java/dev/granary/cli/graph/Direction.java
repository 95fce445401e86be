package dev.granary.cli.graph;

/** The end of its edges at which an adjacency list stands. Chunks contain the codes, which never change. */
enum Direction {
    /** The list's vertex is the source: what it depends on, recommends, breaks. */
    OUTGOING(0),
    /** The list's vertex is the target: what depends on it, recommends it, breaks it. */
    INCOMING(1);

    private final int code;

    Direction(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** The direction with this code, 0 or 1. */
    static Direction ofCode(int code) {
        return code == 0 ? OUTGOING : INCOMING;
    }
}
