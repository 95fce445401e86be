package dev.granary.storage.recover;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.BatchWriter;
import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecovery.Span;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.storage.backup.Owner;
import dev.granary.storage.recover.ZoneReplay.Outcome;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZoneReplayTest {

    private static final int ZONE = RecoveryWorld.ZONE;
    private static final int OWN = RecoveryWorld.CANDIDATE;
    private static final int OWN_ZONE = BackupZone.id(OWN, 1);

    /** LIDs from this one on belong to this incarnation. */
    private static final long FIRST_LID = 100;

    private static final byte[] NOTHING = {};

    private final RecoveryWorld world = new RecoveryWorld(16 << 20, OWN, FIRST_LID);

    private ZoneReplay replay(int zone, long lastSequence, Span... spans) {
        RunRecovery.Task order = new RunRecovery.Task(zone, 2, lastSequence, List.of(), List.of(spans), 0, false);
        return new ZoneReplay(world.site(), order, new Spans(List.of(spans)));
    }

    private static Span span(int nid, long from, long to) {
        return new Span(Cid.of(nid, from), Cid.of(nid, to));
    }

    private static void chunk(BatchWriter out, long cid, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        out.chunk(cid, bytes, 0, bytes.length);
    }

    private static byte[] batch(int zone, Consumer<BatchWriter> entries) {
        BatchWriter writer = new BatchWriter();
        writer.start(zone, 1, 1);
        entries.accept(writer);
        ByteBuffer batch = writer.finish();
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        return bytes;
    }

    private byte[] chunks(int zone, int nid, long... lids) {
        return batch(zone, out -> {
            for (long lid : lids) {
                chunk(out, Cid.of(nid, lid), "c" + lid);
            }
        });
    }

    private int size(int nid, long lid) {
        return world.memory.sizeOf(Cid.of(nid, lid));
    }

    private void placeholders(long from, long to) {
        for (long lid = from; lid <= to; lid++) {
            world.memory.insert(Cid.of(OWN, lid), MemorySegment.ofArray(NOTHING), 0, 0);
        }
    }

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void replay_ownCopyIsWhole_allChunksOfTheSpansAreInMemory() {
        world.open(ZONE);
        world.replicate(ZONE, 1, out -> {
            chunk(out, Cid.of(Owner.NID, 1), "one");
            chunk(out, Cid.of(Owner.NID, 20), "another zone's");
        });
        world.replicate(ZONE, 2, out -> chunk(out, Cid.of(Owner.NID, 2), "two and two"));
        world.world.runFor(1_000_000_000);
        ZoneReplay replay = replay(ZONE, 2, span(Owner.NID, 1, 9));

        assertThat(replay.replay()).isEqualTo(Outcome.COMPLETE);

        assertThat(replay.chunks()).isEqualTo(2);
        assertThat(replay.bytes()).isEqualTo(14);
        assertThat(size(Owner.NID, 2)).isEqualTo(11);
        assertThat(size(Owner.NID, 20)).isEqualTo(ChunkMemory.ABSENT);
    }

    @Test
    void replay_copyEndsBeforeTheLastSequenceOrIsNotThere_isDamaged() {
        world.open(ZONE);
        world.replicate(ZONE, 1, out -> chunk(out, Cid.of(Owner.NID, 1), "one"));
        world.world.runFor(1_000_000_000);
        assertThat(replay(ZONE, 2, span(Owner.NID, 1, 9)).replay()).isEqualTo(Outcome.DAMAGED);
        assertThat(replay(ZONE + 1, 0, span(Owner.NID, 1, 9)).replay()).isEqualTo(Outcome.DAMAGED);
    }

    @Test
    void take_severalParts_areInMemoryWithTheLast() {
        ZoneReplay replay = replay(ZONE, 2, span(Owner.NID, 1, 9));
        assertThat(replay.take(chunks(ZONE, Owner.NID, 1, 2), false)).isEqualTo(Outcome.COMPLETE);
        assertThat(replay.take(chunks(ZONE, Owner.NID, 2, 3), false)).isEqualTo(Outcome.COMPLETE);
        assertThat(replay.take(NOTHING, true)).isEqualTo(Outcome.COMPLETE);
        assertThat(replay.chunks()).isEqualTo(3);
        assertThat(size(Owner.NID, 3)).isEqualTo(2);
    }

    @Test
    void take_brokenBatchOrOneOfAnotherZone_isDamaged() {
        ZoneReplay replay = replay(ZONE, 2, span(Owner.NID, 1, 9));
        byte[] broken = chunks(ZONE, Owner.NID, 1, 2);
        broken[broken.length - 1] ^= 1;
        assertThat(replay.take(broken, false)).isEqualTo(Outcome.DAMAGED);
        assertThat(replay.take(chunks(ZONE + 1, Owner.NID, 1), true)).isEqualTo(Outcome.DAMAGED);
        replay.discard();
        assertThat(size(Owner.NID, 1)).isEqualTo(ChunkMemory.ABSENT);
    }

    @Test
    void take_moreThanMemoryHas_noRoomAndAllCanBeTakenOut() {
        world.window = new WindowBounds(1 << 20, 10);
        ZoneReplay replay = replay(ZONE, 2, span(Owner.NID, 1, 1_000));
        Outcome outcome = Outcome.COMPLETE;
        for (long lid = 1; lid <= 40 && outcome == Outcome.COMPLETE; lid++) {
            long cid = Cid.of(Owner.NID, lid);
            outcome = replay.take(batch(ZONE, out -> chunk(out, cid, "x".repeat(1 << 20))), false);
        }
        assertThat(outcome).isEqualTo(Outcome.NO_ROOM);
        replay.discard();
        assertThat(size(Owner.NID, 1)).isEqualTo(ChunkMemory.ABSENT);
        assertThat(replay.chunks()).isZero();
        assertThat(replay.bytes()).isZero();
    }

    @Test
    void discard_afterACompleteReplay_takesOutTheSpansAndNothingElse() {
        world.memory.insert(Cid.of(Owner.NID, 10), MemorySegment.ofArray(NOTHING), 0, 0);
        ZoneReplay replay = replay(ZONE, 2, span(Owner.NID, 1, 9), span(Owner.NID, 20, 29));
        replay.take(chunks(ZONE, Owner.NID, 1, 9, 20, 29), true);
        replay.discard();
        for (long lid : new long[] {1, 9, 20, 29}) {
            assertThat(size(Owner.NID, lid)).isEqualTo(ChunkMemory.ABSENT);
        }
        assertThat(size(Owner.NID, 10)).isZero();
        replay.discard();
    }

    @Test
    void discard_whatNeverBegan_touchesNothing() {
        world.memory.insert(Cid.of(Owner.NID, 1), MemorySegment.ofArray(NOTHING), 0, 0);
        replay(ZONE, 2, span(Owner.NID, 1, 9)).discard();
        assertThat(size(Owner.NID, 1)).isZero();
    }

    @Test
    void release_partsThatDoNotComeAnyMore_dropsWhatWasCollected() {
        ZoneReplay replay = replay(ZONE, 2, span(Owner.NID, 1, 9));
        replay.take(chunks(ZONE, Owner.NID, 1), false);
        replay.release();
        replay.release();
        assertThat(size(Owner.NID, 1)).isEqualTo(ChunkMemory.ABSENT);
        assertThat(replay.chunks()).isZero();
    }

    @Test
    void hasPlaceholders_ownLidsOfThisIncarnationOnly() {
        assertThat(replay(OWN_ZONE, 0, span(OWN, 1, FIRST_LID - 1)).hasPlaceholders())
                .isFalse();
        assertThat(replay(OWN_ZONE, 0, span(OWN, 1, FIRST_LID)).hasPlaceholders())
                .isTrue();
        assertThat(replay(ZONE, 0, span(Owner.NID, FIRST_LID, 200)).hasPlaceholders())
                .isFalse();
        assertThat(replay(ZONE, 0).hasPlaceholders()).isFalse();
    }

    @Test
    void freeSomeLids_ofThisIncarnation_thoseThatDidNotComeBackAreFree() {
        placeholders(100, 109);
        ZoneReplay replay = replay(OWN_ZONE, 2, span(OWN, 90, 104), span(OWN, 106, 109));
        replay.take(chunks(OWN_ZONE, OWN, 95, 100, 103, 109), true);
        int calls = 1;
        while (!replay.freeSomeLids()) {
            calls++;
        }
        assertThat(calls).isEqualTo(2);
        assertThat(size(OWN, 95)).isEqualTo(3);
        for (long lid : new long[] {100, 103, 109}) {
            assertThat(size(OWN, lid)).isEqualTo(("c" + lid).length());
        }
        for (long lid : new long[] {101, 102, 104, 106, 108}) {
            assertThat(size(OWN, lid)).as("LID %d", lid).isEqualTo(ChunkMemory.ABSENT);
        }
        assertThat(size(OWN, 105)).as("not of the zone").isZero();
        assertThat(replay.freeSomeLids()).isTrue();
    }

    @Test
    void freeSomeLids_longSpan_someWithEachCall() {
        ZoneReplay replay = replay(OWN_ZONE, 2, span(OWN, FIRST_LID, FIRST_LID + 10_000));
        replay.take(NOTHING, true);
        int calls = 1;
        while (!replay.freeSomeLids()) {
            calls++;
        }
        assertThat(calls).isEqualTo(3);
    }

    @Test
    void freeSomeLids_othersChunks_nothingToFree() {
        world.memory.insert(Cid.of(Owner.NID, 5), MemorySegment.ofArray(NOTHING), 0, 0);
        ZoneReplay replay = replay(ZONE, 2, span(Owner.NID, 1, 9));
        replay.take(chunks(ZONE, Owner.NID, 1), true);
        assertThat(replay.freeSomeLids()).isTrue();
        assertThat(size(Owner.NID, 5)).isZero();
    }

    @Test
    void discard_ownLidsOfThisIncarnation_arePlaceholdersAgain() {
        placeholders(100, 103);
        ZoneReplay replay = replay(OWN_ZONE, 2, span(OWN, 90, 103));
        replay.take(chunks(OWN_ZONE, OWN, 95, 101), true);
        replay.discard();
        assertThat(size(OWN, 95)).isEqualTo(ChunkMemory.ABSENT);
        for (long lid = 100; lid <= 103; lid++) {
            assertThat(size(OWN, lid)).as("LID %d", lid).isZero();
        }
    }
}
