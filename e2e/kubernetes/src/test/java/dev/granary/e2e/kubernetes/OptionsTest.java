package dev.granary.e2e.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class OptionsTest {

    static final String COMPLETE = "--project /p --kubectl /k --helm /h --prometheus /m --promtool /t"
            + " --image r/granary:1 --operator-image r/operator:1 --cluster given --report-folder /r";

    @Test
    void parse_allGiven_keepsThem() {
        Options options = Options.parse((COMPLETE + " --json /j --keep true").split(" ", -1));

        assertThat(options.image()).isEqualTo("r/granary:1");
        assertThat(options.json()).hasToString("/j");
        assertThat(options.keep()).isTrue();
        assertThat(options.preparation()).isNull();
    }

    @Test
    void parse_leases_areThoseOfTheResourceUnlessGiven() {
        assertThat(Options.parse(COMPLETE.split(" ", -1)).leaseSeconds()).isNull();
        assertThat(Options.parse((COMPLETE + " --lease-seconds 3").split(" ", -1))
                        .leaseSeconds())
                .isEqualTo(3);
    }

    @Test
    void parse_missingImage_saysWhich() {
        assertThatThrownBy(() -> Options.parse(
                        COMPLETE.replace("--image r/granary:1 ", "").split(" ", -1)))
                .hasMessage("--image is missing");
    }

    @Test
    void parse_unknownOption_namesIt() {
        assertThatThrownBy(() -> Options.parse(new String[] {"--colour", "red"}))
                .hasMessageContaining("--colour");
    }

    @Test
    void parse_alertsOfTheirCase_areKept() {
        Options options = Options.parse((COMPLETE + " --only alerts --alerts One,Two").split(" ", -1));

        assertThat(options.alerts()).containsExactlyInAnyOrder("One", "Two");
        assertThat(Options.parse(COMPLETE.split(" ", -1)).alerts()).isEmpty();
    }

    @Test
    void parse_alertsWithoutTheirCase_saysWhere() {
        assertThatThrownBy(() -> Options.parse((COMPLETE + " --alerts One").split(" ", -1)))
                .hasMessageContaining("--alerts goes with the case alerts");
    }
}
