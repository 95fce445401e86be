package dev.granary.net.message;

/** Why a request was refused as a whole. The codes are part of the protocol. */
public enum ErrorCode {
    /** A code that this version does not know: treated as a failure that must not be retried. */
    UNKNOWN(0, false),
    /** The request is malformed or does not belong here. */
    BAD_REQUEST(1, false),
    /** No common protocol version. */
    UNSUPPORTED_VERSION(2, false),
    /** The node belongs to another cluster. */
    WRONG_CLUSTER(3, false),
    /** Another node answers at this address. */
    WRONG_NODE(4, true),
    /** Another node is responsible; the reply names it. */
    REDIRECT(5, true),
    /** Not now; the reply says when. */
    RETRY_LATER(6, true),
    /** The storage peer holds no lease and serves nothing. */
    NO_LEASE(7, true),
    /** The super-peer knows no such lease: the peer must open one. */
    UNKNOWN_LEASE(8, false),
    /** The ring does not have all its super-peers yet. */
    RING_INCOMPLETE(9, true),
    /** The ring has all the super-peers that it was made for. */
    RING_FULL(10, false),
    /** The chunk memory is full. */
    OUT_OF_MEMORY(11, false),
    /** A retried request whose first outcome is no longer known. */
    UNKNOWN_OUTCOME(12, false),
    /** No such thing. */
    NOT_FOUND(13, false),
    /** A failure of the answering node. */
    INTERNAL(14, false),
    /** The node is stopping. */
    SHUTTING_DOWN(15, true),
    /** The request or a chunk in it is too large. */
    TOO_LARGE(16, false),
    /** The storage peer takes no new chunks: everything is leaving it. */
    DRAINING(17, false),
    /** The lease of this incarnation has ended and it gets no other: the storage peer may come back as a later one. */
    INCARNATION_ENDED(18, false),
    /** The caller may not do this: its role, or what it has proved about itself, does not allow it. */
    NOT_PERMITTED(19, false),
    /** The caller is no user, or its user is no more: it must log in. */
    NOT_AUTHENTICATED(20, false),
    /** The caller's user may not create chunks on this storage peer, and may on others. */
    OTHER_CREATOR(21, false);

    private static final ErrorCode[] BY_CODE = values();

    private final int code;
    private final boolean retryable;

    ErrorCode(int code, boolean retryable) {
        this.code = code;
        this.retryable = retryable;
    }

    public int code() {
        return code;
    }

    /** Whether the same request may succeed later or elsewhere. */
    public boolean isRetryable() {
        return retryable;
    }

    static ErrorCode of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : UNKNOWN;
    }
}
