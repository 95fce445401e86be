package dev.granary.storage.door.notice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndpointTypeTest {

    private static HostAddress door(String host) {
        return new HostAddress(host, 6379);
    }

    @Test
    void find_namesOfClients_areKnownInAnyCase() {
        assertThat(EndpointType.find("internal-ip")).isEqualTo(EndpointType.INTERNAL_IP);
        assertThat(EndpointType.find("EXTERNAL-FQDN")).isEqualTo(EndpointType.EXTERNAL_FQDN);
        assertThat(EndpointType.find("none")).isEqualTo(EndpointType.NONE);
        assertThat(EndpointType.find("ip")).isNull();
    }

    @Test
    void seen_clientInside_getsWhatIsAnnounced() {
        for (String host : List.of("10.1.2.3", "203.0.113.7", "storage-1.granary.shop.svc.cluster.local")) {
            assertThat(EndpointType.INTERNAL_IP.seen(door(host))).isEqualTo(door(host));
            assertThat(EndpointType.INTERNAL_FQDN.seen(door(host))).isEqualTo(door(host));
            assertThat(EndpointType.NONE.seen(door(host))).isNull();
        }
    }

    /** It would try for seconds to reach an address of a pod, while the one that it has dialled works. */
    @Test
    void seen_clientOutside_getsNothingThatMeansSomethingInsideOnly() {
        for (String host : List.of(
                "127.0.0.1",
                "10.1.2.3",
                "172.16.0.1",
                "172.31.9.9",
                "192.168.7.7",
                "169.254.1.1",
                "100.64.0.1",
                "100.127.0.1",
                "storage-1",
                "storage-1.granary.shop.svc",
                "storage-1.granary.shop.svc.cluster.local")) {
            assertThat(EndpointType.EXTERNAL_IP.seen(door(host))).as(host).isNull();
            assertThat(EndpointType.EXTERNAL_FQDN.seen(door(host))).as(host).isNull();
        }
        for (String host : List.of("203.0.113.7", "172.32.0.1", "100.128.0.1", "11.0.0.1", "redis-1.example.org")) {
            assertThat(EndpointType.EXTERNAL_IP.seen(door(host))).as(host).isEqualTo(door(host));
        }
    }

    @Test
    void seen_addressWithColons_isNotSentToClientsThatSplitAtColons() {
        assertThat(EndpointType.INTERNAL_IP.seen(door("fd00::7"))).isNull();
    }
}
