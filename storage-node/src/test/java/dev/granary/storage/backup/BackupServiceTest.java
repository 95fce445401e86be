package dev.granary.storage.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.log.batch.Batch;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.FetchedCopy;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.testkit.SimulatedDisk;
import dev.granary.testkit.Simulation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The real service and log on a simulated disk and network. */
class BackupServiceTest {

    private static final int ZONE = BackupZone.id(Owner.NID, 1);
    private static final long CID = Cid.of(Owner.NID, 1);

    private final Simulation world = new Simulation(20_261_121);
    private final BackupPeer backup = new BackupPeer(world, "backup", 0x8000);
    private final Owner owner = new Owner(world);

    @BeforeEach
    void start() {
        backup.start();
        world.runFor(1_000_000);
    }

    private void startAgain() {
        backup.start();
        world.runFor(1_000_000);
        owner.reconnect(backup);
    }

    private byte[] put(long epoch, long sequence, long lid, int value) {
        return owner.batch(ZONE, epoch, sequence, batch -> batch.chunk(Cid.of(Owner.NID, lid), bytes(value), 0, 4));
    }

    private static byte[] bytes(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    @Test
    void replicate_batchesInOrder_areHeldAndReplayed() {
        assertThat(owner.open(backup, ZONE, 1, 0, false).result()).isEqualTo(CopyResult.OK);
        CopyState state = owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 10), put(1, 2, 2, 20));
        assertThat(state).isEqualTo(new CopyState(ZONE, CopyResult.OK, 1, 2));
        state = owner.replicate(backup, ZONE, 1, true, put(1, 3, 1, 11));
        assertThat(state.lastSequence()).isEqualTo(3);
        assertThat(replayed(3)).containsExactly(Map.entry(CID, 11), Map.entry(CID + 1, 20));
        assertThat(replayed(2)).as("up to a sequence").containsExactly(Map.entry(CID, 10), Map.entry(CID + 1, 20));
    }

    @Test
    void replicate_gapDuplicateUnknownOrBroken_isToldAndChangesNothing() {
        assertThat(owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 10)).result())
                .isEqualTo(CopyResult.UNKNOWN_ZONE);
        owner.open(backup, ZONE, 1, 0, false);
        owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 10));
        assertThat(owner.replicate(backup, ZONE, 1, false, put(1, 3, 1, 12)))
                .isEqualTo(new CopyState(ZONE, CopyResult.GAP, 1, 1));
        assertThat(owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 10), put(1, 2, 1, 11)))
                .isEqualTo(new CopyState(ZONE, CopyResult.OK, 1, 2));
        byte[] broken = put(1, 3, 1, 12);
        broken[broken.length - 1] ^= 1;
        assertThat(owner.replicate(backup, ZONE, 1, false, broken).result()).isEqualTo(CopyResult.FAILED);
        assertThat(owner.replicate(backup, ZONE, 1, false, new byte[] {1, 2, 3}).result())
                .isEqualTo(CopyResult.FAILED);
        assertThat(replayed(9)).containsExactly(Map.entry(CID, 11));
    }

    /** A machine that lives on although another one has its disk: its arc counts on the copies of the other one. */
    @Test
    void open_withoutALease_isRefusedUntilThereIsOne() {
        backup.holdsLease = false;
        assertThatThrownBy(() -> owner.open(backup, ZONE, 1, 0, false)).hasMessageContaining("holds no lease");
        backup.holdsLease = true;
        assertThat(owner.open(backup, ZONE, 1, 0, false).result()).isEqualTo(CopyResult.OK);
        backup.holdsLease = false;
        assertThat(owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 10)))
                .as("what was opened goes on")
                .isEqualTo(new CopyState(ZONE, CopyResult.OK, 1, 1));
    }

    @Test
    void seal_higherEpoch_refusesTheOldOwnerAlsoAfterARestart() {
        owner.open(backup, ZONE, 1, 0, false);
        owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 10));
        SealedCopies.Copy sealed = owner.seal(backup, ZONE, 5);
        assertThat(sealed).isEqualTo(new SealedCopies.Copy(ZONE, true, 1, 0, 1, true, true, 5, sealed.bytes()));
        assertThat(owner.seal(backup, ZONE, 4).fencedEpoch())
                .as("an older recovery")
                .isEqualTo(5);
        assertThat(owner.replicate(backup, ZONE, 1, false, put(1, 2, 1, 11)))
                .isEqualTo(new CopyState(ZONE, CopyResult.FENCED, 5, 1));
        assertThat(owner.open(backup, ZONE, 4, 1, false).result()).isEqualTo(CopyResult.FENCED);

        backup.powerOff();
        startAgain();

        assertThat(owner.replicate(backup, ZONE, 1, false, put(1, 2, 1, 11)).result())
                .isEqualTo(CopyResult.FENCED);
        sealed = owner.seal(backup, ZONE, 6);
        assertThat(sealed)
                .as("it cannot know what it has lost")
                .isEqualTo(new SealedCopies.Copy(ZONE, true, 1, 0, 1, false, true, 6, sealed.bytes()));
    }

    /** By it zones are recovered largest first. */
    @Test
    void seal_copiesOfDifferentSizes_tellTheirBytes() {
        owner.open(backup, ZONE, 1, 0, false);
        long empty = owner.seal(backup, ZONE, 5).bytes();
        owner.open(backup, ZONE, 6, 0, false);
        owner.replicate(backup, ZONE, 6, false, put(6, 1, 1, 10));
        long small = owner.seal(backup, ZONE, 7).bytes();
        owner.open(backup, ZONE, 8, 1, false);
        for (int sequence = 2; sequence <= 50; sequence++) {
            owner.replicate(backup, ZONE, 8, false, put(8, sequence, sequence, 10));
        }
        long large = owner.seal(backup, ZONE, 9).bytes();
        assertThat(empty).isZero();
        assertThat(small).isPositive();
        assertThat(large).isGreaterThan(10 * small);
    }

    @Test
    void seal_zoneWithoutACopy_refusesToBeginIt() {
        assertThat(owner.seal(backup, ZONE, 5))
                .as("the backup's third incarnation had no copy")
                .isEqualTo(new SealedCopies.Copy(ZONE, false, 3, 0, 0, true, false, 5, 0));
        assertThat(owner.open(backup, ZONE, 4, 0, false)).isEqualTo(new CopyState(ZONE, CopyResult.FENCED, 5, 0));
        assertThat(owner.open(backup, ZONE, 5, 0, false).result()).isEqualTo(CopyResult.OK);
    }

    @Test
    void replicate_withoutBatches_tellsHowFarTheCopyHoldsAndSyncsThat() {
        owner.open(backup, ZONE, 3, 0, false);
        owner.replicate(backup, ZONE, 3, false, put(3, 1, 1, 10), put(3, 2, 2, 20));

        assertThat(owner.replicate(backup, ZONE, 3, true)).isEqualTo(new CopyState(ZONE, CopyResult.OK, 3, 2));
        assertThat(owner.replicate(backup, ZONE, 2, false).result()).isEqualTo(CopyResult.FENCED);
        assertThat(owner.replicate(backup, ZONE, 4, false).result()).isEqualTo(CopyResult.UNKNOWN_ZONE);
        assertThat(owner.replicate(backup, ZONE + 1, 3, false).result()).isEqualTo(CopyResult.UNKNOWN_ZONE);

        backup.powerOff();
        startAgain();
        owner.reconnect(backup);
        assertThat(replayed(9)).containsExactly(Map.entry(CID, 10), Map.entry(CID + 1, 20));
    }

    @Test
    void open_newEpoch_cutsTheTailOnceAndForAll() {
        owner.open(backup, ZONE, 1, 0, false);
        owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 10), put(1, 2, 1, 11), put(1, 3, 2, 30));
        owner.seal(backup, ZONE, 2);
        assertThat(owner.open(backup, ZONE, 2, 1, false)).isEqualTo(new CopyState(ZONE, CopyResult.OK, 2, 1));
        assertThat(owner.replicate(backup, ZONE, 2, true, put(2, 2, 3, 40)).lastSequence())
                .isEqualTo(2);
        assertThat(owner.open(backup, ZONE, 2, 1, false).lastSequence())
                .as("a repeated opening takes nothing away")
                .isEqualTo(2);
        assertThat(replayed(9)).containsExactly(Map.entry(CID, 10), Map.entry(CID + 2, 40));

        backup.kill();
        startAgain();
        assertThat(replayed(9)).containsExactly(Map.entry(CID, 10), Map.entry(CID + 2, 40));
    }

    @Test
    void open_newEpochBelowWhatTheCopyWasFilledWith_asksForAnotherFillingAndTakesNothingAway() {
        owner.open(backup, ZONE, 3, 40, true);
        owner.fill(backup, ZONE, 3, 0, put(3, 40, 1, 10), put(3, 40, 2, 20));
        owner.filled(backup, ZONE, 3, 1);
        owner.replicate(backup, ZONE, 3, false, put(3, 41, 2, 21));

        assertThat(owner.open(backup, ZONE, 4, 39, false).result()).isEqualTo(CopyResult.UNKNOWN_ZONE);

        assertThat(replayed(99)).containsExactly(Map.entry(CID, 10), Map.entry(CID + 1, 21));
        assertThat(owner.open(backup, ZONE, 4, 40, false)).isEqualTo(new CopyState(ZONE, CopyResult.OK, 4, 40));
        assertThat(replayed(99)).containsExactly(Map.entry(CID, 10), Map.entry(CID + 1, 20));
    }

    @Test
    void open_zoneThatIsNotHereWithABase_isUnknown() {
        assertThat(owner.open(backup, ZONE, 3, 7, false).result()).isEqualTo(CopyResult.UNKNOWN_ZONE);
    }

    @Test
    void replicate_synced_survivesALossOfPower() {
        owner.open(backup, ZONE, 1, 0, false);
        for (int i = 1; i <= 20; i++) {
            owner.replicate(backup, ZONE, 1, i == 10, put(1, i, 1, i));
        }
        backup.powerOff();
        startAgain();
        SealedCopies.Copy sealed = owner.seal(backup, ZONE, 2);
        assertThat(sealed.lastSequence()).isBetween(10L, 20L);
        assertThat(sealed.continuous()).isFalse();
        assertThat(replayed(99)).containsExactly(Map.entry(CID, (int) sealed.lastSequence()));
    }

    /** Because it refuses, nobody sends it anything; it has to check by itself whether there is space again. */
    @Test
    void seal_startedOnAFullDisk_answersWhenSpaceReturns() {
        owner.open(backup, ZONE, 1, 0, false);
        for (int i = 1; i <= 20; i++) {
            owner.replicate(backup, ZONE, 1, true, put(1, i, 1, i));
        }
        backup.kill();
        SimulatedDisk disk = backup.machine().disk();
        disk.setCapacity(disk.usedBytes());
        startAgain();
        assertThatThrownBy(() -> owner.seal(backup, ZONE, 2)).hasMessageContaining("full");

        disk.setCapacity(Long.MAX_VALUE);
        world.runFor(1_000_000_000);

        assertThat(owner.seal(backup, ZONE, 3).lastSequence()).isEqualTo(20);
        assertThat(replayed(99)).containsExactly(Map.entry(CID, 20));
    }

    @Test
    void replicate_failedDisk_saysSoAndIsNeverHeld() {
        owner.open(backup, ZONE, 1, 0, false);
        backup.machine().disk().failSyncAfter(0);
        assertThat(owner.replicate(backup, ZONE, 1, true, put(1, 1, 1, 10)).result())
                .isEqualTo(CopyResult.FAILED);
        assertThat(owner.replicate(backup, ZONE, 1, false, put(1, 2, 1, 11)).result())
                .isEqualTo(CopyResult.FAILED);
    }

    @Test
    void fill_stepsBesideChanges_makeAWholeCopy() {
        long base = 40;
        assertThat(owner.open(backup, ZONE, 3, base, true).result()).isEqualTo(CopyResult.OK);
        assertThat(owner.seal(backup, ZONE, 3).filled()).isFalse();
        owner.replicate(backup, ZONE, 3, false, put(3, base + 1, 2, 21));
        assertThat(owner.fill(backup, ZONE, 3, 0, put(3, base, 1, 10)).result()).isEqualTo(CopyResult.OK);
        assertThat(owner.fill(backup, ZONE, 3, 2, put(3, base, 9, 90)).result()).isEqualTo(CopyResult.GAP);
        assertThat(owner.fill(backup, ZONE, 3, 1, put(3, base, 2, 20), put(3, base, 3, 30))
                        .result())
                .isEqualTo(CopyResult.OK);
        assertThat(owner.fill(backup, ZONE, 3, 1, put(3, base, 2, 20)).result())
                .as("a step that has come before")
                .isEqualTo(CopyResult.OK);
        assertThat(owner.filled(backup, ZONE, 3, 3).result()).isEqualTo(CopyResult.GAP);
        assertThat(owner.filled(backup, ZONE, 3, 2)).isEqualTo(new CopyState(ZONE, CopyResult.OK, 3, base + 1));
        assertThat(owner.filled(backup, ZONE, 3, 2).result()).as("repeated").isEqualTo(CopyResult.OK);
        assertThat(replayed(99)).containsExactly(Map.entry(CID, 10), Map.entry(CID + 1, 21), Map.entry(CID + 2, 30));

        backup.powerOff();
        startAgain();
        assertThat(owner.seal(backup, ZONE, 4).filled()).isTrue();
    }

    @Test
    void fill_openedAnewInTheSameEpoch_takesAllStepsAgain() {
        owner.open(backup, ZONE, 3, 40, true);
        assertThat(owner.fill(backup, ZONE, 3, 0, put(3, 40, 1, 10)).result()).isEqualTo(CopyResult.OK);

        owner.open(backup, ZONE, 3, 41, true);

        assertThat(owner.filled(backup, ZONE, 3, 1).result())
                .as("what came before was for another base")
                .isEqualTo(CopyResult.GAP);
        assertThat(owner.fill(backup, ZONE, 3, 0, put(3, 41, 1, 11), put(3, 41, 2, 20))
                        .result())
                .isEqualTo(CopyResult.OK);
        assertThat(owner.filled(backup, ZONE, 3, 1).result()).isEqualTo(CopyResult.OK);
        assertThat(replayed(99)).containsExactly(Map.entry(CID, 11), Map.entry(CID + 1, 20));
    }

    @Test
    void open_zoneWhoseCopyWasLostWithAFailedLog_doesNotPassForIt() {
        backup.kill();
        backup.startWithout(Map.of(ZONE, 3L));
        world.runFor(1_000_000);
        owner.reconnect(backup);

        assertThat(owner.open(backup, ZONE, 3, 0, false).result()).isEqualTo(CopyResult.UNKNOWN_ZONE);
        assertThat(owner.open(backup, ZONE, 2, 0, true).result()).isEqualTo(CopyResult.FENCED);
        assertThat(owner.seal(backup, ZONE, 4))
                .isEqualTo(new SealedCopies.Copy(ZONE, false, 0, 0, 0, false, false, 4, 0));
        assertThat(owner.open(backup, ZONE, 4, 0, true).result()).isEqualTo(CopyResult.OK);
    }

    @Test
    void fill_afterARestart_isToldToBeginAnew() {
        owner.open(backup, ZONE, 3, 40, true);
        owner.fill(backup, ZONE, 3, 0, put(3, 40, 1, 10));
        backup.kill();
        startAgain();
        assertThat(owner.fill(backup, ZONE, 3, 1, put(3, 40, 2, 20)).result()).isEqualTo(CopyResult.UNKNOWN_ZONE);
        assertThat(owner.filled(backup, ZONE, 3, 1).result()).isEqualTo(CopyResult.UNKNOWN_ZONE);
        assertThat(owner.seal(backup, ZONE, 4).filled()).isFalse();
    }

    @Test
    void drop_lateMessage_takesNoCopyAwayThatIsWanted() {
        owner.open(backup, ZONE, 3, 0, false);
        owner.drop(backup, ZONE, 3);
        owner.drop(backup, ZONE, 2);
        assertThat(owner.seal(backup, ZONE, 3).held()).isTrue();
        owner.drop(backup, ZONE, 4);
        assertThat(owner.seal(backup, ZONE, 4))
                .as("the backup had a copy, and has dropped it")
                .isEqualTo(new SealedCopies.Copy(ZONE, false, 0, 0, 0, false, false, 4, 0));
        assertThat(owner.open(backup, ZONE, 3, 0, false).result()).isEqualTo(CopyResult.FENCED);
    }

    @Test
    void fetch_sealedCopy_bringsEverythingInParts() {
        owner.open(backup, ZONE, 1, 0, false);
        byte[] large = new byte[300_000];
        for (int i = 1; i <= 10; i++) {
            int lid = i;
            large[0] = (byte) i;
            owner.replicate(
                    backup,
                    ZONE,
                    1,
                    false,
                    owner.batch(ZONE, 1, i, batch -> batch.chunk(Cid.of(Owner.NID, lid), large, 0, large.length)));
            world.runFor(50_000_000);
        }
        assertThatThrownBy(() -> owner.fetch(backup, ZONE, 2, 9, 0))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RemoteErrorException.class);
        owner.seal(backup, ZONE, 2);
        Map<Long, Integer> fetched = new TreeMap<>();
        int parts = 0;
        long cursor = 0;
        do {
            FetchedCopy part = owner.fetch(backup, ZONE, 2, 9, cursor);
            assertThat(part.damaged()).isFalse();
            Batch batch = Batch.of(ByteBuffer.wrap(part.batches().bytes()));
            assertThat(batch).isNotNull();
            batch.forEach(new FirstBytes(fetched));
            cursor = part.nextCursor();
            parts++;
        } while (cursor != 0);
        assertThat(parts).isGreaterThan(2);
        assertThat(fetched).hasSize(9);
        fetched.forEach((cid, first) -> assertThat((long) first).isEqualTo(Cid.lid(cid)));
    }

    /** All chunks and requests arrive once, in pieces that fit; a chunk that does not fit arrives alone. */
    @Test
    void fetch_copyLargerThanItsRoom_bringsEverythingOnceByPieces() {
        backup.withSpoolBytes(200_000).powerOff();
        startAgain();
        owner.open(backup, ZONE, 1, 0, false);
        int chunks = 60;
        for (int i = 1; i <= chunks; i++) {
            int lid = i;
            byte[] value = new byte[i == 7 ? 150_000 : 20_000];
            value[0] = (byte) i;
            owner.replicate(backup, ZONE, 1, false, owner.batch(ZONE, 1, i, batch -> {
                batch.chunk(Cid.of(Owner.NID, lid), value, 0, value.length);
                batch.request(100 + lid, 1, 0, new byte[] {1});
                batch.token(Cid.of(Owner.NID, lid), 1000 + lid);
            }));
            world.runFor(50_000_000);
        }
        owner.seal(backup, ZONE, 2);
        List<String> told = new ArrayList<>();
        long cursor = 0;
        do {
            FetchedCopy part = owner.fetch(backup, ZONE, 2, chunks, cursor);
            assertThat(part.damaged()).isFalse();
            Batch batch = Batch.of(ByteBuffer.wrap(part.batches().bytes()));
            assertThat(batch).isNotNull();
            List<Long> cids = new ArrayList<>();
            batch.forEach(new Entries(told, cids));
            assertThat(part.batches().bytes().length)
                    .isLessThan(cids.equals(List.of(Cid.of(Owner.NID, 7))) ? 160_000 : 110_000);
            cursor = part.nextCursor();
        } while (cursor != 0);

        List<String> expected = new ArrayList<>();
        for (int lid = 1; lid <= chunks; lid++) {
            expected.add("chunk " + Cid.of(Owner.NID, lid) + " " + lid);
            expected.add("request " + (100 + lid));
            expected.add("token " + Cid.of(Owner.NID, lid) + " " + (1000 + lid));
        }
        assertThat(told).containsExactlyInAnyOrderElementsOf(expected);
    }

    /** The entries of batches, as text. */
    private record Entries(List<String> told, List<Long> cids) implements EntryVisitor {

        @Override
        public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
            cids.add(cid);
            told.add("chunk " + cid + " " + bytes.get(ValueLayout.JAVA_BYTE, offset));
        }

        @Override
        public void request(
                long clientId,
                long requestSequence,
                long ackedSequence,
                long epoch,
                long sequence,
                MemorySegment bytes,
                long offset,
                int length) {
            told.add("request " + clientId);
        }

        @Override
        public void token(long cid, long token, long epoch, long sequence) {
            told.add("token " + cid + " " + token);
        }
    }

    @Test
    void list_copies_tellsThemInPages() {
        for (int i = 1; i <= 5; i++) {
            owner.open(backup, BackupZone.id(Owner.NID, i), i, 0, false);
        }
        CopyList first = owner.call(backup, MessageType.LIST_COPIES, new ListCopies(0, 3));
        assertThat(first.peerEpoch()).isEqualTo(3);
        assertThat(first.copies()).hasSize(3);
        CopyList rest = owner.call(backup, MessageType.LIST_COPIES, new ListCopies(first.nextZone(), 3));
        assertThat(rest.nextZone()).isZero();
        assertThat(rest.copies()).extracting(CopyList.Held::epoch).containsExactly(4L, 5L);
        assertThat(owner.call(backup, MessageType.LIST_COPIES, new ListCopies(0, 0))
                        .copies())
                .isEmpty();
    }

    @Test
    void anything_ofAnotherCluster_isRefused() {
        owner.cluster = new UUID(9, 9);
        assertThatThrownBy(() -> owner.open(backup, ZONE, 1, 0, false))
                .cause()
                .isInstanceOfSatisfying(
                        RemoteErrorException.class,
                        error -> assertThat(error.reply().code()).isEqualTo(ErrorCode.WRONG_CLUSTER));
        assertThatThrownBy(() -> owner.replicate(backup, ZONE, 1, false, put(1, 1, 1, 1)))
                .hasCauseInstanceOf(RemoteErrorException.class);
    }

    private Map<Long, Integer> replayed(long upTo) {
        Map<Long, Integer> values = new TreeMap<>();
        backup.life().log().replay(ZONE, upTo, new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                byte[] copy = bytes.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
                values.put(cid, ByteBuffer.wrap(copy).getInt());
            }
        });
        return values;
    }

    /** Keeps the first byte of each chunk. */
    private record FirstBytes(Map<Long, Integer> of) implements EntryVisitor {

        @Override
        public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
            of.put(cid, (int) bytes.get(ValueLayout.JAVA_BYTE, offset));
        }
    }
}
