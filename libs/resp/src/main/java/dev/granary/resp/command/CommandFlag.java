package dev.granary.resp.command;

import java.util.Locale;

/** What a command does and when it may run, in the order in which Redis tells it. */
public enum CommandFlag {
    WRITE,
    READONLY,
    DENYOOM,
    MODULE,
    ADMIN,
    PUBSUB,
    NOSCRIPT,
    BLOCKING,
    LOADING,
    STALE,
    SKIP_MONITOR,
    SKIP_SLOWLOG,
    ASKING,
    FAST,
    NO_AUTH,
    NO_MANDATORY_KEYS,
    NO_ASYNC_LOADING,
    NO_MULTI,
    MOVABLEKEYS,
    ALLOW_BUSY;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns Redis's word for it. */
    public String word() {
        return word;
    }
}
