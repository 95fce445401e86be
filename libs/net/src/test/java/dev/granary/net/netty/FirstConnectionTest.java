package dev.granary.net.netty;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class FirstConnectionTest {

    @Test
    void ready_againAndAgain_isHarmless() {
        assertThatCode(() -> {
                    FirstConnection.ready();
                    FirstConnection.ready();
                })
                .doesNotThrowAnyException();
    }
}
