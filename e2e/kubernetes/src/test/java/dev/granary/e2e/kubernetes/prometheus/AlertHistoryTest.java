package dev.granary.e2e.kubernetes.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.kubernetes.prometheus.AlertHistory.Firing;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AlertHistoryTest {

    private static final Firing FULL = new Firing("Full", Map.of("granary", "social", "pod", "social-storage-0"));
    private static final Firing OTHER = new Firing("Full", Map.of("name", "lonely"));

    private final AlertHistory history = new AlertHistory();

    private void observe(int second, Firing... firing) {
        history.observe(at(second), Set.of(firing));
    }

    private static Instant at(int second) {
        return Instant.ofEpochSecond(second);
    }

    @Test
    void firedFrom_alertThatBeginsLater_isThatMoment() {
        observe(1);
        observe(5, FULL);
        observe(9);

        assertThat(history.firedFrom("Full", "social", at(2))).contains(at(5));
        assertThat(history.firedFrom("Full", "social", at(10))).isEmpty();
    }

    @Test
    void firedFrom_alertThatFiresAlready_isTheMomentAskedFor() {
        observe(1, FULL);

        assertThat(history.firedFrom("Full", "social", at(3))).contains(at(3));
    }

    @Test
    void firedFrom_alertAboutAnotherResource_isNone() {
        observe(1, OTHER);

        assertThat(history.firedFrom("Full", "social", at(1))).isEmpty();
        assertThat(history.firedFrom("Full", "lonely", at(1))).contains(at(1));
        assertThat(history.firedFrom("Full", "", at(1))).contains(at(1));
    }

    @Test
    void goneFrom_alertThatEndsAndComesBack_isItsFirstEnd() {
        observe(1, FULL);
        observe(4);
        observe(6, FULL);
        observe(8);

        assertThat(history.goneFrom("Full", "social", at(2))).contains(at(4));
        assertThat(history.goneFrom("Full", "social", at(7))).contains(at(8));
    }

    @Test
    void goneFrom_alertThatStillFires_isNone() {
        observe(1, FULL);

        assertThat(history.goneFrom("Full", "social", at(2))).isEmpty();
    }

    @Test
    void without_resources_leavesWhatIsAboutOthers() {
        observe(1, FULL, OTHER);

        assertThat(AlertHistory.without(history.now(), Set.of("lonely"))).containsExactly(FULL);
    }
}
