package dev.granary.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.granary.e2e.kubernetes.program.Formats;
import org.junit.jupiter.api.Test;

class AlertWatchTest {

    private static ArrayNode series(int count) {
        ArrayNode series = Formats.JSON.createArrayNode();
        for (int i = 0; i < count; i++) {
            ObjectNode one = series.addObject();
            one.putObject("metric").put("pod", "storage-" + i);
            one.putArray("value").add(1.5).add("0.97");
        }
        return series;
    }

    @Test
    void shown_fewSeries_areShownWithValueAndLabels() {
        assertThat(AlertWatch.shown(series(1))).isEqualTo("    0.97 of {\"pod\":\"storage-0\"}\n");
    }

    @Test
    void shown_manySeries_areCutAndCounted() {
        assertThat(AlertWatch.shown(series(11)).lines()).hasSize(9).last().isEqualTo("    and 3 more");
    }

    @Test
    void shown_noSeries_isSaid() {
        assertThat(AlertWatch.shown(series(0))).isEqualTo("    no series\n");
    }
}
