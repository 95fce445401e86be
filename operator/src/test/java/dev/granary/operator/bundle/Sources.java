package dev.granary.operator.bundle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sources of a bundle: the chart, rendered with its defaults, and the CRDs.
 *
 * @param chart {@code Chart.yaml}
 * @param rendered the objects of the chart
 * @param crds files of CRDs, in the order of their names
 */
record Sources(JsonNode chart, List<JsonNode> rendered, List<Path> crds) {
    static final YAMLMapper YAML = new YAMLMapper();

    /** Reads the sources. */
    static Sources of(Path repository) {
        try (Stream<Path> crds = Files.list(repository.resolve("crds"))) {
            return new Sources(
                    YAML.readTree(repository.resolve("helm/granary/Chart.yaml").toFile()),
                    objects(repository.resolve("helm/golden/defaults.yaml")),
                    crds.filter(path -> path.toString().endsWith(".yaml"))
                            .sorted()
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<JsonNode> objects(Path file) throws IOException {
        try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            return documents.readAll().stream().filter(JsonNode::isObject).toList();
        }
    }

    /** The only object of a kind whose name ends with {@code end}; there must be exactly one. */
    ObjectNode object(String kind, String end) {
        List<JsonNode> found = rendered.stream()
                .filter(object -> object.path("kind").asText().equals(kind)
                        && object.at("/metadata/name").asText().endsWith(end))
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException("the rendered chart has " + found.size() + " objects " + kind + " *" + end);
        }
        return found.getFirst().deepCopy();
    }

    /** An annotation of the chart whose value is YAML. */
    JsonNode annotation(String name) throws IOException {
        return YAML.readTree(text("annotations", name));
    }

    /** A text of {@code Chart.yaml}, which must exist. */
    String text(String... path) {
        JsonNode node = chart;
        for (String name : path) {
            node = node.path(name);
        }
        if (!node.isTextual()) {
            throw new IllegalStateException("Chart.yaml lacks " + String.join(".", path));
        }
        return node.asText();
    }
}
