package dev.granary.process;

/** The lowest level that a process logs. */
public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
}
