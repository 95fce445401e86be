package dev.granary.storage.recover;

import static dev.granary.storage.recover.RecoveryWorld.CANDIDATE;
import static dev.granary.storage.recover.RecoveryWorld.ZONE;
import static dev.granary.storage.recover.RecoveryWorld.span;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.State;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.storage.backup.Owner;
import dev.granary.testkit.SimulatedDisk;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Copies in the real log are recovered into the real memory, which each case verifies at its end. */
class RecoveriesTest {

    private static final long MEMORY_BYTES = 16 << 20;

    private static RecoveryWorld world() {
        return new RecoveryWorld(MEMORY_BYTES, CANDIDATE, 1);
    }

    private static long cid(long lid) {
        return Cid.of(Owner.NID, lid);
    }

    private static byte[] value(ChunkMemory memory, long cid) {
        byte[] bytes = new byte[memory.sizeOf(cid)];
        memory.get(cid, MemorySegment.ofArray(bytes), 0, bytes.length);
        return bytes;
    }

    @Test
    void recover_randomHistory_memoryHasWhatWasAcknowledged() {
        recoverRandomHistory(WindowBounds.usual());
    }

    @Test
    void recover_windowOfFewChunksAndBytes_memoryHasWhatWasAcknowledged() {
        recoverRandomHistory(new WindowBounds(4096, 7));
        recoverRandomHistory(new WindowBounds(1, 1 << 20));
    }

    private static void recoverRandomHistory(WindowBounds window) {
        long seed = 7;
        Random random = new Random(seed);
        Map<Long, byte[]> model = new HashMap<>();
        try (RecoveryWorld world = world()) {
            world.window = window;
            world.open(ZONE);
            int acknowledged = 60;
            for (int sequence = 1; sequence <= acknowledged + 3; sequence++) {
                boolean counts = sequence <= acknowledged;
                world.replicate(ZONE, sequence, batch -> {
                    long lid = 1L + random.nextInt(2000);
                    for (int i = 0; i < 50; i++, lid += 1 + random.nextInt(3)) {
                        if (random.nextInt(4) == 0) {
                            batch.tombstone(cid(lid));
                            if (counts) {
                                model.remove(cid(lid));
                            }
                        } else {
                            byte[] bytes = new byte[random.nextInt(8) == 0 ? 1500 : random.nextInt(100)];
                            random.nextBytes(bytes);
                            batch.chunk(cid(lid), bytes, 0, bytes.length);
                            if (counts) {
                                model.put(cid(lid), bytes);
                            }
                        }
                    }
                });
            }
            world.recover(ZONE, 2, acknowledged, span(1, 1 << 16), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.memory.statistics().chunks()).isEqualTo(model.size());
            model.forEach((cid, bytes) ->
                    assertThat(value(world.memory, cid)).as("seed %d", seed).isEqualTo(bytes));
            Recovered told = world.arc.told.getLast();
            assertThat(told.chunks()).isEqualTo(model.size());
            assertThat(told.damaged()).isFalse();
            assertThat(told.nidEpoch()).isEqualTo(RecoveryWorld.INCARNATION_EPOCH);
            RecoveryWorld.Taken taken = world.taken.getFirst();
            assertThat(taken.opened()).isTrue();
            assertThat(taken.lastSequence()).isEqualTo(acknowledged);
            assertThat(world.ownership.owns(cid(5))).isTrue();
            assertThat(Objects.requireNonNull(world.other.life().log().zone(ZONE))
                            .lastSequence())
                    .as("the tail is cut before anything is served")
                    .isEqualTo(acknowledged);
        }
    }

