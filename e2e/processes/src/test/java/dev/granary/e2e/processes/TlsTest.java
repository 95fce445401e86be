package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.processes.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A local cluster with TLS, as a user starts it, and what those get who have no certificate. */
class TlsTest {

    private static final Pattern SEEDS = Pattern.compile("super-peers: (\\S+)");

    @TempDir
    Path directory = Path.of("");

    private Outcome granary(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(command, "--dir", cluster()));
        all.addAll(List.of(arguments));
        return Commands.granary(all.toArray(String[]::new));
    }

    private String cluster() {
        return directory.resolve("cluster").toString();
    }

    @Test
    void up_withTls_servesCommandsWithCertificatesAndRefusesOthers() throws Exception {
        String said = granary(
                        "up", "--tls", "--super-peers", "3", "--storage-peers", "2", "--memory", "64Mi", "--port", "0")
                .ok();
        try {
            Matcher seeds = SEEDS.matcher(said);
            assertThat(seeds.find()).as(said).isTrue();
            String cid = granary("create", "hello").ok();
            assertThat(granary("get", cid).ok()).isEqualTo("hello");
            assertThat(granary("status").ok()).contains("3 of 3").contains("2 of 2");

            String files = directory.resolve("cluster/tls/client").toString();
            assertThat(Commands.granary("get", "--seeds", seeds.group(1), "--tls", files, cid)
                            .ok())
                    .isEqualTo("hello");
            assertThat(Commands.run(
                                    "granary",
                                    Map.of("GRANARY_SEEDS", seeds.group(1), "GRANARY_TLS_DIRECTORY", files),
                                    List.of("get", cid))
                            .ok())
                    .isEqualTo("hello");

            Outcome plain = Commands.granary("get", "--seeds", seeds.group(1), "--deadline", "5", cid);
            assertThat(plain.exitCode()).isEqualTo(1);
            Outcome anonymous = Commands.granary(
                    "get", "--seeds", seeds.group(1), "--deadline", "5", "--tls-ca", files + "/ca.crt", cid);
            assertThat(anonymous.exitCode()).isEqualTo(1);
            assertThat(anonymous.err()).contains("it asks for a certificate").doesNotContain("at dev.granary");
            assertThat(log("super-peer-0"))
                    .contains("refusing the connection from")
                    .contains("the other side speaks no TLS")
                    .contains("the other side has shown no certificate");
        } finally {
            granary("down", "--wipe").ok();
        }
    }

    private String log(String node) throws IOException {
        return Files.readString(directory.resolve("cluster").resolve(node).resolve("log.txt"));
    }
}
