package dev.granary.operator.certificate;

import java.util.List;

/** Whose certificate it is: what the certificate says, and where its Secret is. */
public enum Role {
    /** The super-peers of a cluster share one. */
    SUPER_PEER("super-peer"),
    /** The storage peers of a cluster share one. */
    STORAGE("storage"),
    /** The operator, and the Jobs that back the cluster up. */
    OPERATOR("operator"),
    /** Applications that mount the Secret. */
    CLIENT("client"),
    /** Who reads the HTTP ports, such as Prometheus, where they have TLS. */
    MONITOR("monitor");

    /** Those that a cluster cannot do without. */
    static final List<Role> NEEDED = List.of(SUPER_PEER, STORAGE, OPERATOR);

    private final String text;

    Role(String text) {
        this.text = text;
    }

    /** Returns the word for it in certificates, and in the names of Secrets. */
    public String text() {
        return text;
    }
}