    /** The large zones come last in the order, as a super-peer that has just become leader knows no sizes. */
    @Test
    void recover_fewLargeZonesBehindManySmallOnes_largestFirstAndTwoLogLines() {
        int zones = 40;
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger log = (Logger) LoggerFactory.getLogger(Recoveries.class.getPackageName());
        Level level = log.getLevel();
        log.addAppender(lines);
        log.setLevel(Level.INFO);
        try (RecoveryWorld world = world()) {
            List<RunRecovery.Task> tasks = new ArrayList<>();
            for (int number = 1; number <= zones; number++) {
                int zone = BackupZone.id(Owner.NID, number);
                long first = 1_000L * number;
                int chunks = number <= 38 ? 3 : 10 * number;
                world.open(zone);
                world.replicate(zone, 1, batch -> {
                    for (int i = 0; i < chunks; i++) {
                        batch.chunk(cid(first + i), new byte[100], 0, 100);
                    }
                });
                world.owner.seal(world.candidate, zone, 2);
                world.owner.seal(world.other, zone, 2);
                tasks.add(world.task(zone, 2, 1, span(first, first + 999), 0));
            }
            // Then each zone is told to the arc some time after it is in memory, and not all when the member answers.
            world.other.powerOff();
            world.order(tasks);
            for (RunRecovery.Task task : tasks) {
                assertThat(world.ended(task.zone(), 2).state()).isEqualTo(State.DONE);
            }
            assertThat(world.taken.subList(0, 2))
                    .extracting(taken -> BackupZone.numberOf(taken.placement().zone()))
                    .containsExactly(40, 39);
        } finally {
            log.setLevel(level);
            log.detachAppender(lines);
        }
        List<String> told = lines.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(line -> line.getFormattedMessage() + " " + line.getKeyValuePairs())
                .toList();
        assertThat(told).hasSize(2);
        assertThat(told.getFirst())
                .contains("begins to recover zones")
                .contains("zones=\"40\"", "formerOwnerNids=\"[" + Nid.toHex(Owner.NID) + "]\"");
        assertThat(told.getLast())
                .contains("has recovered zones")
                .contains("zones=\"40\"", "failedZones=\"0\"", "chunks=\"904\"", "slowestZone=\"");
    }

