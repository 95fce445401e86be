package dev.granary.storage.replicate;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.C;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static dev.granary.storage.replicate.LoneOwner.copy;
import static dev.granary.storage.replicate.LoneOwner.placement;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.EntryVisitor;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.overlay.Cid;
import dev.granary.overlay.PlacementState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CopyFillTest {

    private static final long SECOND = 1_000 * MILLI;
    private static final int CHUNKS = 300;
    private static final int CHUNK_BYTES = 2_000;

    private final LoneOwner owner = new LoneOwner();
    private final ChunkMemory memory =
            ChunkMemories.open(ChunkMemoryConfig.of(NID, 8 << 20).withHugePages(false));
    private final List<CopyFill> ended = new ArrayList<>();
    private CompletableFuture<Void> turnOver = CompletableFuture.completedFuture(null);
    private final OwnedZone zone = owner.zone(B);

    private final ZoneContent content = new ZoneContent() {
        @Override
        public ChunkMemory memory() {
            return memory;
        }

        @Override
        public CompletableFuture<Void> turnOver() {
            return turnOver;
        }

        @Override
        public void tell(long startCid, long endCidInclusive, Visitor visitor) {
            visitor.token(startCid, 70);
        }
    };

    @BeforeEach
    void createChunks() {
        owner.wantedCopies = 2;
        owner.run(() -> owner.replication().wantCopies(2));
        MemorySegment bytes = MemorySegment.ofArray(new byte[CHUNK_BYTES]);
        memory.reserveLids(1 + CHUNKS);
        for (int i = 0; i < CHUNKS; i++) {
            memory.create(bytes, 0, CHUNK_BYTES);
        }
    }

    @AfterEach
    void close() {
        owner.close();
        memory.verify().throwIfBroken();
        memory.close();
    }

    /** Begins to fill a copy on C, as the super-peer has ordered it. */
    private CopyFill begin() {
        List<CopyFill> begun = new ArrayList<>();
        owner.run(() -> {
            ZoneCopy copy = new ZoneCopy(zone, owner.replication().streamTo(C));
            zone.lock();
            try {
                copy.acked = zone.last();
                copy.next = copy.acked + 1;
                zone.addCopy(copy);
            } finally {
                zone.unlock();
            }
            ZoneSnapshot snapshot = new ZoneSnapshot(
                    content,
                    ZONE,
                    zone.placement().epoch(),
                    zone.last(),
                    owner.replication().zones().partsOf(zone));
            CopyFill fill = new CopyFill(
                    owner.replication().calls(),
                    owner.replication().changes(),
                    owner.replication().transfers(),
                    owner.replication().metrics(),
                    copy,
                    owner.backup(C).address(),
                    snapshot,
                    ended::add);
            begun.add(fill);
            fill.begin();
        });
        return begun.getFirst();
    }

    private void delete(long lid, boolean sync) {
        memory.delete(Cid.of(NID, lid));
        owner.delete(zone, lid, sync);
    }

    /** The sizes of the chunks that C would recover, by LID; its lock tokens have negative keys. */
    private Map<Long, Integer> copied() {
        Map<Long, Integer> found = new TreeMap<>();
        owner.backup(C).life().log().replay(ZONE, Long.MAX_VALUE, new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                found.put(Cid.lid(cid), length);
            }

            @Override
            public void token(long cid, long token, long epoch, long sequence) {
                found.put(-token, 0);
            }
        });
        return found;
    }

    private boolean isMember(int nid) {
        return Arrays.stream(zone.placement().backups()).anyMatch(member -> member == nid);
    }

    private long baseOnDisk() {
        return Objects.requireNonNull(owner.backup(C).life().log().zone(ZONE)).baseSequence();
    }

    private int copiesOnDisk() {
        return owner.backup(C).life().log().zoneCount();
    }

    @Test
    void begin_whileChunksChange_theBackupGetsAllOfThemAndBecomesAMember() {
        CopyFill fill = begin();
        assertThat(fill.targetNid()).isEqualTo(C);
        for (int lid = 1; lid <= 10; lid++) {
            delete(lid, lid == 5);
            owner.world.runFor(2 * MILLI);
        }
        owner.world.runFor(5 * SECOND);

        assertThat(ended).containsExactly(fill);
        assertThat(owner.changes).hasSize(1);
        assertThat(owner.changes.getFirst().added()).containsExactly(C);
        assertThat(isMember(C)).isTrue();
        assertThat(zone.acked()).isEqualTo(10);
        assertThat(zone.synced()).isGreaterThanOrEqualTo(5);
        Map<Long, Integer> found = copied();
        assertThat(found).containsEntry(-70L, 0).containsEntry(11L, CHUNK_BYTES).doesNotContainKey(10L);
        assertThat(found).hasSize(CHUNKS - 10 + 1);
        assertThat(owner.registry.getSampleValue("granary_storage_copies_filled_total"))
                .isEqualTo(1);
    }

    /** ADR 0253: the base may have the changes, so a recovery must not cut the copy to what was before them. */
    @Test
    void begin_chunksChangeDuringTheFill_theCopyCannotBeCutBelowTheseChanges() {
        begin();
        owner.world.runFor(3 * MILLI);
        delete(CHUNKS, false);
        long changed = zone.last();
        owner.world.runFor(5 * SECOND);

        assertThat(isMember(C)).isTrue();
        assertThat(baseOnDisk()).isEqualTo(changed).isPositive();
    }

    /** ADR 0253: of a recovery the member that lacks the change would count, and the copy would not. */
    @Test
    void begin_aMemberLacksAChangeThatTheCopyMayHave_joinsOnceTheMemberHasItOrFails() {
        owner.backup(B).machine().pause(150 * MILLI);
        delete(1, false);
        begin();
        owner.world.runFor(120 * MILLI);
        assertThat(copy(zone, B).acked).isZero();
        assertThat(copy(zone, C).acked).isEqualTo(1);
        assertThat(owner.changes).isEmpty();
        owner.world.runFor(SECOND);
        assertThat(zone.placement().backups()).containsExactly(B, C);
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void begin_theOnlyMemberLacksAChangeAndStaysSilent_theCopyReplacesIt() {
        owner.backup(B).kill();
        delete(1, false);
        begin();
        owner.world.runFor(5 * SECOND);
        assertThat(zone.placement().backups()).containsExactly(C);
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void begin_operationsFromBeforeRunOn_isNoMemberBeforeTheyHaveEnded() {
        turnOver = new CompletableFuture<>();
        begin();
        owner.world.runFor(5 * SECOND);
        assertThat(ended).isEmpty();
        assertThat(owner.changes).isEmpty();
        owner.run(() -> turnOver.complete(null));
        owner.world.runFor(SECOND);
        assertThat(isMember(C)).isTrue();
    }

    @Test
    void begin_backupIsDead_isGivenUpAndTheArcIsNotAsked() {
        owner.backup(C).kill();
        CopyFill fill = begin();
        owner.world.runFor(5 * SECOND);
        assertThat(ended).containsExactly(fill);
        assertThat(zone.copyOn(C)).isNull();
        assertThat(owner.changes).isEmpty();
    }

    @Test
    void begin_backupStandsStillForAMoment_goesOn() {
        begin();
        owner.world.runFor(10 * MILLI);
        owner.backup(C).machine().pause(200 * MILLI);
        owner.world.runFor(5 * SECOND);
        assertThat(isMember(C)).isTrue();
        assertThat(copied()).hasSize(CHUNKS + 1);
    }

    @Test
    void begin_zoneGoesToTheNextEpoch_isGivenUpAndTheBackupDropsItsCopy() {
        begin();
        owner.world.runFor(10 * MILLI);
        assertThat(copiesOnDisk()).isEqualTo(1);
        owner.placement = placement(2, PlacementState.DEGRADED, B);
        owner.run(() -> owner.replication().changes().adopt(zone, placement(2, PlacementState.DEGRADED, B)));
        owner.world.runFor(SECOND);
        assertThat(ended).hasSize(1);
        assertThat(zone.copyOn(C)).isNull();
        assertThat(copiesOnDisk()).isZero();
        assertThat(owner.changes).isEmpty();
    }

    @Test
    void begin_arcDoesNotAddTheBackup_theCopyIsGivenUp() {
        owner.arcKeeps = true;
        begin();
        owner.world.runFor(5 * SECOND);
        assertThat(ended).hasSize(1);
        assertThat(zone.copyOn(C)).isNull();
        assertThat(isMember(C)).isFalse();
        delete(1, false);
        owner.world.runFor(SECOND);
        assertThat(zone.acked()).as("nothing waits for C").isEqualTo(1);
    }

    /** Any request to the arc may have added the copy although no answer has come: from then on answers wait for it. */
    @Test
    void begin_arcDoesNotAnswer_nothingIsAcknowledgedWithoutTheCopy() {
        owner.arcRefusal = ErrorReply.of(ErrorCode.RETRY_LATER, "nobody leads the arc");
        begin();
        owner.world.runFor(5 * SECOND);
        assertThat(owner.changes).extracting(ChangeCopies::added).isNotEmpty().containsOnly(List.of(C));
        owner.backup(C).kill();
        delete(1, false);
        owner.world.runFor(SECOND);
        assertThat(zone.acked()).isZero();
        assertThat(zone.copyOn(C)).isNotNull();
    }

    @Test
    void begin_zoneEnds_isGivenUp() {
        begin();
        owner.run(() -> owner.replication().zones().end(zone));
        owner.world.runFor(SECOND);
        assertThat(ended).hasSize(1);
        assertThat(owner.changes).isEmpty();
    }
}
