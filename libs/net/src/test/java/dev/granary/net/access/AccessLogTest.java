package dev.granary.net.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.ManualTime;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.overlay.HostAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AccessLogTest {

    private static final HostAddress FROM = new HostAddress("192.0.2.7", 40_000);
    private static final Hello PEER = new Hello(1, 1, new UUID(0, 0), NodeRole.STORAGE_PEER, 0x8000, 5, 0);

    private final ManualTime time = new ManualTime();
    private final List<String> lines = new ArrayList<>();
    private final AccessLog log = new AccessLog(time, lines::add);

    @Test
    void deniedRequest_once_saysWhoAskedForWhatFromWhere() {
        log.deniedRequest(PEER, FROM, MessageType.RAFT.code());
        assertThat(lines)
                .containsExactly(
                        "denied 'raft' to storage peer 0x8000 at 192.0.2.7:40000: only [super-peers] may send it");
        assertThat(log.counts()).isEqualTo(Map.of("role", 1L, "port", 0L, "proof", 0L, "user", 0L));
    }

    @Test
    void deniedCaller_once_isCountedApart() {
        log.deniedCaller(PEER, FROM, "it is a stranger");
        assertThat(lines).containsExactly("refused storage peer 0x8000 at 192.0.2.7:40000: it is a stranger");
        assertThat(log.counts()).isEqualTo(Map.of("role", 0L, "port", 0L, "proof", 1L, "user", 0L));
    }

    @Test
    void deniedPort_once_isCountedApart() {
        log.deniedPort(PEER, FROM, "it belongs to port 7600");
        assertThat(lines)
                .containsExactly("denied a request to storage peer 0x8000 at 192.0.2.7:40000: it belongs to port 7600");
        assertThat(log.counts()).isEqualTo(Map.of("role", 0L, "port", 1L, "proof", 0L, "user", 0L));
    }

    @Test
    void deniedRequest_manyInAPeriod_areCountedAndAFewAreLogged() {
        for (int i = 0; i < 1_000; i++) {
            log.deniedRequest(PEER, FROM, MessageType.RAFT.code());
        }
        assertThat(lines).hasSize(AccessLog.LINES);
        assertThat(log.counts()).containsEntry("role", 1_000L);
        time.advance(AccessLog.PERIOD_NANOS);
        log.deniedRequest(PEER, FROM, MessageType.RAFT.code());
        assertThat(lines).hasSize(AccessLog.LINES + 2);
        assertThat(lines.get(AccessLog.LINES)).startsWith("990 more denials");
    }
}
