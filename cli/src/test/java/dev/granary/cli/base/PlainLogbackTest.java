package dev.granary.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LogbackServiceProvider;
import org.junit.jupiter.api.Test;

class PlainLogbackTest {

    @Test
    void initialize_withoutASearch_hasNoAppenderAndTheVersionOfLogback() {
        PlainLogback plain = new PlainLogback();
        plain.initialize();
        LoggerContext context = (LoggerContext) plain.getLoggerFactory();
        assertThat(context.isStarted()).isTrue();
        assertThat(context.getLogger("ROOT").iteratorForAppenders()).isExhausted();
        assertThat(context.getMDCAdapter()).isSameAs(plain.getMDCAdapter());
        assertThat(plain.getMarkerFactory().getMarker("one")).isNotNull();
        assertThat(plain.getRequestedApiVersion()).isEqualTo(new LogbackServiceProvider().getRequestedApiVersion());
    }
}
