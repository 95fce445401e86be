package dev.granary.net;

import org.jspecify.annotations.Nullable;

/**
 * What TLS has proved about the other side of a connection (ADR 0329). Immutable.
 *
 * @param role what it may be
 * @param subject who it is, for people
 * @param problem why it may be nothing here at all, although a trusted CA knows it; null when it may
 */
public record Proof(Role role, String subject, @Nullable String problem) {

    /** Without TLS nothing is proved, and what the other side says is believed. */
    public static final Proof NONE = new Proof(Role.UNPROVED, "unproved", null);

    /** With TLS, of a side that has shown no certificate. */
    public static final Proof ANONYMOUS = new Proof(Role.CLIENT, "a caller without a certificate", null);

    /** Returns why it may not even be a client here; null when it may. Nodes and operators may be clients. */
    public @Nullable String problemAsClient() {
        if (problem != null) {
            return problem;
        }
        return role == Role.MONITOR ? "its certificate is for reading the pages of HTTP" : null;
    }

    /** What a certificate says that its owner is. */
    public enum Role {
        /** There is no TLS: nobody has proved anything. */
        UNPROVED,
        /** An application, or a person. */
        CLIENT,
        /** Who reads the pages of HTTP, and may do nothing else. */
        MONITOR,
        /** The operator of clusters. */
        OPERATOR,
        /** A super-peer. */
        SUPER_PEER,
        /** A storage peer. */
        STORAGE_PEER
    }
}
