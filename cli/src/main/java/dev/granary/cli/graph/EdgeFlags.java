package dev.granary.cli.graph;

/**
 * What is known of an edge beside its kind: one byte, written into chunks (docs/formats/debian-graph.md). Where a
 * package names another one more than once in a field, the edge carries a flag only when each of the terms does.
 */
final class EdgeFlags {

    /** One of several alternatives: any of them would do. */
    static final byte ALTERNATIVE = 1;

    /** The field names a virtual package that the target provides. */
    static final byte PROVIDED = 2;

    /** The field speaks of versions of the target that are not the one in the snapshot: nothing follows from it now. */
    static final byte OTHER_VERSION = 4;

    private EdgeFlags() {}

    /** Whether the edge says something about the versions in the snapshot. */
    static boolean inForce(byte flags) {
        return (flags & OTHER_VERSION) == 0;
    }
}
