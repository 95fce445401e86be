package dev.granary.e2e.kubernetes;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The YAML files that the steps apply. */
final class Resources {

    /** The cluster under test: the form of the documentation, ten lines. */
    static final String SOCIAL = "social.yaml";
    /** A cluster that asks for an RDMA device. */
    static final String RDMA = "rdma.yaml";
    /** A cluster with TLS and users. */
    static final String SECURE = "secure.yaml";
    /** A Job that runs the command line inside the cluster. */
    static final String JOB = "job.yaml";
    /** Recorded reads and writes inside the cluster. */
    static final String LOAD = "load.yaml";

    /** A pod with the programs of the tests that is no client. */
    static final String STRANGER = "stranger.yaml";
    /** A volume, and a cluster backup on it. */
    static final String BACKUP = "backup.yaml";
    /** Another cluster, and the restore of the cluster backup into it. */
    static final String RESTORE = "restore.yaml";
    /** The clusters of the case alerts. */
    static final String ALERTS = "alerts.yaml";
    /** A backup or a schedule whose volume is not there. */
    static final String ALERT_BACKUPS = "alert-backups.yaml";
    /** A user of a cluster whose users are no GranaryUsers. */
    static final String ALERT_USER = "alert-user.yaml";
    /** A cluster whose super-peers find no node. */
    static final String ALERT_RING = "alert-ring.yaml";
    /** How Prometheus finds the pods. */
    static final String PROMETHEUS = "prometheus.yaml";

    private Resources() {}

    static String read(String name) throws IOException {
        try (InputStream in = Resources.class.getResourceAsStream("/" + name)) {
            if (in == null) {
                throw new IOException("no resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
