package dev.granary.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.operator.Golden;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code crds/} and the chart contain what the build generates from the Java classes. */
class CommittedCrdTest {
    /** The order in which a person reads the columns; the generator sorts them by path. */
    private static final List<String> COLUMNS = List.of(
            "User",
            "Granary",
            "Schedule",
            "Complete",
            "Ready",
            "Replicated",
            "Degraded",
            "Last",
            "Peers",
            "Super-peers",
            "Chunks",
            "Memory used",
            "Reason",
            "Rules",
            "Message",
            "Redis",
            "Version",
            "Cluster id",
            "Age");

    @ParameterizedTest
    @ValueSource(strings = {"granaries", "granarybackups", "granaryrestores", "granarybackupschedules", "granaryusers"})
    void crds_committedFile_isWhatTheClassesGenerate(String plural) throws IOException {
        Golden.check(Golden.repository().resolve("crds").resolve(fileOf(plural)), generated(plural));
    }

    @ParameterizedTest
    @ValueSource(strings = {"granaries", "granarybackups", "granaryrestores", "granarybackupschedules", "granaryusers"})
    void chart_itsCopy_isWhatTheClassesGenerate(String plural) throws IOException {
        Golden.check(Golden.repository().resolve("helm/granary/files/crds").resolve(fileOf(plural)), generated(plural));
    }

    @ParameterizedTest
    @ValueSource(strings = {"granaries", "granarybackups", "granaryrestores", "granarybackupschedules", "granaryusers"})
    void schema_everyField_isDescribed(String plural) throws IOException {
        List<String> missing = new ArrayList<>();
        collectUndescribed("", schema(plural), missing);
        assertThat(missing).isEmpty();
    }

    @Test
    void schema_size_staysFarBelowTheLimitOfClientSideApply() throws IOException {
        CustomResourceDefinition crd =
                Serialization.unmarshal(Files.readString(generatedFile("granaries")), CustomResourceDefinition.class);
        // kubectl keeps it as JSON in an annotation of at most 262,144 bytes.
        assertThat(Serialization.asJson(crd)).hasSizeLessThan(150_000);
    }

    /** {@link KubernetesTypes} describes small types of Kubernetes in full, and large ones by their names. */
    @Test
    void schema_partsOfPods_largeOnesAreOpen() throws IOException {
        JsonNode pod = new KubernetesSerialization()
                .convertValue(schema("granaries"), JsonNode.class)
                .at("/properties/spec/properties/storagePeers/properties/pod/properties");
        for (String list : List.of("volumes", "sidecars", "initContainers")) {
            JsonNode item = pod.path(list).path("items");
            assertThat(item.path("x-kubernetes-preserve-unknown-fields").asBoolean())
                    .as(list)
                    .isTrue();
            assertThat(item.path("properties")).as(list).hasSize(1);
            assertThat(item.at("/required/0").asText()).as(list).isEqualTo("name");
        }
        for (String typed : List.of("securityContext", "containerSecurityContext", "dnsConfig")) {
            assertThat(pod.path(typed).has("x-kubernetes-preserve-unknown-fields"))
                    .as(typed)
                    .isFalse();
        }
    }

    @Test
    void schema_defaults_areThoseOfThePlanner() throws IOException {
        JsonNode spec = new KubernetesSerialization()
                .convertValue(schema("granaries"), JsonNode.class)
                .at("/properties/spec/properties");
        assertThat(spec.at("/storagePeers/properties/replicas/default").asInt()).isEqualTo(3);
        assertThat(spec.at("/storagePeers/properties/memory/default").asText()).isEqualTo("2Gi");
        assertThat(spec.at("/superPeers/properties/storagePeersEach/default").asInt())
                .isEqualTo(SuperPeersSpec.STORAGE_PEERS_EACH);
        assertThat(spec.at("/superPeers/properties/max/default").asInt()).isEqualTo(SuperPeersSpec.MOST);
        assertThat(spec.at("/monitoring/properties/intervalSeconds/default").asInt())
                .isEqualTo(MonitoringSpec.INTERVAL_SECONDS);
        assertThat(spec.at("/rdma/properties/mode/default").asText()).isEqualTo("disabled");
        assertThat(spec.at("/redis/properties/maxClients/default").asInt()).isEqualTo(RedisSpec.MAX_CLIENTS);
        JsonNode tls = spec.at("/tls/properties");
        assertThat(tls.at("/clientAuthentication/default").asText())
                .isEqualTo(TlsSpec.CLIENT_AUTHENTICATION.getFirst());
        assertThat(tls.at("/certificateDays/default").asInt()).isEqualTo(TlsSpec.CERTIFICATE_DAYS);
        assertThat(tls.at("/caDays/default").asInt()).isEqualTo(TlsSpec.CA_DAYS);
        assertThat(tls.at("/graceMinutes/default").asInt()).isEqualTo(TlsSpec.GRACE_MINUTES);
    }

    private static String fileOf(String plural) {
        return plural + ".granary.dev.yaml";
    }

    private static Path generatedFile(String plural) {
        return Path.of("target/classes/META-INF/fabric8/" + plural + ".granary.dev-v1.yml");
    }

    static JSONSchemaProps schema(String plural) throws IOException {
        return Serialization.unmarshal(Files.readString(generatedFile(plural)), CustomResourceDefinition.class)
                .getSpec()
                .getVersions()
                .getFirst()
                .getSchema()
                .getOpenAPIV3Schema();
    }

    private static String generated(String plural) throws IOException {
        CustomResourceDefinition crd =
                Serialization.unmarshal(Files.readString(generatedFile(plural)), CustomResourceDefinition.class);
        crd.getSpec().getVersions().forEach(version -> version.getAdditionalPrinterColumns()
                .sort(Comparator.comparingInt(CommittedCrdTest::position)));
        return "# Generated from the classes in operator/src/main/java/dev/granary/operator/api; never edited.\n"
                + Serialization.asYaml(crd);
    }

    private static int position(CustomResourceColumnDefinition column) {
        assertThat(COLUMNS).contains(column.getName());
        return COLUMNS.indexOf(column.getName());
    }

    private static void collectUndescribed(String path, JSONSchemaProps schema, List<String> missing) {
        if (schema.getDescription() == null) {
            missing.add(path);
        }
        if (schema.getProperties() != null) {
            schema.getProperties().forEach((name, child) -> collectUndescribed(path + "." + name, child, missing));
        }
        if (schema.getItems() != null && schema.getItems().getSchema().getProperties() != null) {
            schema.getItems()
                    .getSchema()
                    .getProperties()
                    .forEach((name, child) -> collectUndescribed(path + "[]." + name, child, missing));
        }
    }
}
