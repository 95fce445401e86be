package dev.granary.process;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The migrations of one kind from the first that begins until none has run for a second: two log lines, however many
 * migrations there are. A drain moves each slot group by itself, a few at a time (ADR 0371). Not thread-safe.
 */
public final class MigrationRound {

    /** Between two migrations of a plan less time passes than this. */
    public static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Logger log;
    private final String beginText;
    private final String endText;
    private final boolean tellsChunks;

    /** By the names of migrations that run, when they have begun. */
    private final Map<String, Long> running = new HashMap<>();

    private boolean open;
    private long beganNanos;
    private long idleNanos;
    private int ended;
    private int failed;
    private long chunks;
    private String slowest = "";
    private long slowestNanos;

    /**
     * @param beginText what the line says when the first migration begins
     * @param endText what the line says when the last has ended
     * @param tellsChunks whether it is known how many chunks have moved
     */
    public MigrationRound(Logger log, String beginText, String endText, boolean tellsChunks) {
        this.log = log;
        this.beginText = beginText;
        this.endText = endText;
        this.tellsChunks = tellsChunks;
    }

    /** A migration begins; one that is known to run does nothing. */
    public void began(String migration, long nowNanos) {
        if (running.putIfAbsent(migration, nowNanos) != null || open) {
            return;
        }
        open = true;
        beganNanos = nowNanos;
        ended = 0;
        failed = 0;
        chunks = 0;
        slowest = "";
        slowestNanos = -1;
        log.atInfo().addKeyValue("migration", migration).log(beginText);
    }

    /**
     * A migration has ended.
     *
     * @param moved whether the chunks have another owner now; if not they do not count
     */
    public void ended(String migration, boolean moved, long movedChunks, long nowNanos) {
        Long since = running.remove(migration);
        if (since == null) {
            return;
        }
        idleNanos = nowNanos;
        ended++;
        failed += moved ? 0 : 1;
        chunks += moved ? movedChunks : 0;
        if (nowNanos - since > slowestNanos) {
            slowestNanos = nowNanos - since;
            slowest = migration;
        }
    }

    /** Tells of the end of the round, if no migration has run for {@link #QUIET_NANOS}. To be called now and then. */
    public void look(long nowNanos) {
        if (!open || !running.isEmpty() || nowNanos - idleNanos < QUIET_NANOS) {
            return;
        }
        open = false;
        LoggingEventBuilder line =
                log.atInfo().addKeyValue("migrations", ended).addKeyValue("failedMigrations", failed);
        (tellsChunks ? line.addKeyValue("chunks", chunks) : line)
                .addKeyValue("tookMillis", TimeUnit.NANOSECONDS.toMillis(idleNanos - beganNanos))
                .addKeyValue("slowestMigration", slowest)
                .addKeyValue("slowestMillis", TimeUnit.NANOSECONDS.toMillis(slowestNanos))
                .log(endText);
    }
}
