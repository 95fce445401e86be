package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.cluster.LocalTls;
import dev.granary.client.ClientTls;
import dev.granary.env.SystemClock;
import dev.granary.net.access.PageReaders;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpGate;
import dev.granary.process.HttpPort;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages of an {@link HttpPort} with the certificates that {@code granary up --tls} makes, read as commands do. */
class NodePagesTest implements HttpContent {

    private static final HostAddress ANY_PORT = new HostAddress("127.0.0.1", 0);

    /** It takes seconds to make certificates. */
    @TempDir
    private static Path folder = Path.of("");

    private @Nullable TlsContexts tls;

    private @Nullable HttpPort port;

    @Override
    public Optional<String> notReadyReason() {
        return Optional.empty();
    }

    @Override
    public String statusJson() {
        return "{}";
    }

    @Override
    public CollectorRegistry metrics() {
        return new CollectorRegistry();
    }

    @AfterEach
    void close() {
        if (port != null) {
            port.close();
        }
        if (tls != null) {
            tls.close();
        }
    }

    @BeforeAll
    static void makeCertificates() {
        LocalTls.make(folder);
    }

    @BeforeEach
    void open() throws Exception {
        TlsContexts opened = TlsContexts.open(TlsSettings.ofDirectory(ofNodes()), new SystemClock());
        tls = opened;
        port = HttpPort.open(
                ANY_PORT,
                this,
                Map.of(),
                HttpGate.of(
                        opened,
                        (user, password, page, client) -> CompletableFuture.completedFuture(
                                password.equals("right") ? PageReaders.Outcome.YES : PageReaders.Outcome.WRONG),
                        new SystemClock()));
    }

    private static Path ofNodes() {
        return folder.resolve("tls").resolve("storage-node");
    }

    private String read(@Nullable ClientTls files, @Nullable Login login) throws IOException {
        return NodePages.of(files, () -> login).read("127.0.0.1:" + (port == null ? 0 : port.port()), "/status");
    }

    @Test
    void read_certificateOfANodeOrPassword_showsThePage() throws IOException {
        ClientTls client = ClientTls.ofDirectory(LocalTls.clientDirectory(folder));
        assertThat(read(ClientTls.ofDirectory(ofNodes()), null)).isEqualTo("{}\n");
        assertThat(read(client, new Login("people", "right"))).isEqualTo("{}\n");
        assertThat(read(ClientTls.ofCa(client.ca()), new Login("people", "right")))
                .isEqualTo("{}\n");
    }

    @Test
    void read_whoMayNot_isToldWhatToDo() {
        ClientTls client = ClientTls.ofDirectory(LocalTls.clientDirectory(folder));
        assertThatThrownBy(() -> read(client, null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("401")
                .hasMessageContaining("+granary.status");
        assertThatThrownBy(() -> read(client, new Login("people", "wrong"))).hasMessageContaining("there is no user");
        assertThatThrownBy(() -> read(null, null)).isInstanceOf(IOException.class);
    }

    @Test
    void read_nodesOfAnotherCa_areNotBelieved() {
        Path other = folder.resolve("other");
        LocalTls.make(other);

        assertThatThrownBy(() -> read(ClientTls.ofDirectory(LocalTls.clientDirectory(other)), null))
                .isInstanceOf(IOException.class);
    }

    /** A cluster may have TLS, and HTTP ports without it. */
    @Test
    void read_portWithoutTls_isReadNevertheless() throws IOException {
        try (HttpPort without = HttpPort.open(ANY_PORT, this)) {
            ClientTls files = ClientTls.ofDirectory(ofNodes());
            assertThat(NodePages.of(files, () -> new Login("people", "right"))
                            .read("127.0.0.1:" + without.port(), "/status"))
                    .isEqualTo("{}\n");
        }
    }
}
