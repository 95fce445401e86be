package dev.granary.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ClientOptionsTest {

    @Test
    void build_passwordWithoutAUser_isRefused() {
        assertThatThrownBy(() ->
                        ClientOptions.builder().address("a:1").password("pw").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name the user");
    }

    @Test
    void build_addressOnly_hasTheDocumentedDefaults() {
        ClientOptions options = ClientOptions.builder().address("host:7400").build();
        assertThat(options.addresses()).containsExactly("host:7400");
        assertThat(options.deadline()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.batchDeadline()).isEqualTo(Duration.ofSeconds(60));
        assertThat(options.attemptTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.requestBytes()).isEqualTo(262_144);
        assertThat(options.requestChunks()).isEqualTo(8_192);
        assertThat(options.requestsInFlight()).isEqualTo(4);
        assertThat(options.ioThreads()).isEqualTo(2);
        assertThat(options.durability()).isNull();
        assertThat(options).usingRecursiveComparison().isEqualTo(ClientOptions.of("host:7400"));
    }

    @Test
    void build_everythingSet_keepsItAndSoDoesAChangedCopy() {
        ClientOptions options = ClientOptions.builder()
                .address("a:1")
                .address("[::1]:2")
                .deadline(Duration.ofMillis(1))
                .batchDeadline(Duration.ofMillis(2))
                .attemptTimeout(Duration.ofMillis(3))
                .requestBytes(4096)
                .requestChunks(5)
                .requestsInFlight(6)
                .ioThreads(7)
                .durability(Durability.SYNCED)
                .user("app")
                .password("planted password")
                .passwordFile(Path.of("/password"))
                .tls(ClientTls.ofDirectory(Path.of("/tls")))
                .tlsText(new ClientTlsText("ca", "certificate", "planted key"))
                .build();
        assertThat(options.user()).isEqualTo("app");
        assertThat(options.password()).isEqualTo("planted password");
        assertThat(options.passwordFile()).isEqualTo(Path.of("/password"));
        assertThat(options.tlsText()).isNotNull().hasToString("a client with a certificate");
        assertThat(options.tls())
                .isEqualTo(new ClientTls(Path.of("/tls/ca.crt"), Path.of("/tls/tls.crt"), Path.of("/tls/tls.key")));
        assertThat(options.addresses()).containsExactly("a:1", "[::1]:2");
        assertThat(options.toBuilder().build()).usingRecursiveComparison().isEqualTo(options);
        ClientOptions changed = options.withDeadline(Duration.ofMillis(9))
                .withBatchDeadline(Duration.ofMillis(8))
                .withDurability(null);
        assertThat(changed.deadline()).isEqualTo(Duration.ofMillis(9));
        assertThat(changed.batchDeadline()).isEqualTo(Duration.ofMillis(8));
        assertThat(changed.durability()).isNull();
        assertThat(changed.requestBytes()).isEqualTo(4096);
        assertThat(changed.ioThreads()).isEqualTo(7);
        assertThat(options.deadline()).as("of the options before").isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void connect_fileOfTlsIsMissing_namesIt() {
        ClientOptions options = ClientOptions.builder()
                .address("localhost:1")
                .tls(ClientTls.ofCa(Path.of("/nowhere/ca.crt")))
                .build();
        assertThatThrownBy(() -> GranaryClient.connect(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/nowhere/ca.crt does not exist");
        assertThatThrownBy(() -> new ClientTls(Path.of("/ca.crt"), Path.of("/tls.crt"), null))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void connect_textOfTlsIsNone_saysSoAndGoesBeforeTheFiles() {
        ClientOptions options = ClientOptions.builder()
                .address("localhost:1")
                .tls(ClientTls.ofCa(Path.of("/nowhere/ca.crt")))
                .tlsText(new ClientTlsText("no PEM", null, null))
                .build();
        assertThatThrownBy(() -> GranaryClient.connect(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the CA file given as text");
        assertThatThrownBy(() -> new ClientTlsText("ca", null, "key")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void build_noAddress_saysHowToNameOne() {
        ClientOptions.Builder builder = ClientOptions.builder();
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("address(\"localhost:7400\")");
    }

    @Test
    void setters_outOfRange_sayTheOptionAndItsRange() {
        refused(builder -> builder.address("host"), "'host'");
        refused(builder -> builder.deadline(Duration.ZERO), "deadline");
        refused(builder -> builder.batchDeadline(Duration.ofSeconds(-1)), "batchDeadline");
        refused(builder -> builder.attemptTimeout(Duration.ZERO), "attemptTimeout");
        refused(builder -> builder.requestBytes(1023), "1024 to 4194304");
        refused(builder -> builder.requestChunks(0), "1 to 65536");
        refused(builder -> builder.requestsInFlight(1025), "1 to 1024");
        refused(builder -> builder.ioThreads(65), "1 to 64");
    }

    private static void refused(Consumer<ClientOptions.Builder> setter, String says) {
        assertThatThrownBy(() -> setter.accept(ClientOptions.builder()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(says);
    }
}
