package dev.granary.net.message;

import dev.granary.net.FrameException;

/** What a node is. The codes are part of the protocol. */
public enum NodeRole {
    CLIENT(0),
    SUPER_PEER(1),
    STORAGE_PEER(2);

    private final int code;

    NodeRole(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    static NodeRole of(int code) {
        return switch (code) {
            case 0 -> CLIENT;
            case 1 -> SUPER_PEER;
            case 2 -> STORAGE_PEER;
            default -> throw new FrameException("node role " + code + " is unknown");
        };
    }
}
