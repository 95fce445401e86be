package dev.granary.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.doctor.Diagnosis;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.ProcessLook.Role;
import dev.granary.cli.doctor.Samples;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class UserChecksTest {

    private static String ready(String namespace, String granary, String name, int value) {
        return "granary_operator_user_condition{namespace=\"" + namespace + "\",name=\"" + name + "\",granary=\""
                + granary + "\",type=\"Ready\",} " + value + "\n";
    }

    private static List<Finding> wrong(String metrics) {
        Samples samples = Samples.parse(metrics);
        Evidence evidence = new Evidence(
                MissingNode.getInstance(),
                List.of(ProcessLook.of(Role.OPERATOR, "", "operator-0", samples, samples)),
                Json.parse("a Granary", "{\"metadata\": {\"namespace\": \"n\", \"name\": \"g\"}}"),
                List.of(),
                Instant.ofEpochSecond(100_000_000));
        return Diagnosis.make(UserChecks.ALL, evidence).findings().stream()
                .filter(finding -> finding.level().isWrong())
                .toList();
    }

    @Test
    void examine_userIsNotReady_isNamedWithTheCommandThatSaysWhy() {
        assertThat(wrong(ready("n", "g", "app", 0) + ready("n", "g", "good", 1)))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.alert()).isEqualTo("GranaryUserNotReady");
                    assertThat(finding.what()).isEqualTo("GranaryUser app is not in force");
                    assertThat(finding.advice()).isEqualTo("kubectl describe granaryuser app");
                });
    }

    @Test
    void examine_usersOfOtherClusters_areNotItsOwn() {
        assertThat(wrong(ready("n", "other", "app", 0) + ready("other", "g", "app", 0)))
                .isEmpty();
    }
}
