package dev.granary.operator.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.comments.CommentLine;
import org.yaml.snakeyaml.comments.CommentType;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * The values of a chart with the comments above them, in the form of helm-docs: {@code # -- text} describes a value. A
 * mapping without such a comment is a group of values; a plain comment describes it.
 */
final class ChartValues {
    /**
     * A value that a user may set.
     *
     * @param path its keys with dots between them
     * @param defaultValue what holds unless it is set
     */
    record Value(String path, String description, JsonNode defaultValue) {}

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String MARK = "--";

    private final List<Value> values = new ArrayList<>();
    private final Map<String, String> groups = new LinkedHashMap<>();

    private ChartValues() {}

    /**
     * Reads {@code values.yaml}.
     *
     * @throws IllegalStateException if a key has no description
     */
    static ChartValues parse(String text) throws IOException {
        LoaderOptions options = new LoaderOptions();
        options.setProcessComments(true);
        ChartValues chart = new ChartValues();
        MappingNode root = (MappingNode) new Yaml(options).compose(new StringReader(text));
        chart.read("", root, YAML.readTree(text));
        return chart;
    }

    /** All values, in the order of the file. */
    List<Value> values() {
        return List.copyOf(values);
    }

    /** The rows of a Markdown table. */
    String table(JsonNode schema) throws IOException {
        StringBuilder table = new StringBuilder("| value | type | default | meaning |\n|---|---|---|---|\n");
        for (Value value : values) {
            table.append("| `%s` | %s | `%s` | %s |%n"
                    .formatted(
                            value.path(),
                            type(property(schema, value.path())),
                            JSON.writeValueAsString(value.defaultValue()),
                            value.description().replace("|", "\\|")));
        }
        return table.toString();
    }

    /**
     * Writes the descriptions into a schema.
     *
     * @throws IllegalStateException if the schema lacks a value or has one more
     */
    void describe(ObjectNode schema) {
        groups.forEach((path, text) -> property(schema, path).put("description", text));
        values.forEach(value -> property(schema, value.path()).put("description", value.description()));
        List<String> known = Stream.concat(
                        groups.keySet().stream(), values.stream().map(Value::path))
                .toList();
        requireKnown("", schema, known);
    }

    private void requireKnown(String prefix, JsonNode schema, List<String> known) {
        for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
            String path = prefix + property.getKey();
            if (!known.contains(path)) {
                throw new IllegalStateException("values.schema.json has " + path + ", which values.yaml lacks");
            }
            if (groups.containsKey(path)) {
                requireKnown(path + ".", property.getValue(), known);
            }
        }
    }

    private static ObjectNode property(JsonNode schema, String path) {
        JsonNode found = schema;
        for (String key : path.split("\\.", -1)) {
            found = found.path("properties").path(key);
        }
        if (!found.isObject()) {
            throw new IllegalStateException("values.schema.json lacks " + path);
        }
        return (ObjectNode) found;
    }

    private static String type(JsonNode property) {
        JsonNode type = property.path("type");
        return type.isArray()
                ? String.join(" or ", type.valueStream().map(JsonNode::asText).toList())
                : type.asText();
    }

    private void read(String prefix, MappingNode mapping, JsonNode defaults) {
        // The comment above the first key of a mapping belongs to the mapping.
        @Nullable List<CommentLine> first = mapping.getBlockComments();
        for (NodeTuple tuple : mapping.getValue()) {
            String key = ((ScalarNode) tuple.getKeyNode()).getValue();
            String path = prefix + key;
            List<String> comment = lastParagraph(first, tuple.getKeyNode().getBlockComments());
            first = null;
            Node value = tuple.getValueNode();
            if (!comment.isEmpty() && comment.getFirst().startsWith(MARK)) {
                String text = String.join(" ", comment).substring(MARK.length()).strip();
                values.add(new Value(path, text, defaults.path(key)));
            } else if (value instanceof MappingNode group && !group.getValue().isEmpty() && !comment.isEmpty()) {
                groups.put(path, String.join(" ", comment));
                read(path + ".", group, defaults.path(key));
            } else {
                throw new IllegalStateException("values.yaml: there is no comment '# -- …' above " + path);
            }
        }
    }

    private static List<String> lastParagraph(@Nullable List<CommentLine> above, @Nullable List<CommentLine> own) {
        List<String> lines = new ArrayList<>();
        for (CommentLine line : Stream.of(above, own)
                .filter(list -> list != null)
                .flatMap(List::stream)
                .toList()) {
            if (line.getCommentType() == CommentType.BLANK_LINE) {
                lines.clear();
            } else {
                lines.add(line.getValue().strip());
            }
        }
        return lines;
    }
}
