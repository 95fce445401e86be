package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.plan.InvalidSpecException;
import dev.granary.operator.status.Failure;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailuresTest {
    private static KubernetesClientException error(int code) {
        return new KubernetesClientException(new StatusBuilder()
                .withCode(code)
                .withMessage("said the server")
                .build());
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 404, 409, 429, 500, 503})
    void isKeptBack_errorThatMayPass_onlyForSomeTries(int code) {
        assertThat(Failures.isKeptBack(error(code), 0)).isTrue();
        assertThat(Failures.isKeptBack(error(code), 4)).isTrue();
        assertThat(Failures.isKeptBack(error(code), 5)).isFalse();
        assertThat(Failures.of(error(code)).lasting()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 403, 422})
    void isKeptBack_refusal_isSaidAtOnce(int code) {
        assertThat(Failures.isKeptBack(error(code), 0)).isFalse();
        assertThat(Failures.of(error(code))).isEqualTo(new Failure("ReconcileFailed", "said the server", true));
    }

    /** The API server answers such a field with the code of an error of its own. */
    @Test
    void isKeptBack_fieldThatTheApiServerDoesNotKnow_isSaidAtOnce() {
        String said = "failed to create typed patch object (shop/social; apps/v1, Kind=StatefulSet): .spec.template.a:"
                + " field not declared in schema";
        Exception error = new KubernetesClientException(
                new StatusBuilder().withCode(500).withMessage(said).build());
        assertThat(Failures.isKeptBack(error, 0)).isFalse();
        assertThat(Failures.of(error)).isEqualTo(new Failure("ReconcileFailed", said, true));
    }

    @Test
    void isKeptBack_noConnection_mayPass() {
        Exception error = new KubernetesClientException("no route", new IOException("no route"));
        assertThat(Failures.isKeptBack(error, 0)).isTrue();
        assertThat(Failures.of(error)).isEqualTo(new Failure("ReconcileFailed", "no route", false));
    }

    @Test
    void of_specThatOnlyItsAuthorCanMend_lasts() {
        assertThat(Failures.of(new InvalidSpecException("no such level")))
                .isEqualTo(new Failure("InvalidSpec", "no such level", true));
        assertThat(Failures.of(new NameTakenException("taken"))).isEqualTo(new Failure("NameTaken", "taken", true));
        assertThat(Failures.isKeptBack(new IllegalStateException("a bug"), 0)).isFalse();
    }
}
