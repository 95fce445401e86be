package dev.granary.overlay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostAddressTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost:7400", "10.0.0.7:1", "sp-0.granary.svc:65535", "[::1]:7400", "[fe80::1%eth0]:7500"})
    void parse_goodText_printsTheSame(String text) {
        assertThat(HostAddress.parse(text)).hasToString(text);
    }

    @Test
    void parse_ipv6_keepsTheHostWithoutBrackets() {
        assertThat(HostAddress.parse("[::1]:7400")).isEqualTo(new HostAddress("::1", 7400));
    }

    @Test
    void parse_badText_saysWhatIsWrong() {
        assertThatThrownBy(() -> HostAddress.parse("localhost")).hasMessageContaining("has no port");
        assertThatThrownBy(() -> HostAddress.parse(":7400")).hasMessageContaining("0 characters");
        assertThatThrownBy(() -> HostAddress.parse("h:")).hasMessageContaining("port ''");
        assertThatThrownBy(() -> HostAddress.parse("h:x1")).hasMessageContaining("port 'x1'");
        assertThatThrownBy(() -> HostAddress.parse("h:+1")).hasMessageContaining("port '+1'");
        assertThatThrownBy(() -> HostAddress.parse("h:0")).hasMessageContaining("port 0");
        assertThatThrownBy(() -> HostAddress.parse("h:65536")).hasMessageContaining("port 65536");
        assertThatThrownBy(() -> HostAddress.parse("::1:7400")).hasMessageContaining("several colons");
        assertThatThrownBy(() -> HostAddress.parse("[host]:7400")).hasMessageContaining("no IPv6");
        assertThatThrownBy(() -> HostAddress.parse("a b:7400")).hasMessageContaining("character ' '");
        assertThatThrownBy(() -> new HostAddress("h", -1)).hasMessageContaining("port -1");
        assertThat(new HostAddress("h", 0).port()).isZero();
    }
}
