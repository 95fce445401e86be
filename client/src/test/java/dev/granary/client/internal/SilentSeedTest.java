package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.overlay.Cid;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One address that stands for several super-peers, as a Kubernetes Service does, while one of them has lost its power:
 * what is sent to it disappears.
 */
@Timeout(60)
class SilentSeedTest {

    /** Shorter than a connection may take until it is given up. */
    private static final Duration DEADLINE = Duration.ofSeconds(3);

    @AutoClose
    private final SocketCluster cluster = new SocketCluster();

    @AutoClose
    private final Cable service = new Cable(cluster.superPeer());

    SilentSeedTest() throws Exception {}

    private GranaryClient connect() {
        return GranaryClient.connect(ClientOptions.builder()
                .addresses(List.of(service.address().toString()))
                .deadline(DEADLINE)
                .build());
    }

    @Test
    void connect_firstConnectionIsSilent_anotherOneIsOpenedBeside() {
        long cid = Cid.of(SocketCluster.STORAGE_NID, 1);
        cluster.store(cid, new byte[] {42});
        service.swallow(1);

        try (GranaryClient client = connect()) {
            assertThat(client.get(cid)).containsExactly(42);
        }
    }

    @Test
    void connect_allConnectionsAreSilent_failsAtTheDeadline() {
        service.swallow(100);

        assertThatThrownBy(this::connect)
                .isInstanceOf(GranaryException.class)
                .hasMessageContaining(service.address().toString());
    }
}
