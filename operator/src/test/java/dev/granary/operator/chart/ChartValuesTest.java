package dev.granary.operator.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.granary.operator.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The comments of {@code values.yaml} are the descriptions of the schema and of the chart's README. */
class ChartValuesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BEGIN = "<!-- values: generated from values.yaml -->\n";
    private static final String END = "<!-- end of values -->\n";

    private final Path chart = Golden.repository().resolve("helm/granary");

    @Test
    void schema_everyValue_isDescribedAsInValues() throws IOException {
        Path file = chart.resolve("values.schema.json");
        ObjectNode schema = (ObjectNode) JSON.readTree(file.toFile());
        values().describe(schema);
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter(
                        Separators.createDefaultInstance().withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                .withObjectIndenter(new DefaultIndenter("  ", "\n"));
        Golden.check(file, JSON.writer(printer).writeValueAsString(schema) + "\n");
    }

    @Test
    void readme_itsTable_isMadeFromValuesAndSchema() throws IOException {
        Path file = chart.resolve("README.md");
        String text = Files.readString(file);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        assertThat(begin).as("the place of the table").isPositive().isLessThan(end);
        String table =
                values().table(JSON.readTree(chart.resolve("values.schema.json").toFile()));
        Golden.check(file, text.substring(0, begin) + BEGIN + "\n" + table + "\n" + text.substring(end));
    }

    @Test
    void parse_groupsAndValues_haveTheirCommentsAndDefaults() throws IOException {
        ChartValues values = ChartValues.parse("""
                # About the file.

                # A group.
                group:
                  # -- First value,
                  # in two lines.
                  first: 1
                  # A note.

                  # -- Second value.
                  second: {a: b}
                """);
        assertThat(values.values())
                .containsExactly(
                        new ChartValues.Value("group.first", "First value, in two lines.", JSON.readTree("1")),
                        new ChartValues.Value("group.second", "Second value.", JSON.readTree("{\"a\":\"b\"}")));
        assertThat(values.table(JSON.readTree("""
                {"properties": {"group": {"properties": {
                  "first": {"type": ["integer", "string"]}, "second": {"type": "object"}}}}}
                """)))
                .contains("| `group.first` | integer or string | `1` | First value, in two lines. |");
    }

    @Test
    void parse_valueWithoutDescription_isRefusedByName() {
        assertThatThrownBy(() -> ChartValues.parse("# A group.\ngroup:\n  # Not marked.\n  value: 1\n"))
                .hasMessageContaining("group.value");
    }

    @Test
    void describe_schemaAndValuesDiffer_namesTheValue() throws IOException {
        ChartValues values = ChartValues.parse("# -- Text.\nvalue: 1\n");
        assertThatThrownBy(() -> values.describe((ObjectNode) JSON.readTree("{\"properties\": {}}")))
                .hasMessage("values.schema.json lacks value");
        assertThatThrownBy(() -> values.describe((ObjectNode)
                        JSON.readTree("{\"properties\": {\"value\": {}, \"hidden\": {\"type\": \"string\"}}}")))
                .hasMessageContaining("hidden");
    }

    private ChartValues values() throws IOException {
        return ChartValues.parse(Files.readString(chart.resolve("values.yaml")));
    }
}
