package dev.granary.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.plan.SecretPlan.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The phases in which a secret changes, and their record. */
class SecretPlanTest {
    private static final SecretPlan ASKED = new SecretPlan(0, Phase.STEADY, null, "now");

    private static SecretPlan secret(@Nullable String wish, Existing existing) {
        Granary granary = Samples.granary("social", "{}");
        if (wish != null) {
            granary.getMetadata().setAnnotations(Map.of(Names.CHANGE_SECRET_ANNOTATION, wish));
        }
        return Objects.requireNonNull(
                new Planner(Samples.DEFAULTS).plan(granary, existing).secret());
    }

    private static Existing running(@Nullable String record) {
        TemplateHistory history = new TemplateHistory(new TemplateHistory.Rendered("x", "i:1", "{}"), null, null);
        Existing.Role role = new Existing.Role(1, "1Gi", history);
        return new Existing(role, role, null, Existing.Devices.UNKNOWN, "id", false, record, false, null);
    }

    @Test
    void next_wholeChange_hasThreeFilesAndEndsWithTheLast() {
        List<Integer> files = new ArrayList<>();
        List<Phase> phases = new ArrayList<>();
        SecretPlan secret = ASKED;
        while (secret.isChanging()) {
            secret = secret.next();
            files.add(secret.file());
            phases.add(secret.phase());
        }
        assertThat(files).containsExactly(1, 2, 3, 3);
        assertThat(phases).containsExactly(Phase.ACCEPTING, Phase.PROVING, Phase.ENDING, Phase.STEADY);
        assertThat(secret.number()).isOne();
        assertThat(secret.asked()).isEqualTo("now");
        assertThat(new SecretPlan(1, Phase.STEADY, "now", "again").next().file())
                .isEqualTo(4);
    }

    @Test
    void next_anotherWishDuringAChange_waitsForItsEnd() {
        SecretPlan accepting = new SecretPlan(0, Phase.ACCEPTING, "first", "second");
        SecretPlan steady = accepting.next().next().next();
        assertThat(steady.phase()).isEqualTo(Phase.STEADY);
        assertThat(steady.isChanging()).isTrue();
        assertThat(steady.next().asked()).isEqualTo("second");
    }

    @Test
    void plan_clusterThatIsNew_doesNotChangeItsSecretForAWishThatIsAsOld() {
        assertThat(secret("now", Existing.NOTHING).isChanging()).isFalse();
        assertThat(secret("now", Existing.NOTHING).toRecord()).isEqualTo("0 Steady now");
        assertThat(secret(null, Existing.NOTHING).isInitial()).isTrue();
    }

    @Test
    void plan_clusterThatRuns_followsEachWishOnce() {
        assertThat(secret("now", running(null)).isChanging()).isTrue();
        assertThat(secret("now", running("1 Steady now")).isChanging()).isFalse();
        assertThat(secret(null, running("1 Steady now")).isChanging()).isFalse();
        assertThat(secret("again", running("1 Steady now")).isChanging()).isTrue();
        assertThat(secret(null, running("1 Proving now")).isChanging()).isTrue();
    }

    @Test
    void of_record_isReadAsItWasWritten() {
        for (Phase phase : Phase.values()) {
            for (String asked : new String[] {null, "", "two words\nand a line"}) {
                SecretPlan written = new SecretPlan(7, phase, asked, null);
                assertThat(SecretPlan.of(written.toRecord(), null, true)).isEqualTo(written);
            }
        }
    }

    @Test
    void of_recordOfSomebodyElse_isRefused() {
        for (String record : List.of("", "x", "1", "1 Sleeping", "-1 Steady", "123456789 Steady")) {
            assertThatThrownBy(() -> SecretPlan.of(record, null, true))
                    .as(record)
                    .isInstanceOf(InvalidSpecException.class)
                    .hasMessageContaining(Names.SECRET_ANNOTATION);
        }
    }

    @Test
    void further_recordsOfTwoStatefulSets_theLaterPhaseCounts() {
        assertThat(SecretPlan.further("0 Proving a", "0 Accepting a")).isEqualTo("0 Proving a");
        assertThat(SecretPlan.further("0 Ending a", "1 Steady a")).isEqualTo("1 Steady a");
        assertThat(SecretPlan.further(null, "1 Steady a")).isEqualTo("1 Steady a");
        assertThat(SecretPlan.further("1 Steady a", null)).isEqualTo("1 Steady a");
        assertThat(SecretPlan.further(null, null)).isNull();
    }
}
