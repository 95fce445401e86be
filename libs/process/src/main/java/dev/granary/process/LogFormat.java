package dev.granary.process;

/** How log lines are written. */
public enum LogFormat {
    /** For people at a terminal. */
    TEXT,
    /** One JSON object a line, for collectors. */
    JSON
}
