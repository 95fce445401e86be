package dev.granary.cli.graph;

/**
 * The kind of an edge between two packages. Chunks contain the codes (docs/formats/debian-graph.md), which never
 * change.
 */
public enum EdgeKind {
    /** The target is set up before the source is unpacked. */
    PRE_DEPENDS(0, "pre-depends on"),
    /** The source does not work without the target. */
    DEPENDS(1, "depends on"),
    /** The target belongs to the source in all but unusual installations. */
    RECOMMENDS(2, "recommends"),
    /** The target makes the source more useful. */
    SUGGESTS(3, "suggests"),
    /** The two are never unpacked together. */
    CONFLICTS(4, "conflicts with"),
    /** The source breaks the target, which is not set up beside it. */
    BREAKS(5, "breaks");

    private static final EdgeKind[] BY_CODE = values();

    private final int code;
    private final String verb;

    EdgeKind(int code, String verb) {
        this.code = code;
        this.verb = verb;
    }

    /** The number of kinds; all codes are smaller. */
    static int count() {
        return BY_CODE.length;
    }

    /** The kind with this code; throws {@link IndexOutOfBoundsException} when there is none. */
    static EdgeKind ofCode(int code) {
        return BY_CODE[code];
    }

    int code() {
        return code;
    }

    /** The words between the names of source and target in a sentence. */
    public String verb() {
        return verb;
    }
}
