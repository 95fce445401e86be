package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RequestLimitsTest {

    @Test
    void limits_thatCannotHold_areRefused() {
        assertThatCode(() -> new RequestLimits(1, 1, 1, 1, 1, 1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> new RequestLimits(0, 1, 1, 1, 1, 1)).hasMessageContaining("arguments is 0");
        assertThatThrownBy(() -> new RequestLimits(1, 1, 1, 2, 1, 1)).hasMessageContaining("lineBytes 2");
        assertThatThrownBy(() -> new RequestLimits(1, 1, (1 << 30) + 1, 1, 1, 1))
                .hasMessageContaining("1073741824");
    }
}
