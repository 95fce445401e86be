package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JsonTextTest {

    @Test
    void write_nested_putsCommasBetweenMembersOnly() {
        String json = new JsonText()
                .object()
                .field("a", 1)
                .object("b")
                .end()
                .array("c")
                .object()
                .field("d", true)
                .end()
                .object()
                .field("e", "x")
                .raw("f", "null")
                .end()
                .end()
                .end()
                .toString();

        assertThat(json).isEqualTo("{\"a\":1,\"b\":{},\"c\":[{\"d\":true},{\"e\":\"x\",\"f\":null}]}");
    }

    @Test
    void write_specialCharacters_areEscaped() {
        String json = new JsonText()
                .object()
                .field("a\"", "\\\n\r\t\u0001ä\uD83D\uDE00")
                .end()
                .toString();

        assertThat(json).isEqualTo("{\"a\\\"\":\"\\\\\\n\\r\\t\\u0001ä\\ud83d\\ude00\"}");
    }

    @Test
    void toString_openObject_isRefused() {
        JsonText text = new JsonText().object();

        assertThatThrownBy(text::toString).isInstanceOf(IllegalStateException.class);
    }
}
