/**
 * Node and chunk identifiers, the ring of super-peers, CID ranges and the tree that holds them: pure data structures.
 */
@org.jspecify.annotations.NullMarked
module dev.granary.overlay {
    requires static org.jspecify;
    requires transitive dev.granary.schema;

    exports dev.granary.overlay;
    exports dev.granary.overlay.name;
    exports dev.granary.overlay.tree;
}
