package dev.granary.simulation.big;

import java.util.Locale;

/** The messages between a super-peer and others. */
public enum MessageKind {
    /** A storage peer renews its lease: request and reply. */
    RENEWAL,
    /** Somebody asks for the owner of a chunk: request and reply. */
    LOOKUP,
    /** The ring, sent to somebody who knows an older one. */
    RING,
    /** Heartbeats and entries of Raft groups, with their answers. */
    RAFT,
    /** Metadata of an arc, copied to another super-peer. */
    METADATA;

    /** The name as figures show it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
