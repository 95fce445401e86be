package dev.granary.superpeer.state.arc;

import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.state.MigrationRecord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The migrations of an arc: those that run, and the results of the last ones, for sources and targets that have to ask.
 * Deterministic.
 *
 * <p>Invariants: (1) no two running migrations have a chunk in common; (2) a number is given once for a creator; (3) a
 * migration that has ended never changes again.
 */
final class MigrationTable {

    /** How many ended migrations are kept. Source and target ask within a second or so. */
    static final int MAX_ENDED = 16_384;

    /** The key of a migration, in the order in which migrations begin. */
    private record Key(int creatorNid, long number) {}

    private static final Comparator<Key> ORDER =
            Comparator.comparingLong(Key::number).thenComparingInt(Key::creatorNid);

    private final TreeMap<Key, MigrationRecord> running = new TreeMap<>(ORDER);
    private final TreeMap<Key, MigrationRecord> ended = new TreeMap<>(ORDER);
    private long lastNumber;

    /** Begins a rebuilt arc with these migrations, which have ended. */
    void rebuilt(List<MigrationRecord> records, long number) {
        records.forEach(record -> ended.put(new Key(record.creatorNid(), record.number()), record));
        lastNumber = number;
    }

    long nextNumber() {
        return ++lastNumber;
    }

    /** Whether a migration was ever given this number, in this arc or in an arc of which a part came here. */
    boolean wasGiven(long number) {
        return number <= lastNumber;
    }

    /** Returns the running migrations, oldest first. */
    Collection<MigrationRecord> running() {
        return running.values();
    }

    @Nullable
    MigrationRecord find(int creatorNid, long number) {
        Key key = new Key(creatorNid, number);
        MigrationRecord found = running.get(key);
        return found == null ? ended.get(key) : found;
    }

    boolean overlapsRunning(long startCid, long endCidInclusive) {
        return running.values().stream()
                .anyMatch(each -> Cid.compare(each.startCid(), endCidInclusive) <= 0
                        && Cid.compare(startCid, each.endCidInclusive()) <= 0);
    }

    MigrationRecord begin(MigrationRecord record) {
        assert !overlapsRunning(record.startCid(), record.endCidInclusive()) : record;
        assert wasGiven(record.number()) && find(record.creatorNid(), record.number()) == null : record;
        running.put(new Key(record.creatorNid(), record.number()), record);
        return record;
    }

    MigrationRecord end(MigrationRecord record) {
        Key key = new Key(record.creatorNid(), record.number());
        running.remove(key);
        MigrationRecord before = ended.put(key, record);
        assert before == null : before;
        while (ended.size() > MAX_ENDED) {
            ended.pollFirstEntry();
        }
        return record;
    }

    /** Aborts the running migrations that match. */
    void abort(Predicate<MigrationRecord> which, String note) {
        List<MigrationRecord> chosen = running.values().stream().filter(which).toList();
        chosen.forEach(record -> end(record.aborted(note)));
    }

    /** Returns the migrations of a piece of the ring, as they stand in a snapshot. */
    ArcSnapshot.Migrations part(Arc within) {
        List<MigrationRecord> all = new ArrayList<>(running.values());
        all.addAll(ended.values());
        all.removeIf(record -> !within.contains(record.creatorNid()));
        return new ArcSnapshot.Migrations(lastNumber, all);
    }

    /** Adds a {@link #part}. */
    void add(ArcSnapshot.Migrations part) {
        lastNumber = Math.max(lastNumber, part.lastNumber());
        for (MigrationRecord record : part.migrations()) {
            Key key = new Key(record.creatorNid(), record.number());
            (record.state() == MigrationState.RUNNING ? running : ended).put(key, record);
        }
        assert invariantsHold();
    }

    /** Looks at all migrations, so it is called only when many came together. */
    private boolean invariantsHold() {
        MigrationRecord before = null;
        List<MigrationRecord> sorted = running.values().stream()
                .sorted((one, other) -> Cid.compare(one.startCid(), other.startCid()))
                .toList();
        for (MigrationRecord record : sorted) {
            if (before != null && Cid.compare(record.startCid(), before.endCidInclusive()) <= 0) {
                return false;
            }
            before = record;
        }
        return running.keySet().stream().noneMatch(ended::containsKey)
                && (running.isEmpty() || wasGiven(running.lastKey().number()))
                && (ended.isEmpty() || wasGiven(ended.lastKey().number()));
    }

    void remove(Arc within) {
        running.keySet().removeIf(key -> within.contains(key.creatorNid()));
        ended.keySet().removeIf(key -> within.contains(key.creatorNid()));
    }
}
