package dev.granary.storage.door.state;

/** Which clients are told by {@code MOVED} that another storage peer owns a key; all others are served all the same. */
public enum RedirectMode {
    /** Those that have asked which storage peer owns which slot. */
    AWARE,
    /** All. */
    ALWAYS,
    /** None. */
    NEVER
}
