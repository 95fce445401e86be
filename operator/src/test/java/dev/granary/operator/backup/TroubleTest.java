package dev.granary.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TroubleTest {
    private static KubernetesClientException answer(int code, String message) {
        return new KubernetesClientException(
                "Failure executing: POST at https://10.0.0.1/apis",
                code,
                new StatusBuilder().withCode(code).withMessage(message).build());
    }

    @ParameterizedTest
    @CsvSource({
        "422, Refused, false",
        "400, Refused, false",
        "403, Forbidden, false",
        "404, ReconcileFailed, false",
        "409, ReconcileFailed, true",
        "429, ReconcileFailed, true",
        "500, ReconcileFailed, true",
        "503, ReconcileFailed, true"
    })
    void of_answerOfTheServer_hasAReasonAndSaysWhetherItPasses(int code, String reason, boolean passing) {
        Trouble trouble = Trouble.of(answer(code, "why"));
        assertThat(trouble.reason()).isEqualTo(reason);
        assertThat(trouble.passing()).isEqualTo(passing);
        assertThat(trouble.message()).contains("why").doesNotContain("https://");
    }

    @Test
    void of_noAnswer_passes() {
        Trouble trouble = Trouble.of(new KubernetesClientException("connection refused"));
        assertThat(trouble).isEqualTo(new Trouble("ReconcileFailed", "connection refused", true));
    }

    @Test
    void of_errorOfTheOperator_doesNotPass() {
        assertThat(Trouble.of(new IllegalStateException()))
                .isEqualTo(new Trouble("ReconcileFailed", "IllegalStateException", false));
    }
}
