package dev.granary.process;

/** From which level on a process logs. */
public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
}
