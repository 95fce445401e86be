package dev.granary.operator.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.operator.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code operator/bundle} says what the chart and {@code crds/} say. */
class BundleTest {
    private final Path folder = Golden.repository().resolve("operator/bundle");
    private final Sources sources = Sources.of(Golden.repository());
    private final Bundle bundle = new Bundle(sources);

    @Test
    void bundle_committedFiles_areWhatChartAndCrdsMake() throws IOException {
        Map<String, String> files = bundle.files();
        files.forEach((path, text) -> Golden.check(folder.resolve(path), text));
        try (Stream<Path> there = Files.walk(folder)) {
            assertThat(there.filter(Files::isRegularFile)
                            .map(file -> folder.relativize(file).toString()))
                    .containsExactlyInAnyOrderElementsOf(files.keySet());
        }
    }

    @Test
    void permissions_allRules_areThoseOfTheChart() throws IOException {
        JsonNode install = bundle.version().at("/spec/install/spec");
        List<JsonNode> given = new ArrayList<>();
        install.path("permissions").forEach(entry -> entry.path("rules").forEach(given::add));
        install.path("clusterPermissions").forEach(entry -> entry.path("rules").forEach(given::add));
        List<JsonNode> wanted = new ArrayList<>();
        sources.object("ClusterRole", "-operator").path("rules").forEach(wanted::add);
        sources.object("Role", "-leader").path("rules").forEach(wanted::add);
        assertThat(given).containsExactlyInAnyOrderElementsOf(wanted);
        assertThat(install.at("/clusterPermissions/0/rules"))
                .as("rights in all namespaces, whatever namespaces it watches")
                .hasToString("[{\"apiGroups\":[\"\"],\"resources\":[\"nodes\"],\"verbs\":[\"list\",\"watch\"]}]");
    }

    @Test
    void owned_everyCrd_isNamedWithAnExample() throws IOException {
        JsonNode version = bundle.version();
        List<String> named = version.at("/spec/customresourcedefinitions/owned")
                .valueStream()
                .map(crd -> crd.path("name").asText() + ".yaml")
                .toList();
        List<String> exampleKinds = Sources.YAML
                .readTree(version.at("/metadata/annotations/alm-examples").asText())
                .valueStream()
                .map(example -> example.path("kind").asText())
                .toList();
        assertThat(named)
                .containsExactlyInAnyOrderElementsOf(sources.crds().stream()
                        .map(crd -> crd.getFileName().toString())
                        .toList());
        assertThat(exampleKinds)
                .containsExactlyInAnyOrderElementsOf(version.at("/spec/customresourcedefinitions/owned")
                        .valueStream()
                        .map(crd -> crd.path("kind").asText())
                        .toList());
    }
}
