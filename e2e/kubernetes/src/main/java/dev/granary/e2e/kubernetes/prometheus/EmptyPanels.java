package dev.granary.e2e.kubernetes.prometheus;

import java.util.List;

/** The panels of dashboards that show nothing on the cluster of the default steps, and why. */
public final class EmptyPanels {

    /**
     * A panel that shows nothing.
     *
     * @param dashboard its file
     * @param title the panel's
     * @param column of a table, the metric of the column that is empty; otherwise empty itself
     * @param reason what the cluster does not have
     * @param atTheEnd whether it is empty after the faults, too
     */
    record Panel(String dashboard, String title, String column, String reason, boolean atTheEnd) {

        Panel(String dashboard, String title, String reason, boolean atTheEnd) {
            this(dashboard, title, "", reason, atTheEnd);
        }

        /** Where queries of the panel say that they are. */
        String place() {
            return DashboardQueries.place(dashboard, title);
        }
    }

    static final List<Panel> ALL = List.of(
            new Panel(
                    "granary-fleet.json",
                    "Clusters",
                    "granary_operator_backup_last_success_timestamp_seconds",
                    "a schedule's first backup would be at night",
                    false),
            new Panel("granary-replication.json", "Time without an owner", "no zone has been without an owner", false),
            new Panel(
                    "granary-operator.json",
                    "Age of the last backup",
                    "a schedule's first backup would be at night",
                    true),
            new Panel("granary-operator.json", "Backups that failed", "there is no backup yet", false),
            new Panel("granary-operator.json", "Reconciles of backups", "there is no backup yet", false),
            new Panel("granary-operator.json", "Users in force", "there is no GranaryUser", true),
            new Panel("granary-cluster.json", "Certificates", "there is no TLS", true),
            new Panel("granary-cluster.json", "Changed files of TLS", "there is no TLS", true),
            new Panel("granary-cluster.json", "Revoked certificates", "there is no TLS", true),
            new Panel("granary-cluster.json", "Next revocation list", "there is no TLS", true));

    private EmptyPanels() {}

    /** Returns whether a query may find nothing while there has been no fault. */
    public static boolean mayBeEmpty(DashboardQueries.Query query) {
        return ALL.stream()
                .anyMatch(panel -> panel.place().equals(query.place())
                        && query.expression().contains(panel.column()));
    }

    /** Returns whether the panel of this title shows nothing even after the faults. */
    public static boolean isEmptyAtTheEnd(String title) {
        return ALL.stream().anyMatch(panel -> panel.atTheEnd() && panel.title().equals(title));
    }
}
