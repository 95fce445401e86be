package dev.granary.cli.doctor;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All that {@code granary doctor} looks at, and what it cannot see. */
public final class ClusterChecks {

    /** The checks of what super-peers and storage peers tell. */
    public static final List<Check> ALL = Stream.of(StatusChecks.ALL, MetricChecks.ALL, LoadChecks.ALL)
            .flatMap(List::stream)
            .toList();

    /** The reason why no doctor sees an alert. */
    public static final String TAKES_A_HISTORY =
            "it counts changes over time; a look shows only what is so now, such as GranaryStoragePeerWithoutLease";

    private static final String IN_KUBERNETES = "only the operator knows; 'kubectl granary doctor' looks";

    /** Alerts of dashboards/alerts.yaml that nobody can see from super-peers and storage peers, with the reason. */
    public static final Map<String, String> UNSEEN = Map.of(
            "GranaryOperatorNotReconciling", IN_KUBERNETES,
            "GranaryOperatorFailing", IN_KUBERNETES,
            "GranaryOperatorWithoutLeader", IN_KUBERNETES,
            "GranaryDegraded", IN_KUBERNETES,
            "GranaryUpdateRolledBack", IN_KUBERNETES,
            "GranaryStopBlocked", IN_KUBERNETES,
            "GranaryBackupFailed", IN_KUBERNETES,
            "GranaryBackupTooOld", IN_KUBERNETES,
            "GranaryLeaseFlapping", TAKES_A_HISTORY,
            "GranaryClusterUnreachable", "without a super-peer there is no status: exit code 2 says so");

    private ClusterChecks() {}
}
