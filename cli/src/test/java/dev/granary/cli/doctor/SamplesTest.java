package dev.granary.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SamplesTest {

    @Test
    void parse_commentsLabelsAndTimes_areRead() {
        Samples samples = Samples.parse("""
                # HELP a Some help.
                # TYPE a gauge
                a 1.0
                b{loop="lease",x="say \\"hi\\"",} 2.5 1700000000
                b{loop="a{b}, c"} +Inf
                not a sample
                """);
        assertThat(samples.sum("a")).isEqualTo(1);
        assertThat(samples.of("b").map(sample -> sample.label("loop"))).containsExactly("lease", "a{b}, c");
        assertThat(samples.of("b").findFirst().orElseThrow().label("x")).isEqualTo("say \"hi\"");
        assertThat(samples.sum("b")).isInfinite();
        assertThat(samples.has("c")).isFalse();
    }
}
