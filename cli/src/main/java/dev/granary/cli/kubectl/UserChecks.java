package dev.granary.cli.kubectl;

import dev.granary.cli.doctor.Check;
import dev.granary.cli.doctor.Check.Needs;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding.Level;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.Trouble;
import java.util.List;

/** The check of the users of a cluster's doors, by the metrics of the operator. */
final class UserChecks {

    private static final String CONDITION = "granary_operator_user_condition";

    static final List<Check> ALL = List.of(new Check(
            "GranaryUserNotReady",
            Level.WARNING,
            "GranaryUserNotReady",
            Needs.OPERATOR,
            "every GranaryUser of the cluster is in force",
            UserChecks::notReady));

    private UserChecks() {}

    private static List<Trouble> notReady(Evidence evidence) {
        String namespace = evidence.resource().at("/metadata/namespace").asText();
        String granary = evidence.resource().at("/metadata/name").asText();
        return evidence.processes().stream()
                .filter(process -> process.role() == ProcessLook.Role.OPERATOR)
                .flatMap(process -> process.now().of(CONDITION))
                .filter(sample -> sample.label("namespace").equals(namespace)
                        && sample.label("granary").equals(granary)
                        && sample.label("type").equals("Ready")
                        && sample.value() == 0)
                .map(sample -> Trouble.of(
                        sample.label("name"),
                        "GranaryUser " + sample.label("name") + " is not in force",
                        "kubectl describe granaryuser " + sample.label("name")))
                .distinct()
                .toList();
    }
}
