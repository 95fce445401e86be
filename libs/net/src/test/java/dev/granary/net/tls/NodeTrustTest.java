package dev.granary.net.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whom {@link NodeTrust} takes for a node, over sockets of the JDK. */
class NodeTrustTest {

    private final TestAuthority authority = new TestAuthority("CA");

    @TempDir
    private Path folder = Path.of("");

    NodeTrustTest() throws Exception {}

    /** Calls a server that shows a certificate. */
    private static void call(SSLContext context, X509Bundle shown) throws Exception {
        SSLContext serving = SSLContext.getInstance("TLSv1.3");
        serving.init(shown.toKeyManagerFactory().getKeyManagers(), null, null);
        try (SSLServerSocket server = (SSLServerSocket)
                serving.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Boolean> served = CompletableFuture.supplyAsync(() -> {
                try (Socket accepted = server.accept()) {
                    return accepted.getInputStream().read() == 1;
                } catch (IOException _) {
                    return false;
                }
            });
            try (SSLSocket socket = (SSLSocket)
                    context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
                socket.startHandshake();
                socket.getOutputStream().write(1);
            }
            assertThat(served.join()).isTrue();
        }
    }

    private SSLContext trusting(@Nullable X509Bundle own) throws TlsException {
        return NodeTrust.ofTexts(
                own == null ? null : own.getCertificatePathPEM(),
                own == null ? null : own.getPrivateKeyPEM(),
                authority.pem(),
                Instant.now());
    }

    @Test
    void call_nodesOfTheCa_areTrustedWhateverTheirAddress() throws Exception {
        call(trusting(null), authority.issueMember("c", "storage"));
        call(trusting(authority.issueMember("c", "operator")), authority.issueMember("c", "super-peer"));
    }

    @Test
    void call_othersOfTheCaAndNodesOfAnotherOne_areNotTrusted() throws Exception {
        for (String role : new String[] {"client", "operator", "monitor"}) {
            X509Bundle shown = authority.issueMember("c", role);
            assertThatThrownBy(() -> call(trusting(null), shown))
                    .as(role)
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("is no node of Granary");
        }
        X509Bundle stranger = new TestAuthority("CA").issueMember("c", "storage");
        assertThatThrownBy(() -> call(trusting(null), stranger)).isInstanceOf(SSLException.class);
    }

    @Test
    void call_nodeOfAnotherCluster_isNotTrustedByWhoKnowsItsOwn() throws Exception {
        X509Bundle shown = authority.issueMember("other", "storage");
        SSLContext own = trusting(authority.issueMember("c", "operator"));

        assertThatThrownBy(() -> call(own, shown))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("example.org/other");
        call(trusting(null), shown);
    }

    @Test
    void ofFiles_listBesideTheCa_revokes() throws Exception {
        X509Bundle shown = authority.issueMember("c", "storage");
        TlsSettings files = authority.node(folder, "c", "operator");
        call(NodeTrust.ofFiles(files.certificate(), files.key(), files.ca(), Instant.now()), shown);
        Files.writeString(folder.resolve(TlsSettings.CRL_NAME), authority.revoke(shown));
        SSLContext revoking = NodeTrust.ofFiles(files.certificate(), files.key(), files.ca(), Instant.now());

        assertThatThrownBy(() -> call(revoking, shown)).isInstanceOf(SSLException.class);
    }

    @Test
    void ofFiles_missing_namesTheFile() {
        Path missing = folder.resolve("ca.crt");

        assertThatThrownBy(() -> NodeTrust.ofFiles(null, null, missing, Instant.now()))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining(missing.toString());
    }
}
