package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.granary.operator.observe.ClusterObserver.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpClusterObserverTest {
    private static final String STATUS = """
            {"clusterId":"0f8f","version":"0.1.0","ring":{"epoch":4,"size":1,"expectedSize":1,"complete":true,
             "superPeers":[{"nid":"0x0001","name":"sp","address":"h:1","httpAddress":"h:2","reachable":true,"leader":true}]},
             "storagePeers":[{"nid":"0x8000","name":"social-storage-0","address":"h:3","httpAddress":"h:4","state":"expired",
               "leaseRemainingMillis":1,"epoch":1,"chunks":5,"payloadBytes":1,"bookkeepingBytes":1,"usedBytes":1,
               "capacityBytes":1,"lostLidsBelow":6,"zones":2,"copies":5}],
             "zones":{"inSync":7,"degraded":1,"recovering":1,"lost":0,"recovered":3,"recoveries":[{"zone":"0x8000/1","epoch":4,
               "candidate":"","waitingFor":"0x8004 0x8002","chunks":0,"bytes":0,"ageMillis":7,"note":""}]},
             "totals":{"superPeers":1,"storagePeers":1,"livePeers":0,"ranges":1,"chunks":5,"payloadBytes":50,
               "bookkeepingBytes":45,"usedBytes":95,"capacityBytes":1000}}
            """;

    private HttpServer server;
    private volatile String body = STATUS;
    private volatile int code = 200;

    HttpClusterObserverTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    @BeforeEach
    void start() {
        server.createContext("/status", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(code, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void observe_statusOfTheContract_isRead() {
        assertThat(observe("127.0.0.1")).isInstanceOfSatisfying(Answer.Seen.class, seen -> {
            assertThat(seen.view().clusterId()).isEqualTo("0f8f");
            assertThat(seen.view().ring().complete()).isTrue();
            assertThat(seen.view().totals().chunks()).isEqualTo(5);
            assertThat(seen.view().storagePeers()).singleElement().satisfies(peer -> {
                assertThat(peer.live()).isFalse();
                assertThat(peer.lostLidsBelow()).isEqualTo(6);
                assertThat(peer.copies()).isEqualTo(5);
            });
            ClusterView.Zones zones = Objects.requireNonNull(seen.view().zones());
            assertThat(zones.degraded()).isEqualTo(1);
            assertThat(zones.waitsFor()).containsExactly("0x8002", "0x8004");
        });
    }

    @Test
    void observe_superPeerWithoutCluster_hasNoClusterId() {
        body = STATUS.replace("0f8f", "");
        assertThat(observe("127.0.0.1")).isInstanceOfSatisfying(Answer.Seen.class, seen -> assertThat(
                        seen.view().clusterId())
                .isNull());
    }

    @Test
    void observe_firstDoesNotAnswer_asksTheNext() {
        assertThat(observe("127.0.0.2", "127.0.0.1")).isInstanceOf(Answer.Seen.class);
    }

    @Test
    void observe_notReadyYet_saysWhatCameBack() {
        code = 503;
        assertThat(observe("127.0.0.1"))
                .isInstanceOfSatisfying(Answer.Unreachable.class, answer -> assertThat(answer.reason())
                        .contains("503"));
    }

    @Test
    void observe_noStatusButSomethingElse_isUnreachable() {
        body = "{\"hello\": 1}";
        assertThat(observe("127.0.0.1")).isInstanceOf(Answer.Unreachable.class);
        body = "hello";
        assertThat(observe("127.0.0.1")).isInstanceOf(Answer.Unreachable.class);
    }

    @Test
    void observe_noAddresses_saysSo() {
        assertThat(observe()).isEqualTo(new Answer.Unreachable("no super-peer has an address yet"));
    }

    private Answer observe(String... hosts) {
        try (HttpClusterObserver observer =
                new HttpClusterObserver(server.getAddress().getPort())) {
            return observer.observe(HttpPlaces.plain(List.of(hosts)));
        }
    }
}
