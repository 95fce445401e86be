package dev.granary.process;

/** How a process talks to the network. */
public enum TransportKind {
    /** Epoll where the platform has it, otherwise NIO. */
    AUTO,
    EPOLL,
    NIO
}
