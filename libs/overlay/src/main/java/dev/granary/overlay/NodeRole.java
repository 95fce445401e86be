package dev.granary.overlay;

/** What a node does. Its NID shows it: see {@link Nid#role}. */
public enum NodeRole {
    /** Owns chunks. Even NIDs. */
    STORAGE_PEER,
    /** Knows who owns what, and watches the storage peers. Odd NIDs. */
    SUPER_PEER
}
