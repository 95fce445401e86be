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
    public static final Map<String, String> UNSEEN = Map.ofEntries(
            Map.entry("GranaryOperatorNotReconciling", IN_KUBERNETES),
            Map.entry("GranaryOperatorFailing", IN_KUBERNETES),
            Map.entry("GranaryOperatorWithoutLeader", IN_KUBERNETES),
            Map.entry("GranaryDegraded", IN_KUBERNETES),
            Map.entry("GranaryUpdateRolledBack", IN_KUBERNETES),
            Map.entry("GranaryImageOutdated", IN_KUBERNETES),
            Map.entry("GranaryStopBlocked", IN_KUBERNETES),
            Map.entry("GranaryBackupFailed", IN_KUBERNETES),
            Map.entry("GranaryBackupTooOld", IN_KUBERNETES),
            Map.entry("GranaryUserNotReady", IN_KUBERNETES),
            Map.entry("GranaryLeaseFlapping", TAKES_A_HISTORY),
            Map.entry("GranaryClusterUnreachable", "without a super-peer there is no status: exit code 2 says so"));

    private ClusterChecks() {}
}
