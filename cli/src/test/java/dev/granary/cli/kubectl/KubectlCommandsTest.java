package dev.granary.cli.kubectl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.cluster.LocalTls;
import dev.granary.env.SystemClock;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpGate;
import dev.granary.process.HttpPort;
import io.prometheus.client.CollectorRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the plugin's commands, {@link ClusterVisit} and {@link SupportReport} ask of {@link Kubectl}: a script in its
 * place notes its arguments and its input, and answers from files. A real kubectl against a real cluster is in
 * e2e/kubernetes.
 */
class KubectlCommandsTest {

    private static final String SCRIPT = """
            #!/bin/sh
            cd "$(dirname "$0")" || exit 1
            echo "$*" >> calls
            case "$*" in
                *"create -f -"*) cat > created ; echo made ;;
                *"get granary social "* | *"get granary social") cat granary.json ;;
                *"get granarybackupschedule nightly"*) cat schedule.json ;;
                *"get pods --all-namespaces"*) echo "pods is forbidden" >&2 ; exit 1 ;;
                *"get pods -l"*) cat pods.json ;;
                *"--raw"*) [ ! -f secured ] || { echo "error trying to reach service: EOF" >&2 ; exit 1 ; } ;;
            esac
            case "$*" in
                *"port-forward"*) echo "Forwarding from 127.0.0.1:$(cat port) -> 7401" ; exec sleep 60 ;;
                *"get secret social-granary-tls-monitor"*) cat secret.json ;;
                *"--raw"*/status) cat status.json ;;
                *"--raw"*/metrics)
                    echo 'granary_backup_full 1.0'
                    [ ! -f failing ] ||
                        echo "granary_storage_operations_total{outcome=\\"error\\"} $(($(wc -l < calls) * 100))" ;;
                *"config view"*) echo here ;;
                *"logs social-storage-0"*) echo "password=SESAME of the log" ;;
                *"get granary other"*) echo "granaries.granary.dev other not found" >&2 ; exit 1 ;;
                *"patch"*) echo patched ;;
                *" get "* | "get "*) echo '{"items": []}' ;;
                *) echo "version 1" ;;
            esac
            """;

    @TempDir
    private Path folder;

    private record Run(int code, String output, String error) {}

    @BeforeEach
    void writeKubectl() throws IOException {
        Path script = folder.resolve("kubectl");
        Files.writeString(script, SCRIPT);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.writeString(folder.resolve("granary.json"), """
                {"metadata": {"name": "social", "namespace": "here", "generation": 1},
                 "status": {"observedGeneration": 1, "conditions": []}}
                """);
        Files.writeString(folder.resolve("schedule.json"), """
                {"spec": {"destination": {"s3": {"bucket": "b"}}}}
                """);
        Files.writeString(folder.resolve("pods.json"), """
                {"items": [{"metadata": {"name": "social-storage-0", "labels": {"app.kubernetes.io/component": "storage"}},
                  "spec": {"containers": [{"env": [{"name": "S3_TOKEN", "value": "SESAME"}]}]}, "status": {}}]}
                """);
        Files.writeString(folder.resolve("status.json"), """
                {"ring": {"size": 3, "expectedSize": 3, "complete": true, "superPeers": []},
                 "storagePeers": [{"nid": "0x8000", "name": "social-storage-0", "state": "live", "usesPerSecond": 4}],
                 "zones": {}, "totals": {},
                 "hotRanges": [{"zone": "0x8000/7", "slots": "", "from": "0x8000000000000001", "to": "0x8000000000000009",
                   "owner": "0x8000", "perSecond": 3}]}
                """);
    }

