package dev.granary.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.plan.TemplateHistory.Rendered;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TemplateHistoryTest {
    private static final Rendered GOOD = new Rendered("good", "image:1", "{}");
    private static final TemplateHistory TRYING = new TemplateHistory(new Rendered("new", "image:2", "{}"), GOOD, null);

    private static final PodTemplateSpec FRESH = new PodTemplateSpecBuilder()
            .withNewSpec()
            .addNewContainer()
            .withImage("image:2")
            .endContainer()
            .endSpec()
            .build();

    private static @Nullable String inputs(TemplateHistory history) {
        return history.rendered() == null ? null : history.rendered().inputs();
    }

    @Test
    void wanting_rejectedInputs_areNotTriedAgain() {
        TemplateHistory rejected = TRYING.failed(null);
        assertThat(inputs(rejected.wanting("new", null, FRESH))).isEqualTo("good");
        assertThat(inputs(rejected.wanting("other", null, FRESH))).isEqualTo("other");
    }

    @Test
    void wanting_rejectedInputsAndAPersonAsks_areTriedOnceForEachValue() {
        TemplateHistory again = TRYING.failed(null).wanting("new", "one", FRESH);
        assertThat(inputs(again)).isEqualTo("new");
        assertThat(again.isRolledBack()).isFalse();
        TemplateHistory rejected = again.failed("one");
        assertThat(inputs(rejected.wanting("new", "one", FRESH))).isEqualTo("good");
        assertThat(inputs(rejected.wanting("new", "two", FRESH))).isEqualTo("new");
    }

    @Test
    void wanting_annotationIsTakenAway_isNoOtherTry() {
        TemplateHistory rejected = TRYING.failed("one");
        assertThat(inputs(rejected.wanting("new", null, FRESH))).isEqualTo("good");
    }
}
