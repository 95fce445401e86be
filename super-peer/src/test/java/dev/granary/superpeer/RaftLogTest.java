package dev.granary.superpeer;

import static dev.granary.superpeer.SimulatedRing.config;
import static dev.granary.superpeer.SimulatedRing.founder;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the Raft library logs when nothing is wrong. */
class RaftLogTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SimulatedRing ring = new SimulatedRing(new Random().nextLong());

    @Test
    void log_ringIsFoundedAndGrows_theRaftLibraryWarnsOfNothing() {
        Logger library = (Logger) LoggerFactory.getLogger("io.microraft");
        ListAppender<ILoggingEvent> seen = new ListAppender<>();
        seen.start();
        library.addAppender(seen);
        Level level = library.getLevel();
        library.setLevel(Level.INFO);
        try {
            ring.start(founder("s0", 3));
            for (int i = 1; i < 5; i++) {
                ring.start(config("s" + i));
            }
            for (int i = 0; i < 5; i++) {
                ring.awaitReady("s" + i);
            }
            ring.runFor(10 * SECOND);
        } finally {
            library.setLevel(level);
            library.detachAppender(seen);
        }
        assertThat(seen.list).as("%s", ring).isNotEmpty();
        assertThat(seen.list)
                .as("%s", ring)
                .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .extracting(ILoggingEvent::getFormattedMessage)
                .isEmpty();
    }
}
