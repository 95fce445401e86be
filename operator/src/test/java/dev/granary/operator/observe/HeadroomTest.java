package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Golden;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class HeadroomTest {
    private static StoragePeer peer(String name, long used, long capacity) {
        return new StoragePeer("0x8000", name, "live", 1, 1, 1, used, capacity, 1, "none", 0, 0, 1L, 0);
    }

    @Test
    void of_unevenPeers_theLargestIsTheOneThatGoes() {
        Headroom room = Headroom.of(List.of(peer("a", 100, 1000), peer("b", 700, 2000), peer("c", 100, 500)));
        assertThat(room).isEqualTo(new Headroom(900, 1500, "b"));
        assertThat(room.share()).isEqualTo(0.6);
    }

    @Test
    void share_nobodyElse_isZero() {
        assertThat(Headroom.of(List.of()).share()).isZero();
        assertThat(Headroom.of(List.of(peer("a", 100, 1000))).share()).isZero();
    }

    @Test
    void limit_alertOfPrometheus_hasTheSame() throws IOException {
        String alerts = Files.readString(Golden.repository().resolve("dashboards/alerts.yaml"));
        String noHeadroom = alerts.substring(alerts.indexOf("alert: GranaryNoHeadroom"));
        assertThat(noHeadroom.substring(0, noHeadroom.indexOf("labels:")))
                .contains(String.format(Locale.ROOT, "> %.2f", Headroom.LIMIT));
    }
}