    private Run run(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, UTF_8));
        System.setErr(new PrintStream(error, true, UTF_8));
        try {
            String[] all = Stream.concat(
                            Arrays.stream(arguments),
                            Stream.of("--kubectl", folder.resolve("kubectl").toString()))
                    .toArray(String[]::new);
            int code = KubectlGranaryCommand.execute(all);
            return new Run(code, output.toString(UTF_8), error.toString(UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    @Test
    void changeSecret_granaryWithASecret_annotatesItWithAWish() throws Exception {
        assertThat(run("change-secret", "social", "-n", "here").code()).isZero();
        assertThat(Files.readString(folder.resolve("calls")))
                .containsPattern("annotate --overwrite granary social granary.dev/change-secret=\\d{4}-\\d\\d-\\d\\dT");
    }

    @Test
    void changeSecret_granaryWithoutASecret_isRefused() throws Exception {
        Files.writeString(folder.resolve("granary.json"), """
                {"metadata": {"name": "social"}, "status": {"clusterId": "id", "conditions": []}}
                """);
        Run refused = run("change-secret", "social");
        assertThat(refused.code()).isNotZero();
        assertThat(refused.error()).contains("social has no secret that could be changed");
        assertThat(Files.readString(folder.resolve("calls"))).doesNotContain("annotate");
    }

    @Test
    void status_secretChanges_saysThePhase() throws Exception {
        Files.writeString(folder.resolve("granary.json"), """
                {"metadata": {"name": "social"}, "status": {"conditions": [],
                 "secret": {"phase": "Proving", "message": "second of three"}}}
                """);
        assertThat(run("status", "social").output()).contains("the secret changes: Proving, second of three");
    }

    /** HTTP ports with TLS cannot be asked through the API server. */
    @Test
    void topAndDoctor_httpHasTls_askThroughAForwardedPortWithTheCertificateForMonitoring() throws Exception {
        LocalTls.make(folder);
        Path files = folder.resolve("tls").resolve("storage-node");
        Map<String, String> data = new TreeMap<>();
        for (String file : List.of("tls.crt", "tls.key", "ca.crt")) {
            data.put(file, Base64.getEncoder().encodeToString(Files.readAllBytes(files.resolve(file))));
        }
        Files.writeString(folder.resolve("secret.json"), Json.compact(Map.of("data", data)));
        Files.createFile(folder.resolve("secured"));
        String status = Files.readString(folder.resolve("status.json"));
        HttpContent content = new HttpContent() {
            @Override
            public Optional<String> notReadyReason() {
                return Optional.empty();
            }

            @Override
            public String statusJson() {
                return status;
            }

            @Override
            public CollectorRegistry metrics() {
                return new CollectorRegistry();
            }
        };
        try (TlsContexts tls = TlsContexts.open(TlsSettings.ofDirectory(files), new SystemClock());
                HttpPort port = HttpPort.open(
                        new HostAddress("127.0.0.1", 0),
                        content,
                        Map.of(),
                        HttpGate.of(tls, null, new SystemClock()))) {
            Files.writeString(folder.resolve("port"), Integer.toString(port.port()));
            assertThat(run("ranges", "social").code()).isNotZero();
            assertThat(calls()).doesNotContain("port-forward");
            Files.writeString(folder.resolve("granary.json"), """
                    {"metadata": {"name": "social", "namespace": "here", "generation": 1},
                     "spec": {"tls": {"enabled": true, "http": true}},
                     "status": {"observedGeneration": 1, "conditions": []}}
                    """);
            Run run = run("ranges", "social");
            assertThat(run.code()).as(run.error()).isZero();
            assertThat(calls()).contains("port-forward --namespace=here --address=127.0.0.1 service/social :7401");

            Files.delete(folder.resolve("calls"));
            Kubectl kubectl = new Kubectl(folder.resolve("kubectl").toString(), null, "here");
            for (int page = 0; page < 3; page++) {
                assertThat(kubectl.fetch("social", 7401, "/status").has("ring")).isTrue();
            }
            assertThat(calls().lines().filter(call -> call.contains("port-forward")))
                    .hasSize(3);
            assertThat(calls().lines().filter(call -> call.contains(" granary social ")))
                    .as("its Granary is read once")
                    .hasSize(1);
            assertThat(calls().lines().filter(call -> call.contains("secret")))
                    .as("and its Secret")
                    .hasSize(1);
            assertThat(calls().lines().filter(call -> call.contains("--raw"))).hasSize(1);
        }
    }

    private String calls() throws IOException {
        return Files.readString(folder.resolve("calls"));
    }

    private JsonNode created() throws IOException {
        return Json.parse("the object", Files.readString(folder.resolve("created")));
    }

    @Test
    void restart_ofOneRole_changesAnAnnotationOfItsPodsAlone() throws IOException {
        assertThat(run("restart", "social", "--role", "storage").code()).isZero();
        assertThat(calls())
                .contains("patch granary social --type=merge")
                .contains(
                        "{\"spec\":{\"storagePeers\":{\"pod\":{\"annotations\":{\"kubectl.kubernetes.io/restartedAt\":")
                .doesNotContain("superPeers");
        assertThat(run("restart", "social", "--role", "operator").error()).contains("all, storage or super-peers");
    }

    @Test
    void hibernate_andWake_setTheField() throws IOException {
        assertThat(run("hibernate", "social").code()).isZero();
        assertThat(run("hibernate", "social", "--wake").code()).isZero();
        assertThat(calls()).contains("{\"spec\":{\"hibernate\":true}}", "{\"spec\":{\"hibernate\":false}}");
    }

    @Test
    void backup_intoAVolume_makesAnObject() throws IOException {
        Run run = run("backup", "social", "--claim", "disk", "--path", "a", "--id", "mine");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(created().path("kind").asText()).isEqualTo("GranaryBackup");
        assertThat(created().at("/metadata/name").asText()).isEqualTo("mine");
        assertThat(created().path("spec").toString())
                .isEqualTo(
                        "{\"granaryRef\":{\"name\":\"social\"},\"destination\":{\"volume\":{\"claimName\":\"disk\",\"path\":\"a\"}}}");
    }

    @Test
    void backup_likeASchedule_takesItsPlace() throws IOException {
        assertThat(run("backup", "social", "--like", "nightly").code()).isZero();
        assertThat(created().at("/spec/destination/s3/bucket").asText()).isEqualTo("b");
        assertThat(created().at("/metadata/name").asText()).matches("social-\\d{8}-\\d{6}");
    }

    @Test
    void backup_noPlaceOrTwo_isRefusedBeforeAnythingIsMade() {
        assertThat(run("backup", "social").error()).contains("--claim or --bucket");
        assertThat(run("backup", "social", "--claim", "c", "--bucket", "b").error())
                .contains("--claim or --bucket");
        assertThat(run("backup", "social", "--claim", "c", "--region", "r").error())
                .contains("--region does not go with --claim");
        assertThat(folder.resolve("created")).doesNotExist();
    }

    @Test
    void restore_ofABackup_makesAnObject() throws IOException {
        assertThat(run("restore", "social", "--backup", "b1").code()).isZero();
        assertThat(created().path("kind").asText()).isEqualTo("GranaryRestore");
        assertThat(created().path("spec").toString())
                .isEqualTo("{\"granaryRef\":{\"name\":\"social\"},\"backupRef\":{\"name\":\"b1\"}}");
        assertThat(run("restore", "social", "--backup", "b1", "--id", "x").error())
                .contains("--backup does not go");
    }

    @Test
    void doctor_diskIsFull_endsWithOneAndNamesPodAndNid() {
        Run run = run("doctor", "social");
        assertThat(run.output())
                .contains("WARNING  the disk of storage peer social-storage-0 (0x8000) is full")
                .contains("not looked at: an operator leads");
        assertThat(run.code()).isEqualTo(1);
    }

    @Test
    void doctor_errorsBetweenTwoLooks_areSeen() throws IOException {
        Files.createFile(folder.resolve("failing"));
        assertThat(run("doctor", "social").output()).containsPattern("CRITICAL ([1-9]00) of \\1 operations ended");
    }

    @Test
    void doctor_noSuchGranary_endsWithTwo() {
        Run run = run("doctor", "other");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error()).contains("not found");
    }

    @Test
    void top_asJson_isOneLook() {
        JsonNode look = Json.parse("a look", run("top", "social", "-o", "json").output());
        assertThat(look.at("/storagePeers/0/usesPerSecond").asInt()).isEqualTo(4);
        assertThat(look.at("/hotRanges/0/loadPercent").asDouble()).isEqualTo(75);
        assertThat(look.path("hotKeys")).isEmpty();
        assertThat(run("top", "social", "-o", "xml").code()).isEqualTo(2);
    }

    @Test
    void top_asText_showsAsManyRangesAsAskedFor() {
        assertThat(run("top", "social").output()).containsPattern("0x8000/7 +0x8000 +3 +75.0%");
        assertThat(run("top", "social", "--hot", "0").output()).doesNotContain("0x8000/7");
        assertThat(run("top", "social", "--hot", "-1").error()).contains("must not be negative");
    }

    @Test
    void report_ofAGranary_hasEverythingButSecrets() throws Exception {
        Path file = folder.resolve("r.zip");
        Run run = run("report", "social", "--file", file.toString());
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.error())
                .contains("not in the report: pods --all-namespaces")
                .contains("forbidden");
        Map<String, String> files = unzip(file);
        for (String expected : new String[] {
            "about.txt",
            "objects/granary.json",
            "objects/events.json",
            "status.json",
            "doctor.json",
            "logs/social-storage-0.log",
            "metrics/social-storage-0.txt",
            "missing.txt"
        }) {
            assertThat(files).containsKey(expected);
        }
        assertThat(files.values())
                .allSatisfy(text -> assertThat(text).isNotEmpty().doesNotContain("SESAME"));
        assertThat(files.get("logs/social-storage-0.log")).contains("of the log");
        assertThat(calls()).doesNotContain("get secret");
    }

    /** Returns the texts in an archive by their names below its only folder. */
    private static Map<String, String> unzip(Path file) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(file))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                String name = entry.getName().substring(entry.getName().indexOf('/') + 1);
                files.put(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return files;
    }

    @Test
    void report_noSuchGranary_leavesNoFile() {
        Path file = folder.resolve("r.zip");
        assertThat(run("report", "other", "--file", file.toString()).code()).isEqualTo(1);
        assertThat(file).doesNotExist();
    }
}
