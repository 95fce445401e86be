package dev.granary.log.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.backup.Logs.ManualClock;
import dev.granary.log.backup.Logs.Told;
import dev.granary.log.backup.ZoneModel.Change;
import dev.granary.log.backup.ZoneModel.Content;
import dev.granary.log.batch.BatchWriter;
import dev.granary.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random changes of several zones, with syncs, seals, cuts, refills, cleaning, kills and losses of power, against a
 * model that remembers every batch. After each restart a log has all that was synced and nothing that it did not take.
 * Its replay gives exactly what the model has at the sequence that the log says.
 */
class BackupLogModelTest {

    private static final int SEEDS = Integer.getInteger("granary.log.seeds", 60);
    private static final int STEPS = 1200;

    private final TreeMap<Integer, ZoneModel> models = new TreeMap<>();
    private final ManualClock clock = new ManualClock();
    private final BatchWriter writer = new BatchWriter();
    private SimulatedDisk disk = new SimulatedDisk(new SplittableRandom(0));
    private SimulatedDisk.Mount mount = disk.mount();
    private SplittableRandom random = new SplittableRandom(0);
    private long cleaned;
    private long restarts;

    @Test
    void log_randomChangesAndCrashes_tellsWhatTheModelHas() throws IOException {
        for (int seed = 1; seed <= SEEDS; seed++) {
            try {
                run(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        // A test whose faults never happen shows nothing.
        assertThat(cleaned).as("segments cleaned").isGreaterThan(SEEDS * 5L);
        assertThat(restarts).as("restarts").isGreaterThan(SEEDS * 3L);
    }

    private void run(int seed) throws IOException {
        random = new SplittableRandom(seed);
        disk = new SimulatedDisk(new SplittableRandom(seed + 1000));
        models.clear();
        BackupLog log = open();
        for (int step = 0; step < STEPS; step++) {
            int dice = random.nextInt(200);
            if (dice < 3) {
                log = restart(log, dice == 0);
            } else if (dice < 8) {
                openNew(log);
            } else if (dice < 10 && !models.isEmpty()) {
                reopenHigher(log, anyModel());
            } else if (dice < 13 && !models.isEmpty()) {
                cut(log, anyModel());
            } else if (dice < 14 && !models.isEmpty()) {
                refill(log, anyModel());
            } else if (dice == 14 && !models.isEmpty()) {
                drop(log, anyModel());
            } else if (dice < 25) {
                sync(log);
            } else if (dice < 32 && !models.isEmpty()) {
                acknowledge(log, anyModel());
            } else if (dice < 40) {
                cleaned -= log.statistics().cleanedSegments();
                log.clean().join();
                cleaned += log.statistics().cleanedSegments();
            } else if (dice < 50) {
                clock.nanos += 11_000_000;
                cleaned -= log.statistics().cleanedSegments();
                log.tick();
                cleaned += log.statistics().cleanedSegments();
            } else if (dice < 54 && !models.isEmpty()) {
                check(log, anyModel());
                checkSegmentBytes(log);
            } else if (!models.isEmpty()) {
                append(log, anyModel());
            }
        }
        restart(log, true).close();
    }

    private BackupLog open() throws IOException {
        mount = disk.mount();
        return BackupLog.open(mount, BackupLogOptions.small(), clock, Runnable::run);
    }

    /** The counted bytes of a zone are those of its files. */
    private void checkSegmentBytes(BackupLog log) throws IOException {
        long bytes = 0;
        for (String name : mount.list()) {
            bytes += name.endsWith(".seg") ? mount.sizeBytes(name) : 0;
        }
        assertThat(log.segmentBytes()).isEqualTo(bytes);
    }

    private ZoneModel anyModel() {
        List<ZoneModel> all = List.copyOf(models.values());
        return all.get(random.nextInt(all.size()));
    }

    private void openNew(BackupLog log) {
        int zone = 7 << 15 | random.nextInt(3);
        if (!models.containsKey(zone)) {
            assertThat(log.openZone(Logs.header(zone, 1)).join().isDone()).isTrue();
            models.put(zone, new ZoneModel(zone));
        }
    }

    private void append(BackupLog log, ZoneModel model) {
        for (int i = random.nextInt(1, 6); i > 0; i--) {
            List<Change> changes = new ArrayList<>();
            ByteBuffer batch = batch(model, model.lastSequence() + 1, changes);
            assertThat(log.append(batch)).isEqualTo(AppendResult.APPENDED);
            model.add(changes);
        }
    }

    private ByteBuffer batch(ZoneModel model, long sequence, List<Change> changes) {
        writer.start(model.zone(), model.epoch, sequence);
        Set<Long> named = new HashSet<>();
        for (int left = random.nextInt(1, random.nextInt(8) == 0 ? 60 : 4); left > 0; left--) {
            long cid = cid();
            int kind = random.nextInt(12);
            if (kind == 0) {
                long client = random.nextInt(3);
                long acked = Math.max(0, sequence - random.nextInt(10));
                String answer = "answer " + sequence;
                writer.request(client, sequence, acked, answer.getBytes(UTF_8));
                changes.add(content -> {
                    content.acked.merge(client, acked, Math::max);
                    content.answers
                            .computeIfAbsent(client, key -> new TreeMap<>())
                            .put(sequence, answer);
                });
            } else if (kind == 1 && named.add(~cid)) {
                writer.token(cid, sequence * 3);
                changes.add(content -> content.tokens.put(cid, sequence * 3));
            } else if (kind < 5 && named.add(cid)) {
                writer.tombstone(cid);
                changes.add(content -> content.chunks.remove(cid));
            } else if (kind >= 5 && named.add(cid)) {
                String value = sequence + "." + "x".repeat(random.nextInt(random.nextInt(20) == 0 ? 700 : 60));
                writer.chunk(cid, value.getBytes(UTF_8), 0, value.length());
                changes.add(content -> content.chunks.put(cid, value));
            }
        }
        return writer.finish();
    }

    private long cid() {
        long nid = random.nextInt(10) == 0 ? 3L << 48 : Logs.NID;
        // Some chunks change all the time, many seldom: old segments are hardly worth cleaning, and new ones are.
        return switch (random.nextInt(20)) {
            case 0 -> nid | random.nextLong(1L << 48);
            case 1, 2, 3, 4 -> nid | random.nextInt(1000, 1300);
            default -> nid | random.nextInt(12);
        };
    }

    private void sync(BackupLog log) {
        log.sync().join();
        models.values().forEach(model -> model.syncedSequence = model.lastSequence());
    }

    private void reopenHigher(BackupLog log, ZoneModel model) {
        long sealed = model.epoch + random.nextInt(1, 3);
        ZoneResult result = log.seal(model.zone(), sealed).join();
        assertThat(result.lastSequence()).isEqualTo(model.lastSequence());
        sync(log);
        assertThat(log.append(batch(model, model.lastSequence() + 1, new ArrayList<>()))
                        .status())
                .isEqualTo(AppendResult.Status.FENCED);
        model.epoch = sealed;
        assertThat(log.openZone(Logs.header(model.zone(), sealed)).join().isDone())
                .isTrue();
    }

    /** All in-sync backups hold the zone up to one of the last batches, as far as the owner knows. */
    private void acknowledge(BackupLog log, ZoneModel model) {
        model.acknowledged = Math.max(model.acknowledged, model.lastSequence() - random.nextInt(10));
        log.acknowledged(model.zone(), summary(log, model).epoch(), model.acknowledged);
    }

    /** Never cuts what was acknowledged. The cleaner must have kept every entry that counts again after the cut. */
    private void cut(BackupLog log, ZoneModel model) {
        long least = Math.max(model.baseSequence, model.acknowledged);
        long sequence = Math.max(least, model.lastSequence() - random.nextInt(100));
        ZoneResult result = log.truncateAfter(model.zone(), sequence).join();
        assertThat(result.lastSequence()).isEqualTo(sequence);
        model.cutTo(sequence);
        sync(log);
        assertThat(summary(log, model).damage()).isEmpty();
    }

    private void refill(BackupLog log, ZoneModel model) {
        Content content = model.rebase();
        model.epoch++;
        assertThat(log.openZone(Logs.filling(model.zone(), model.epoch, model.baseSequence))
                        .join()
                        .isDone())
                .isTrue();
        if (random.nextBoolean()) {
            append(log, model);
        }
        content.chunks.forEach((cid, value) -> {
            writer.start(model.zone(), model.epoch, model.baseSequence);
            writer.chunk(cid, value.getBytes(UTF_8), 0, value.length());
            assertThat(log.appendBase(writer.finish())).isEqualTo(AppendResult.APPENDED);
        });
        writer.start(model.zone(), model.epoch, model.baseSequence);
        content.tokens.forEach(writer::token);
        content.answers.forEach((client, all) -> all.forEach((request, answer) ->
                writer.request(client, request, content.acked.getOrDefault(client, 0L), answer.getBytes(UTF_8))));
        assertThat(log.appendBase(writer.finish())).isEqualTo(AppendResult.APPENDED);
        append(log, model);
        assertThat(log.filled(model.zone(), 0).join().filled()).isTrue();
        sync(log);
    }

    private void drop(BackupLog log, ZoneModel model) {
        assertThat(log.dropZone(model.zone()).join().isDone()).isTrue();
        models.remove(model.zone());
    }

    private BackupLog restart(BackupLog log, boolean orderly) throws IOException {
        restarts++;
        boolean power = random.nextBoolean();
        if (orderly) {
            log.close();
            sync(models);
        } else if (power) {
            disk.losePower();
        }
        BackupLog again = open();
        assertThat(again.zones()).extracting(ZoneSummary::zone).containsExactlyElementsOf(models.keySet());
        for (ZoneModel model : models.values()) {
            ZoneSummary summary = summary(again, model);
            assertThat(summary.damage()).isEmpty();
            assertThat(summary.lastSequence()).isBetween(model.syncedSequence, model.lastSequence());
            assertThat(summary.fence()).isEqualTo(model.epoch);
            model.cutTo(summary.lastSequence());
            model.syncedSequence = summary.lastSequence();
            check(again, model);
        }
        return again;
    }

    private static void sync(Map<Integer, ZoneModel> all) {
        all.values().forEach(model -> model.syncedSequence = model.lastSequence());
    }

    private static ZoneSummary summary(BackupLog log, ZoneModel model) {
        return Objects.requireNonNull(log.zone(model.zone()));
    }

    private void check(BackupLog log, ZoneModel model) {
        Told told = new Told();
        ReplayReport report = log.replay(model.zone(), Long.MAX_VALUE, told);
        assertThat(report.damage()).isEmpty();
        assertThat(report.isComplete()).isTrue();
        assertThat(report.lastSequence()).isEqualTo(model.lastSequence());
        Content content = model.content();
        assertThat(told.chunks).isEqualTo(content.chunks);
        assertThat(told.tokens).isEqualTo(content.tokens);
        assertThat(told.requests).isEqualTo(content.requests());
        assertThat(report.chunks()).isEqualTo(content.chunks.size());
    }
}
