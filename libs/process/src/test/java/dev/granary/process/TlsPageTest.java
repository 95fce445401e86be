package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page of certificates says, of a certificate that the JDK's keytool has made. */
class TlsPageTest {

    @TempDir
    private Path folder;

    private X509Certificate certificate() throws Exception {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=peer, OU=granary-storage, O=social",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "password")
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "password".toCharArray());
        }
        return (X509Certificate) keys.getCertificate("own");
    }

    @Test
    void answer_processWithTls_saysWhatItShowsAndTrusts() throws Exception {
        X509Certificate own = certificate();
        String sha256 =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(own.getEncoded()));
        String described = "{\"subject\":\"CN=peer,OU=granary-storage,O=social\",\"issuer\":"
                + "\"CN=peer,OU=granary-storage,O=social\",\"notAfter\":\""
                + own.getNotAfter().toInstant() + "\",\"sha256\":\"" + sha256 + "\"}";
        HttpAnswer answer = TlsPage.of(() -> own, () -> List.of(own)).answer("/tls", null);
        assertThat(answer.code()).isEqualTo(200);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"certificate\":" + described + ",\"authorities\":[" + described + "]}\n");
    }

    @Test
    void answer_processWithoutACertificate_saysWhatItTrustsAlone() {
        HttpAnswer answer = TlsPage.of(() -> null, List::of).answer("/tls", null);
        assertThat(new String(answer.body(), StandardCharsets.UTF_8)).isEqualTo("{\"authorities\":[]}\n");
    }

    @Test
    void answer_noTlsOrAnotherPath_is404() {
        assertThat(TlsPage.none().answer("/tls", null).code()).isEqualTo(404);
        assertThat(TlsPage.of(() -> null, List::of).answer("/tls/more", null).code())
                .isEqualTo(404);
    }
}
