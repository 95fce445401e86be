package dev.granary.superpeer.zone;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.overlay.BackupZone;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RecoveryRoundTest {

    private static final int A = 0x8000;
    private static final long MILLI = 1_000_000;

    private final Logger log = (Logger) LoggerFactory.getLogger(RecoveryRound.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Level level = log.getLevel();
    private final RecoveryRound round = new RecoveryRound();

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
        log.setLevel(Level.INFO);
    }

    @AfterEach
    void stop() {
        log.setLevel(level);
        log.detachAppender(lines);
    }

    private List<String> told() {
        return lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(line -> line.getLevel() + " " + line.getFormattedMessage() + " " + line.getKeyValuePairs())
                .toList();
    }

    private static List<ZoneRecord> zones(int count) {
        LoneArc arc = new LoneArc(2);
        arc.open(A, count, 0x4000);
        return List.copyOf(arc.state.zones());
    }

    private static Recovered done(int number, boolean damaged) {
        return new Recovered(BackupZone.id(A, number), 3, 0x4000, 1, 10, 100, damaged);
    }

    @Test
    void look_manyZones_twoLinesWithTheSumsAndTheSlowest() {
        round.look(zones(270), 5 * MILLI);
        for (int number = 1; number <= 270; number++) {
            round.recovered(done(number, false), (5 + number) * MILLI, number == 99 ? 900 * MILLI : number * MILLI);
            round.look(zones(1), (5 + number) * MILLI);
        }
        round.look(List.of(), 400 * MILLI);
        round.look(List.of(), 500 * MILLI);
        assertThat(told()).hasSize(2);
        assertThat(told().getFirst()).contains("being recovered", "zones=\"270\"", "firstZone=\"0x8000/1\"");
        assertThat(told().getLast())
                .contains("zones=\"270\"", "chunks=\"2700\"", "bytes=\"27000\"", "tookMillis=\"270\"")
                .contains("slowestZone=\"0x8000/99\"", "slowestMillis=\"900\"");
    }

    /** Something is gone for good: that is not hidden in a sum. */
    @Test
    void recovered_damagedZone_hasALineOfItsOwn() {
        round.look(zones(2), 0);
        round.recovered(done(1, true), MILLI, MILLI);
        assertThat(told().getLast()).startsWith("WARN a zone is recovered").contains("zone=\"0x8000/1\"");
    }

    @Test
    void look_zonesLoseTheirOwnersLater_isAnotherRound() {
        round.look(zones(1), 0);
        round.look(List.of(), MILLI);
        round.look(zones(3), 2 * MILLI);
        assertThat(told()).hasSize(3);
        assertThat(told().get(1)).contains("zones=\"0\"", "slowestZone=\"\"");
        assertThat(told().get(2)).contains("zones=\"3\"");
    }
}
