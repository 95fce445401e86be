package dev.granary.cli.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "",
                "\"ä\\u00e4\\n\"",
                "{\"a\": [1, -2147483649, 123456789012345678901234567890], \"b\": {\"c\": null}}",
                "[0.5, 1e300, true, false, null, [[]], [{}]]",
                "{\"twice\": 1, \"twice\": 2}",
                "1 2",
            })
    void parse_allKindsOfValues_isWhatJacksonsTreesAre(String text) throws JsonProcessingException {
        assertThat(Json.parse("a text", text)).isEqualTo(new ObjectMapper().readTree(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "[1,", "{\"a\"}", "}", "nul", "{\"a\": ]}"})
    void parse_noJson_saysWhatIsNone(String text) {
        assertThatThrownBy(() -> Json.parse("the answer", text))
                .isInstanceOf(UserException.class)
                .hasMessageStartingWith("the answer is not JSON: ");
    }

    @Test
    void parse_deeperThanAnybodyWrites_isRefused() {
        assertThatThrownBy(() -> Json.parse("the answer", "[".repeat(100_000)))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("depth");
    }
}
