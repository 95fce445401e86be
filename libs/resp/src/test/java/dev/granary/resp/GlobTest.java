package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {

    @ParameterizedTest
    @CsvSource({
        "*, abc, true",
        "*, '', true",
        "'', '', true",
        "'', a, false",
        "a*c, abbbc, true",
        "a*c, abbbd, false",
        "**b**, abc, true",
        "?b?, abc, true",
        "???, ab, false",
        "[a-c]x, bx, true",
        "[c-a]x, bx, true",
        "[a-c]x, dx, false",
        "[^a-c]x, dx, true",
        "[^a-c]x, bx, false",
        "[abc, b, true",
        "[, a, false",
        "[^, a, true",
        "[a\\-z], -, true",
        "[a\\-z], b, false",
        "[]a], a, false",
        "\\*, *, true",
        "\\*, a, false",
        "a\\, a\\, true",
        "h[ae]llo*, hallo!, true",
        "a*b*c, aXbYbZc, true",
        "a*b*c, aXcYc, false"
    })
    void matches_pattern_isThatOfRedis(String pattern, String text, boolean matches) {
        assertThat(new Glob(Wire.bytes(pattern), false).matches(text)).isEqualTo(matches);
    }

    @Test
    void matches_anyCase_concernsLettersAndRanges() {
        assertThat(new Glob(Wire.bytes("[A-C]LI*"), true).matches("client")).isTrue();
        assertThat(new Glob(Wire.bytes("[A-C]LI*"), false).matches("client")).isFalse();
    }

    @Test
    void matches_partOfABuffer_isLookedAtAlone() {
        assertThat(new Glob(Wire.bytes("b?\u00ff"), false)
                        .matches(Unpooled.wrappedBuffer(Wire.bytes("abc\u00ffd")), 1, 3))
                .isTrue();
    }

    @Test
    void matches_manyStars_endsSoon() {
        Glob hostile = new Glob(Wire.bytes("a*".repeat(500) + "b"), false);
        String text = "a".repeat(5_000);
        assertThat(Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> hostile.matches(text)))
                .isFalse();
    }
}