    @Test
    void recover_onlySpansOfTheZone_leavesTheRestOut() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> {
                for (int lid = 1; lid <= 100; lid++) {
                    batch.chunk(cid(lid), new byte[] {(byte) lid}, 0, 1);
                }
                batch.request(11, 12, 10, new byte[] {1, 2});
                batch.token(cid(5), 77);
                batch.token(cid(95), 78);
            });
            Placement away = new Placement(0x4000, new int[0], 1, ZONE, PlacementState.IN_SYNC);
            world.arc.ranges.put(cid(50), new RangeList(0, List.of(new CidRange(cid(50), cid(59), away))));
            world.arc.failures = 2;
            world.recover(ZONE, 2, 1, span(1, 10), cid(50));
            assertThat(world.ended(ZONE, 2).chunks()).isEqualTo(20);
            assertThat(world.memory.sizeOf(cid(11))).isEqualTo(ChunkMemory.ABSENT);
            assertThat(value(world.memory, cid(55))).containsExactly(55);
            assertThat(world.taken.getFirst().ranges())
                    .extracting(CidRange::startCid)
                    .containsExactly(cid(1), cid(50));
            assertThat(world.learnt)
                    .contains("request 11/12 of 2", "token 5 77")
                    .doesNotContain("token 95 78");
        }
    }

    @Test
    void recover_emptyZone_isServed() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.recover(ZONE, 2, 0, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.memory.sizeOf(cid(1))).as("its creator is known").isEqualTo(ChunkMemory.ABSENT);
        }
    }

    @Test
    void recover_noRoom_saysSoAndLeavesNothing() {
        try (RecoveryWorld world = new RecoveryWorld(2 << 20, CANDIDATE, 1)) {
            world.open(ZONE);
            for (int sequence = 1; sequence <= 30; sequence++) {
                long lid = sequence;
                world.replicate(ZONE, sequence, batch -> batch.chunk(cid(lid), new byte[100_000], 0, 100_000));
                world.world.runFor(50_000_000);
            }
            world.recover(ZONE, 2, 30, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.NO_ROOM);
            assertThat(world.memory.statistics().chunks()).isZero();
            assertThat(world.arc.told).isEmpty();
            assertThat(world.ownership.owns(cid(1))).isFalse();
        }
    }

    @Test
    void recover_memoryIsFull_saysSoWithoutATableForTheCreator() {
        try (RecoveryWorld world = new RecoveryWorld(2 << 20, CANDIDATE, 1)) {
            world.memory.reserveLids(1 << 20);
            long own = fillUp(world.memory);
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> batch.chunk(cid(1), new byte[10], 0, 10));

            world.recover(ZONE, 2, 1, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.NO_ROOM);
            assertThat(world.memory.statistics().chunks()).isEqualTo(own);
        }
    }

    /** Fills the memory until not even an empty chunk fits; returns the number of chunks. */
    private static long fillUp(ChunkMemory memory) {
        for (int sizeBytes = 100_000; ; sizeBytes /= 2) {
            try {
                while (true) {
                    memory.create(sizeBytes);
                }
            } catch (OutOfChunkMemoryException e) {
                if (sizeBytes == 0) {
                    return memory.statistics().chunks();
                }
            }
        }
    }

    @Test
    void recover_arcIsAsked_requestsForTheZoneWaitForItsAnswer() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> batch.chunk(cid(1), new byte[10], 0, 10));
            world.arc.failures = 1000;
            world.recover(ZONE, 2, 1, span(1, 65536), 0);
            assertThat(world.world.runUntil(() -> world.arc.failures < 1000, 1_000_000_000L))
                    .isTrue();
            assertThat(world.ownership.isUncertain(cid(1))).isTrue();
            assertThat(world.ownership.isUncertain(cid(65537))).isFalse();
            assertThat(world.learnt).doesNotContain("wake");
            world.arc.failures = 0;
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.ownership.isUncertain(cid(1))).isFalse();
            assertThat(world.ownership.owns(cid(1))).isTrue();
            assertThat(world.learnt).contains("wake");
        }
    }

    @Test
    void recover_arcHasAnotherOwner_nothingWaitsAnyMore() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.arc.placements.put(ZONE, new Placement(0xC000, new int[0], 3, ZONE, PlacementState.DEGRADED));
            world.recover(ZONE, 2, 0, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.FAILED);
            assertThat(world.ownership.isUncertain(cid(1))).isFalse();
            assertThat(world.learnt).contains("wake");
        }
    }

    @Test
    void recover_zoneOfManySpans_nothingWaits() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            List<RunRecovery.Span> spans = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                spans.addAll(span(1 + 10L * i, 5 + 10L * i));
            }
            world.arc.failures = 3;
            world.recover(ZONE, 2, 0, spans, 0);
            assertThat(world.world.runUntil(() -> world.arc.failures < 3, 1_000_000_000L))
                    .isTrue();
            assertThat(world.ownership.isUncertain(cid(1))).isFalse();
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
        }
    }

    @Test
    void recover_arcHasAnotherOwner_leavesNothing() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> batch.chunk(cid(1), new byte[10], 0, 10));
            world.arc.placements.put(ZONE, new Placement(0xC000, new int[0], 3, ZONE, PlacementState.DEGRADED));
            world.recover(ZONE, 2, 1, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.FAILED);
            assertThat(world.memory.statistics().chunks()).isZero();
            assertThat(world.taken).isEmpty();
        }
    }

    @Test
    void recover_isOver_onlyItsOutcomeIsRemembered() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> batch.chunk(cid(1), new byte[] {1}, 0, 1));
            world.recover(ZONE, 2, 1, span(1, 65536), 0);
            assertThat(world.recoveries().remembered()).isEqualTo(1);
            RunRecoveryReply.Progress outcome = world.ended(ZONE, 2);
            assertThat(outcome.state()).isEqualTo(State.DONE);
            world.world.runFor(100_000_000);

            assertThat(world.recoveries().remembered()).isZero();
            assertThat(world.ask(ZONE, 2, 1, span(1, 65536), 0)).isEqualTo(outcome);
            assertThat(world.ask(ZONE, 1, 1, span(1, 65536), 0).state()).isEqualTo(State.FAILED);
            assertThat(world.recoveries().remembered()).isZero();
        }
    }

    @Test
    void recover_higherEpochMeanwhile_beginsAfresh() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> batch.chunk(cid(1), new byte[] {1}, 0, 1));
            world.replicate(ZONE, 2, batch -> batch.chunk(cid(2), new byte[] {2}, 0, 1));
            world.arc.failures = 5;
            world.recover(ZONE, 2, 2, span(1, 65536), 0);
            world.world.runFor(20_000_000);
            world.recover(ZONE, 3, 1, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 3).state()).isEqualTo(State.DONE);
            assertThat(world.ask(ZONE, 2, 2, span(1, 65536), 0).state()).isEqualTo(State.FAILED);
            assertThat(world.memory.statistics().chunks()).isEqualTo(1);
            assertThat(world.arc.told).extracting(Recovered::epoch).containsOnly(3L);
        }
    }

    @Test
    void recover_otherMemberIsDead_isServedAllTheSame() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> batch.chunk(cid(1), new byte[] {1}, 0, 1));
            world.other.kill();
            world.recover(ZONE, 2, 1, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.taken.getFirst().opened()).isFalse();
        }
    }

    /** Writes forty chunks, and flips a bit on the candidate's disk. */
    private static void fillAndDamage(RecoveryWorld world) {
        world.open(ZONE);
        for (int sequence = 1; sequence <= 40; sequence++) {
            long lid = sequence;
            world.replicate(ZONE, sequence, batch -> batch.chunk(cid(lid), new byte[1000], 0, 1000));
        }
        var _ = world.candidate.life().log().sync();
        world.world.runFor(100_000_000);
        SimulatedDisk disk = world.candidate.machine().disk();
        String largest = disk.fileNames().stream()
                .max(Comparator.comparingInt(name -> disk.content(name).length))
                .orElseThrow();
        disk.flipBit(largest, disk.content(largest).length / 2, 3);
    }

    @Test
    void recover_flippedBits_areRepairedFromTheOther() {
        try (RecoveryWorld world = world()) {
            fillAndDamage(world);
            world.recover(ZONE, 2, 40, span(1, 65536), 0);
            RunRecoveryReply.Progress end = world.ended(ZONE, 2);
            assertThat(end.state()).isEqualTo(State.DONE);
            assertThat(end.chunks()).isEqualTo(40);
            assertThat(world.arc.told.getLast().damaged()).isFalse();
            assertThat(world.candidate.life().log().statistics().damages())
                    .as("what was found is told")
                    .isPositive();
        }
    }

    @Test
    void replicate_copyIsFoundDamaged_isRefusedUntilItIsFilledAnew() {
        try (RecoveryWorld world = world()) {
            fillAndDamage(world);
            world.owner.seal(world.candidate, ZONE, 1);
            world.owner.fetch(world.candidate, ZONE, 1, 40, 0);
            world.world.runFor(300_000_000);
            byte[] next = world.owner.batch(ZONE, 1, 41, batch -> batch.tombstone(cid(1)));
            assertThat(world.owner
                            .replicate(world.candidate, ZONE, 1, false, next)
                            .result())
                    .isEqualTo(CopyResult.FAILED);
            assertThat(world.owner.seal(world.candidate, ZONE, 1).continuous()).isFalse();

            world.owner.open(world.candidate, ZONE, 2, 41, true);
            world.world.runFor(300_000_000);
            next = world.owner.batch(ZONE, 2, 42, batch -> batch.tombstone(cid(1)));
            assertThat(world.owner
                            .replicate(world.candidate, ZONE, 2, false, next)
                            .result())
                    .isEqualTo(CopyResult.OK);
        }
    }

    @Test
    void recover_ownCopyIsNotWhole_isFetchedFromTheOther() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            for (int sequence = 1; sequence <= 5; sequence++) {
                long lid = sequence;
                world.replicate(ZONE, sequence, batch -> batch.chunk(cid(lid), new byte[] {(byte) lid}, 0, 1));
            }
            // The candidate's own copy is opened again at sequence 5, and is never filled.
            assertThat(world.owner.open(world.candidate, ZONE, 2, 5, true).result())
                    .isEqualTo(CopyResult.OK);
            world.recover(ZONE, 3, 5, span(1, 65536), 0);
            RunRecoveryReply.Progress end = world.ended(ZONE, 3);
            assertThat(end.state()).isEqualTo(State.DONE);
            assertThat(end.chunks()).isEqualTo(5);
            assertThat(value(world.memory, cid(4))).containsExactly(4);
            assertThat(world.arc.told.getLast().damaged()).isFalse();
        }
    }

    @Test
    void recover_flippedBitsAndNobodyElseAnswers_saysSoAndLeavesNothing() {
        try (RecoveryWorld world = world()) {
            fillAndDamage(world);
            world.other.kill();
            world.recover(ZONE, 2, 40, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DAMAGED);
            assertThat(world.arc.told).as("what was asked of the arc").isEmpty();
            assertThat(world.memory.statistics().chunks()).isZero();
        }
    }

    @Test
    void recover_ownCopyIsNotWholeAndNobodyElseHasIt_saysThatItIsDamaged() {
        try (RecoveryWorld world = world()) {
            world.acceptDamage = true;
            world.open(ZONE);
            world.owner.open(world.candidate, ZONE, 2, 5, true);
            world.owner.replicate(
                    world.candidate,
                    ZONE,
                    2,
                    false,
                    world.owner.batch(ZONE, 2, 6, batch -> batch.chunk(cid(6), new byte[] {6}, 0, 1)));
            world.other.kill();
            world.recover(ZONE, 3, 6, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 3).state()).isEqualTo(State.DONE);
            assertThat(world.arc.told.getLast().damaged()).isTrue();
            assertThat(value(world.memory, cid(6))).containsExactly(6);
        }
    }

    @Test
    void recover_ownChunksOfAnEarlierIncarnation_comeBackBelowTheFirstLid() {
        try (RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, Owner.NID, 100_000)) {
            world.memory.reserveLids(200_000);
            long fresh = world.memory.create(8);
            assertThat(Cid.lid(fresh)).isEqualTo(100_000);
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> {
                for (int lid = 1; lid <= 3000; lid++) {
                    batch.chunk(cid(lid), new byte[64], 0, 64);
                }
            });
            world.recover(ZONE, 2, 1, span(1, 65536), 0);
            assertThat(world.ended(ZONE, 2).chunks()).isEqualTo(3000);
            assertThat(world.ownership.owns(cid(3000))).isTrue();
            for (int i = 0; i < 1000; i++) {
                assertThat(Cid.lid(world.memory.create(64))).isGreaterThan(100_000);
            }
        }
    }

    @Test
    void recover_ownChunksOfThisIncarnation_replacePlaceholdersAndFreeTheRest() {
        try (RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, Owner.NID, 1)) {
            world.memory.reserveLids(101);
            for (int i = 0; i < 100; i++) {
                world.memory.create(0);
            }
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> {
                batch.chunk(cid(7), new byte[] {7}, 0, 1);
                batch.chunk(cid(8), new byte[0], 0, 0);
            });
            world.recover(ZONE, 2, 1, span(1, 100), 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.memory.statistics().chunks()).isEqualTo(2);
            assertThat(value(world.memory, cid(7))).containsExactly(7);
            assertThat(world.memory.sizeOf(cid(8))).isZero();
            assertThat(world.learnt).contains("returned 1..100");
        }
    }

    /** Returns a peer whose own chunks 1 to 100 are owned by others: placeholders hold their LIDs. */
    private static RecoveryWorld worldWithPlaceholders() {
        RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, Owner.NID, 1);
        world.memory.reserveLids(101);
        for (int i = 0; i < 100; i++) {
            world.memory.create(0);
        }
        world.ownership.learn(new CidRange(cid(1), cid(100), Placement.unreplicated(0x2000, 1)));
        world.open(ZONE);
        world.replicate(ZONE, 1, batch -> batch.chunk(cid(7), new byte[] {7}, 0, 1));
        return world;
    }

    @Test
    void recover_ownChunksOfThisIncarnation_areServedWhenNoPlaceholderIsThereAnyMore() {
        try (RecoveryWorld world = worldWithPlaceholders()) {
            world.recover(ZONE, 2, 1, span(1, 100), 0);
            assertThat(world.world.runUntil(
                            () -> world.ownership.owns(cid(100)) && !world.ownership.isUncertain(cid(100)),
                            10_000_000_000L))
                    .isTrue();
            assertThat(world.memory.statistics().chunks()).isEqualTo(1);
            assertThat(value(world.memory, cid(7))).containsExactly(7);
        }
    }

    @Test
    void recover_ownChunksOfThisIncarnation_createsWaitUntilTheirZoneIsKnown() {
        try (RecoveryWorld world = worldWithPlaceholders()) {
            world.recover(ZONE, 2, 1, span(1, 100), 0);
            assertThat(world.world.runUntil(() -> world.memory.statistics().chunks() == 1, 10_000_000_000L))
                    .isTrue();
            assertThat(world.taken.isEmpty()).isEqualTo(world.ownership.mustCreatesWait());
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.ownership.mustCreatesWait()).isFalse();
            assertThat(world.taken).hasSize(1);
        }
    }

    @Test
    void recover_ownChunksOfThisIncarnationInManySpans_freesTheLidsOfAll() {
        try (RecoveryWorld world = new RecoveryWorld(MEMORY_BYTES, Owner.NID, 1)) {
            world.memory.reserveLids(20_001);
            for (int i = 0; i < 20_000; i++) {
                world.memory.create(0);
            }
            world.open(ZONE);
            world.replicate(ZONE, 1, batch -> {
                for (int lid : new int[] {1, 4097, 9000, 15_000, 20_000}) {
                    batch.chunk(cid(lid), new byte[] {7}, 0, 1);
                }
            });
            List<RunRecovery.Span> spans = new ArrayList<>(span(1, 9000));
            spans.addAll(span(15_000, 15_000));
            spans.addAll(span(15_001, 20_000));
            world.recover(ZONE, 2, 1, spans, 0);
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.memory.statistics().chunks())
                    .as("five chunks, and the placeholders of chunks that others own")
                    .isEqualTo(5 + 5999);
        }
    }

    @Test
    void isIdle_arcIsAskedForTheCommit_isFalse() {
        try (RecoveryWorld world = world()) {
            world.open(ZONE);
            world.arc.failures = 1000;
            world.recover(ZONE, 2, 0, span(1, 65536), 0);
            assertThat(world.world.runUntil(() -> world.arc.failures < 1000, 1_000_000_000L))
                    .isTrue();
            assertThat(world.recoveries().isIdle()).isFalse();
            world.arc.failures = 0;
            assertThat(world.ended(ZONE, 2).state()).isEqualTo(State.DONE);
            assertThat(world.recoveries().isIdle()).isTrue();
        }
    }

    @Test
    void recover_manyZonesAtOnce_allAreServed() {
        try (RecoveryWorld world = world()) {
            for (int number = 1; number <= 20; number++) {
                int zone = BackupZone.id(Owner.NID, number);
                long first = number * 1000L;
                world.open(zone);
                world.replicate(zone, 1, batch -> {
                    for (int i = 0; i < 100; i++) {
                        batch.chunk(cid(first + i), new byte[64], 0, 64);
                    }
                });
            }
            for (int number = 1; number <= 20; number++) {
                world.recover(BackupZone.id(Owner.NID, number), 2, 1, span(number * 1000L, number * 1000L + 999), 0);
            }
            for (int number = 1; number <= 20; number++) {
                assertThat(world.ended(BackupZone.id(Owner.NID, number), 2).state())
                        .isEqualTo(State.DONE);
            }
            assertThat(world.memory.statistics().chunks()).isEqualTo(2000);
            assertThat(world.recoveries().running()).isZero();
        }
    }

    @Test
    void ask_otherIncarnation_isRefused() {
        try (RecoveryWorld world = world()) {
            RunRecovery order = new RunRecovery(
                    RecoveryWorld.INCARNATION_EPOCH - 1,
                    List.of(new RunRecovery.Task(ZONE, 2, 0, List.of(), List.of(), 0, false)));
            assertThat(world.owner
                            .call(world.candidate, MessageType.RUN_RECOVERY, order)
                            .zones()
                            .getFirst()
                            .state())
                    .isEqualTo(State.FAILED);
        }
    }
}
