package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class MigrationRoundTest {

    private static final long MILLI = 1_000_000;

    private final Logger log = (Logger) LoggerFactory.getLogger(MigrationRoundTest.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Level level = log.getLevel();
    private final MigrationRound round = new MigrationRound(log, "migrations begin", "migrations have ended", true);

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
                .map(line -> line.getFormattedMessage() + " " + line.getKeyValuePairs())
                .toList();
    }

    @Test
    void look_manyMigrationsOneAfterTheOther_twoLinesWithTheSumsAndTheSlowest() {
        for (int i = 0; i < 92; i++) {
            long began = i * 500L * MILLI;
            round.began("0x8000/" + i, began);
            round.look(began);
            round.ended("0x8000/" + i, i != 7, 10, began + (i == 50 ? 30 : 20) * MILLI);
            round.look(began + 30 * MILLI);
        }
        assertThat(told()).containsExactly("migrations begin [migration=\"0x8000/0\"]");

        round.look(60_000 * MILLI);
        round.look(61_000 * MILLI);

        assertThat(told().subList(1, told().size()))
                .containsExactly("migrations have ended [migrations=\"92\", failedMigrations=\"1\", chunks=\"910\","
                        + " tookMillis=\"45520\", slowestMigration=\"0x8000/50\", slowestMillis=\"30\"]");
    }

    @Test
    void look_aMigrationRuns_theRoundGoesOn() {
        round.began("0x8000/1", 0);
        round.began("0x8000/2", 0);
        round.ended("0x8000/1", true, 1, 10 * MILLI);
        round.look(90_000 * MILLI);
        round.began("0x8000/2", 91_000 * MILLI);
        assertThat(told()).hasSize(1);

        round.ended("0x8000/2", true, 1, 92_000 * MILLI);
        round.ended("0x8000/2", true, 1, 92_500 * MILLI);
        round.look(93_000 * MILLI);

        assertThat(told()).hasSize(2);
        assertThat(told().getLast()).contains("migrations=\"2\"", "slowestMillis=\"92000\"");
    }

    @Test
    void look_numberOfChunksIsNotKnown_isNotTold() {
        MigrationRound unknowing = new MigrationRound(log, "begin", "end", false);
        unknowing.began("0x8000/1", 0);
        unknowing.ended("0x8000/1", true, 0, 10 * MILLI);
        unknowing.look(2_000 * MILLI);
        assertThat(told().getLast()).startsWith("end [").doesNotContain("chunks");
    }

    @Test
    void began_afterTheEndOfARound_isANewOne() {
        round.began("0x8000/1", 0);
        round.ended("0x8000/1", true, 5, 10 * MILLI);
        round.look(2_000 * MILLI);
        round.began("0x8000/2", 3_000 * MILLI);
        round.ended("0x8000/2", false, 5, 3_010 * MILLI);
        round.look(5_000 * MILLI);
        assertThat(told()).hasSize(4);
        assertThat(told().getLast()).contains("migrations=\"1\"", "failedMigrations=\"1\"", "chunks=\"0\"");
    }
}
