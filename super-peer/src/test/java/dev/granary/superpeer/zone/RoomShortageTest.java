package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RoomShortageTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Logger log = (Logger) LoggerFactory.getLogger(RoomShortage.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Level level = log.getLevel();
    private final RoomShortage shortage = new RoomShortage();

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
        log.setLevel(Level.WARN);
    }

    @AfterEach
    void stop() {
        log.setLevel(level);
        log.detachAppender(lines);
    }

    private List<String> told() {
        return lines.list.stream()
                .map(line -> line.getLevel() + " " + line.getKeyValuePairs())
                .toList();
    }

    @Test
    void tell_zonesLackRoomForAMinute_aLineEachHalfMinuteWithTheLargest() {
        for (int second = 0; second < 60; second++) {
            shortage.lacks(70);
            shortage.lacks(90);
            shortage.lacks(80);
            shortage.tell(second * SECOND);
        }
        assertThat(told())
                .containsExactly("WARN [zones=\"3\", wantedBytes=\"90\"]", "WARN [zones=\"3\", wantedBytes=\"90\"]");
    }

    @Test
    void tell_noZoneLacksRoom_saysNothing() {
        shortage.tell(0);
        shortage.tell(60 * SECOND);
        assertThat(told()).isEmpty();
    }
}
