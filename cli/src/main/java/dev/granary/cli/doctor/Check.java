package dev.granary.cli.doctor;

import java.util.List;
import java.util.function.Function;

/**
 * A question about a cluster: a pure function of what was seen.
 *
 * @param alert the alert of dashboards/alerts.yaml that asks the same, empty for none
 * @param level how bad it is when something is found; that of the alert
 * @param runbook the file in dashboards/runbooks, without its ending; empty for none
 * @param needs what must have been seen for an answer
 * @param well what is said when nothing is found
 * @param look finds what is wrong
 */
public record Check(
        String alert,
        Finding.Level level,
        String runbook,
        Needs needs,
        String well,
        Function<Evidence, List<Trouble>> look) {

    /** What a check looks at. */
    public enum Needs {
        STATUS("the status of the cluster"),
        STORAGE_METRICS("the metrics of storage peers"),
        ANY_METRICS("the metrics of a process"),
        RESOURCE("the Granary resource"),
        OPERATOR("the metrics of the operator");

        private final String text;

        Needs(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }

        boolean isThere(Evidence evidence) {
            return switch (this) {
                case STATUS -> !evidence.status().isMissingNode();
                case STORAGE_METRICS ->
                    evidence.processes(ProcessLook.Role.STORAGE_PEER).anyMatch(ProcessLook::isSeen);
                case ANY_METRICS -> evidence.processes().stream().anyMatch(ProcessLook::isSeen);
                case RESOURCE -> !evidence.resource().isMissingNode();
                case OPERATOR ->
                    evidence.processes(ProcessLook.Role.OPERATOR).findAny().isPresent();
            };
        }
    }
}
