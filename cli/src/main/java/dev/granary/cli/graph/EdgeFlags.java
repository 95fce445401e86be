package dev.granary.cli.graph;

/**
 * The properties of an edge beside its kind, as one byte in chunks (docs/formats/debian-graph.md). Where a package
 * names another one more than once in a field, the edge has a flag only if each of the terms has it.
 */
final class EdgeFlags {

    /** The package needs one of several others, and this is one of them. */
    static final byte ALTERNATIVE = 1;

    /** The field names a virtual package that the target provides. */
    static final byte PROVIDED = 2;

    /** The field concerns other versions of the target than the snapshot's: the edge has no effect now. */
    static final byte OTHER_VERSION = 4;

    private EdgeFlags() {}

    /** Whether the edge concerns the versions in the snapshot. */
    static boolean inForce(byte flags) {
        return (flags & OTHER_VERSION) == 0;
    }
}
