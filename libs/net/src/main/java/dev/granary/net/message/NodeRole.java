package dev.granary.net.message;

import dev.granary.schema.Coded;

/** What a node is. The codes are part of the protocol. */
public enum NodeRole implements Coded {
    CLIENT(0),
    SUPER_PEER(1),
    STORAGE_PEER(2);

    private final int code;

    NodeRole(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }
}
