package dev.granary.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.Blob;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterSecretTest {

    private static final HexFormat HEX = HexFormat.of();
    private static final String TEXT = "0123456789abcdef";
    private static final ClusterSecret SECRET = ClusterSecret.of(TEXT);

    /** The payloads of the hello and its reply in golden/protocol.txt. */
    private static final Transcript EXCHANGE = new Transcript(
            HEX.parseHex("01020807060504030201100f0e0d0c0b0a0902008028272625242322210100"
                    + "20000000404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"),
            HEX.parseHex("010807060504030201100f0e0d0c0b0a0901010028272625242322"
                    + "2120000000404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"));

    @TempDir
    Path folder = Path.of("");

    @Test
    void proof_eachSide_isTheGoldenOne() {
        assertThat(HEX.formatHex(SECRET.proof(EXCHANGE, Transcript.Side.CALLER)))
                .isEqualTo("e4c1284c8ce667e9b488f029563443a5323361a2ae4e7b4c941dcc8f9298e180");
        assertThat(HEX.formatHex(SECRET.proof(EXCHANGE, Transcript.Side.CALLEE)))
                .isEqualTo("027f7ce072a8124da4122c089fc0f506efaf59b4a8059946982715c3110b6f96");
    }

    @Test
    void accepts_anythingElse_isRefused() {
        byte[] proof = SECRET.proof(EXCHANGE, Transcript.Side.CALLER);
        assertThat(SECRET.accepts(EXCHANGE, Transcript.Side.CALLER, proof)).isTrue();
        assertThat(SECRET.accepts(EXCHANGE, Transcript.Side.CALLEE, proof))
                .as("in the other direction")
                .isFalse();
        assertThat(ClusterSecret.of("0123456789abcdeg").accepts(EXCHANGE, Transcript.Side.CALLER, proof))
                .as("another secret")
                .isFalse();
        for (int i = 0; i < EXCHANGE.hello().length; i++) {
            byte[] changed = EXCHANGE.hello().clone();
            changed[i] ^= 1;
            assertThat(SECRET.accepts(new Transcript(changed, EXCHANGE.reply()), Transcript.Side.CALLER, proof))
                    .as("byte %d of the hello", i)
                    .isFalse();
        }
        for (int i = 0; i < EXCHANGE.reply().length; i++) {
            byte[] changed = EXCHANGE.reply().clone();
            changed[i] ^= 1;
            assertThat(SECRET.accepts(new Transcript(EXCHANGE.hello(), changed), Transcript.Side.CALLER, proof))
                    .as("byte %d of the reply", i)
                    .isFalse();
        }
        assertThat(SECRET.accepts(EXCHANGE, Transcript.Side.CALLER, new byte[0]))
                .isFalse();
        assertThat(SECRET.accepts(EXCHANGE, Transcript.Side.CALLER, new byte[32]))
                .isFalse();
    }

    @Test
    void of_severalLines_provesByTheFirstAndAcceptsEach() {
        ClusterSecret other = ClusterSecret.of("another secret of 32 characters!");
        ClusterSecret both = ClusterSecret.of("\n  " + TEXT + " \r\n\nanother secret of 32 characters!\n");
        byte[] first = SECRET.proof(EXCHANGE, Transcript.Side.CALLER);
        byte[] second = other.proof(EXCHANGE, Transcript.Side.CALLER);
        assertThat(both.proof(EXCHANGE, Transcript.Side.CALLER)).isEqualTo(first);
        assertThat(both.accepts(EXCHANGE, Transcript.Side.CALLER, first)).isTrue();
        assertThat(both.accepts(EXCHANGE, Transcript.Side.CALLER, second)).isTrue();
        assertThat(both.answer(EXCHANGE, first)).isEqualTo(SECRET.proof(EXCHANGE, Transcript.Side.CALLEE));
        assertThat(both.answer(EXCHANGE, second)).isEqualTo(other.proof(EXCHANGE, Transcript.Side.CALLEE));
        assertThat(both.answer(EXCHANGE, new byte[32])).isNull();
        assertThat(SECRET.answer(EXCHANGE, second)).isNull();
    }

    @Test
    void of_linesThatAreTooManyOrTooShort_isRefused() {
        assertThatThrownBy(() -> ClusterSecret.of((TEXT + "\n").repeat(4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 3 secrets")
                .hasMessageContaining("here are 4");
        assertThatThrownBy(() -> ClusterSecret.of(TEXT + "\nshort")).hasMessageContaining("this one has 5");
        assertThatThrownBy(() -> ClusterSecret.of(" \n")).hasMessageContaining("this one has 0");
    }

    @Test
    void proof_bytesThatMoveFromTheHelloToTheReply_isAnother() {
        Transcript one = new Transcript(new byte[] {1, 2}, new byte[] {3});
        Transcript other = new Transcript(new byte[] {1}, new byte[] {2, 3});
        assertThat(SECRET.proof(one, Transcript.Side.CALLER)).isNotEqualTo(SECRET.proof(other, Transcript.Side.CALLER));
    }

    @Test
    void read_fileWithWhiteSpaceAround_isTheSameSecret() throws IOException {
        Path file = Files.writeString(folder.resolve("secret"), "  " + TEXT + "\n");
        assertThat(ClusterSecret.read(file)
                        .accepts(EXCHANGE, Transcript.Side.CALLER, SECRET.proof(EXCHANGE, Transcript.Side.CALLER)))
                .isTrue();
    }

    @Test
    void read_noFileOrNoSecret_saysWhatToDo() throws IOException {
        Path file = folder.resolve("secret");
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("openssl rand -hex 32");
        Files.writeString(file, "fifteen letters\n");
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("16 to 1024")
                .hasMessageContaining("has 15")
                .satisfies(refused -> assertThat(refused.toString()).doesNotContain("letters"));
        Files.write(file, new byte[100_000]);
        assertThatThrownBy(() -> ClusterSecret.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("100000 bytes");
    }

    @Test
    void random_twice_areTwoSecretsThatAreLongEnough() {
        SplittableRandom random = new SplittableRandom(5);
        String first = ClusterSecret.random(random);
        assertThat(first).hasSize(2 * ClusterSecret.RANDOM_BYTES).isNotEqualTo(ClusterSecret.random(random));
        assertThat(ClusterSecret.of(first)).isNotNull();
    }

    @Test
    void toString_ofSecretsAndCredentials_tellNothing() {
        Credentials credentials = Credentials.of(SECRET, new SplittableRandom(5));
        String hex = HEX.formatHex(TEXT.getBytes(StandardCharsets.UTF_8));
        assertThat(SECRET.toString() + credentials).doesNotContain(TEXT).doesNotContain(hex);
    }

    @Test
    void nonce_eachTime_isAnother() {
        Credentials credentials = Credentials.of(SECRET, new SplittableRandom(5));
        Blob first = credentials.nonce();
        assertThat(first.bytes()).hasSize(Credentials.NONCE_BYTES);
        assertThat(credentials.nonce()).isNotEqualTo(first);
        assertThat(Credentials.none().nonce().bytes()).isEmpty();
        assertThat(Credentials.none().accept(EXCHANGE, first)).isFalse();
    }
}
