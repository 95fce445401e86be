package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@link ResultLine} as programs read it: every line has the same fields. */
class ResultLineTest {

    private static JsonNode parsed(String json) throws Exception {
        assertThat(json).doesNotContain("\n");
        return new ObjectMapper().readTree(json);
    }

    @Test
    void toFileJson_nothingIsSet_hasAllFieldsAsNull() throws Exception {
        JsonNode line = parsed(new ResultLine().toFileJson());
        assertThat(line.fieldNames()).toIterable().containsExactlyElementsOf(ResultLine.FIELDS);
        assertThat(line).allMatch(JsonNode::isNull);
    }

    @Test
    void with_valuesThatAreNone_areNull() throws Exception {
        JsonNode line = parsed(new ResultLine()
                .with(ResultLine.DISTRIBUTION, "")
                .with(ResultLine.OVERHEAD, Double.NaN)
                .with(ResultLine.RSS_OVERHEAD, Double.POSITIVE_INFINITY)
                .with(ResultLine.RATE, 5L)
                .without(ResultLine.RATE)
                .with(ResultLine.CHUNKS, 7L)
                .toFileJson());
        assertThat(line.get(ResultLine.DISTRIBUTION).isNull()).isTrue();
        assertThat(line.get(ResultLine.OVERHEAD).isNull()).isTrue();
        assertThat(line.get(ResultLine.RSS_OVERHEAD).isNull()).isTrue();
        assertThat(line.get(ResultLine.RATE).isNull()).isTrue();
        assertThat(line.get(ResultLine.CHUNKS).asLong()).isEqualTo(7);
    }

    @Test
    void toFileJson_fieldsForTheTableAndOfSoaks_onlyTheLatterAreKept() throws Exception {
        ResultLine line = new ResultLine().with(ResultLine.CPU_NANOS, 12.5).with(ResultLine.FRAGMENTATION, 0.25);
        assertThat(parsed(line.toFileJson()).has(ResultLine.CPU_NANOS)).isFalse();
        assertThat(parsed(line.toFileJson()).get(ResultLine.FRAGMENTATION).asDouble())
                .isEqualTo(0.25);
        assertThat(parsed(line.toJson()).get(ResultLine.CPU_NANOS).asDouble())
                .as("for another process")
                .isEqualTo(12.5);
    }

    @Test
    void ofJson_lineOfAnotherProcess_hasItsValues() {
        ResultLine line = ResultLine.ofJson(new ResultLine()
                .with(ResultLine.NAME, "get")
                .with(ResultLine.RATE, 5_000_000_000L)
                .with(ResultLine.CPU_NANOS, 12.5)
                .toJson());
        assertThat(line.text(ResultLine.NAME)).isEqualTo("get");
        assertThat(line.number(ResultLine.RATE)).isEqualTo(5e9);
        assertThat(line.number(ResultLine.CPU_NANOS)).isEqualTo(12.5);
        assertThat(line.text(ResultLine.LAYOUT)).isEmpty();
        assertThat(line.number(ResultLine.LAYOUT)).isNaN();
        assertThat(line.number(ResultLine.NAME)).as("no number").isNaN();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{", "text"})
    void ofJson_noLine_isRefused(String text) {
        assertThatThrownBy(() -> ResultLine.ofJson(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a result");
    }
}
