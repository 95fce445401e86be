package dev.granary.storage.replicate;

import dev.granary.env.Loop;
import dev.granary.env.Steps;
import dev.granary.overlay.HostAddress;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Asks backups every half second up to which sequence they hold the copies of zones in which nothing changes. A backup
 * whose log has failed begins a new log without these copies. Without this check nobody would notice until the next
 * change, or until a recovery needs the copies (ADR 0199).
 *
 * <p>Each round goes on behind the zones of the round before, and starts over after the last zone. Runs as tasks of the
 * scheduler.
 */
final class CopyChecks {

    private static final long PERIOD_NANOS = 500_000_000;

    /** Some kilobytes for each backup; a hundred thousand zones take about a minute. */
    private static final int ZONES_PER_ROUND = 1024;

    private final BackupCalls calls;
    private final OwnedZones zones;
    private final CopyAnswers answers;
    private final Steps steps;
    private final Loop rounds;
    private Iterator<OwnedZone> rest = Collections.emptyIterator();

    CopyChecks(BackupCalls calls, OwnedZones zones, CopyAnswers answers, Steps steps) {
        this.calls = calls;
        this.zones = zones;
        this.answers = answers;
        this.steps = steps;
        // Without this loop a backup that lost a copy would count as an in-sync backup until the next change.
        this.rounds = Loop.every(calls.scheduler(), "copy-checks", PERIOD_NANOS, this::round)
                .vital();
    }

    void begin() {
        rounds.beginAfter(PERIOD_NANOS);
    }

    void stop() {
        rounds.stop();
    }

    private void round() {
        if (!rest.hasNext()) {
            rest = zones.all().iterator();
        }
        Map<Integer, Shipment> questions = new TreeMap<>();
        for (int i = 0; i < ZONES_PER_ROUND && rest.hasNext(); i++) {
            load(rest.next(), questions);
        }
        questions.forEach(this::ask);
    }

    private static void load(OwnedZone zone, Map<Integer, Shipment> questions) {
        zone.lock();
        try {
            for (ZoneCopy copy : zone.copies()) {
                if (copy.isIdle()) {
                    questions.computeIfAbsent(copy.nid(), nid -> new Shipment()).loadCheck(copy);
                }
            }
        } finally {
            zone.unlock();
        }
    }

    /** Asks a backup. An answer that does not come means nothing: a later round asks again. */
    private void ask(int nid, Shipment question) {
        HostAddress address = calls.addressOf(nid);
        if (address == null) {
            return;
        }
        steps.then(
                calls.ship(address, nid, question, calls.timeoutNanos()),
                (states, failure) -> {
                    for (int i = 0; states != null && i < states.size(); i++) {
                        answers.checked(question.parts().get(i), states.get(i));
                    }
                },
                () -> {});
    }
}
