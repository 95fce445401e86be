package dev.granary.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AlertResultTest {

    private static final List<AlertResult> RESULTS = List.of(
            new AlertResult("Seen", "a node is off", 12.34, 5.0, null),
            new AlertResult("Silent", "a disk is full", null, 0.0, null),
            AlertResult.notProvoked("Spared", "nothing is known"));

    @Test
    void table_ofAllKinds_tellsEachAndCounts() {
        assertThat(AlertResult.table(RESULTS).lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "alert fired, s went, s fault",
                        "Seen 12.3 5.0 a node is off",
                        "Silent - 0.0 a disk is full",
                        "Spared - - not provoked: nothing is known",
                        "1 alerts fired and went, 1 did not, 1 were not provoked");
    }

    @Test
    void countNotProvoked_ofAllKinds_countsThoseAlone() {
        assertThat(AlertResult.countNotProvoked(RESULTS)).isEqualTo(1);
    }
}
