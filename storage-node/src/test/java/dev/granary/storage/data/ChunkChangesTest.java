package dev.granary.storage.data;

import static dev.granary.storage.replicate.LoneOwner.B;
import static dev.granary.storage.replicate.LoneOwner.MILLI;
import static dev.granary.storage.replicate.LoneOwner.NID;
import static dev.granary.storage.replicate.LoneOwner.ZONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.EntryVisitor;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MutationHeader;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.LoneOwner;
import dev.granary.storage.replicate.OwnedZone;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of chunks whose zone has a copy on a real backup. */
class ChunkChangesTest {

    private static final int CHUNK_BYTES = 8;

    private final LoneOwner owner = new LoneOwner();
    private final OwnedZone zone = owner.zone(B);
    private final ChunkMemory memory =
            ChunkMemories.open(ChunkMemoryConfig.of(NID, 16 << 20).withHugePages(false));
    private final ServedChunks chunks = new ServedChunks(
            memory, new Ownership(NID, 1), new LockTokens(), owner.replication().zones(), 1);
    private final Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay.Turn());

    /** What the backup has, and the completion records and tokens that it was told. */
    private final Map<Long, Integer> copied = new TreeMap<>();

    private final List<String> told = new ArrayList<>();

    @AfterEach
    void close() {
        scratch.batch.release();
        owner.close();
        assertThat(memory.verify().violations()).isEmpty();
        memory.close();
    }

    /** Chunks that were there before the zone had its copy. */
    private long[] existing(int count) {
        memory.reserveLids(2_000);
        long[] cids = new long[count];
        for (int i = 0; i < count; i++) {
            cids[i] = memory.create(MemorySegment.ofArray(new byte[CHUNK_BYTES]), 0, CHUNK_BYTES);
        }
        return cids;
    }

    private void request(int sizeBytes, long... cids) {
        scratch.reserve(cids.length);
        System.arraycopy(cids, 0, scratch.cids, 0, cids.length);
        Arrays.fill(scratch.results, 0, cids.length, Completion.UNDONE);
        Arrays.fill(scratch.sizes, 0, cids.length, sizeBytes);
        scratch.findOffsets(cids.length);
        scratch.groups.group(chunks.zones(), scratch.cids, cids.length);
        scratch.reserveGroups();
    }

    /** Carries out the request and sends what it logs; returns the sequence of its last batch. */
    private long change(Operation operation, int count, @Nullable MemorySegment payloads, boolean tokens) {
        MutationHeader header = operation == Operation.FENCE ? null : new MutationHeader(7, 3, 2, 0, count);
        long[] sequence = {0};
        owner.run(() -> {
            sequence[0] = new ChunkChanges(chunks, scratch, payloads, tokens, false).change(operation, header, 0);
            zone.send();
        });
        owner.world.runFor(50 * MILLI);
        return sequence[0];
    }

    private long put(int value, int sizeBytes, long... cids) {
        request(sizeBytes, cids);
        byte[] bytes = new byte[sizeBytes * cids.length];
        for (int i = 0; i < cids.length; i++) {
            Arrays.fill(bytes, i * sizeBytes, (i + 1) * sizeBytes, (byte) (value + i));
        }
        return change(Operation.PUT, cids.length, MemorySegment.ofArray(bytes), false);
    }

    private int[] results(int count) {
        return Arrays.copyOf(scratch.results, count);
    }

    private void readBackup() {
        owner.backup(B).life().log().replay(ZONE, zone.last(), new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
                copied.put(Cid.lid(cid), (int) bytes.get(ValueLayout.JAVA_BYTE, offset));
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
                told.add("request " + clientId + "/" + requestSequence + "/" + ackedSequence);
            }

            @Override
            public void token(long cid, long token, long epoch, long sequence) {
                told.add("token " + Cid.lid(cid) + " " + token);
            }
        });
    }

    @Test
    void change_puts_areInMemoryAndOnTheBackupWithTheirCompletion() {
        long[] cids = existing(2);
        assertThat(put(10, CHUNK_BYTES, cids[0], Cid.of(NID, 900), cids[1])).isEqualTo(1);
        assertThat(results(3)).containsExactly(ChunkStatus.OK, ChunkStatus.NOT_FOUND, ChunkStatus.OK);
        readBackup();
        assertThat(copied).containsExactly(Map.entry(Cid.lid(cids[0]), 10), Map.entry(Cid.lid(cids[1]), 12));
        assertThat(told).containsExactly("request 7/3/2");
        assertThat(zone.acked()).isEqualTo(1);
    }

    @Test
    void change_sameChunkTwice_isInTwoBatchesAndTheLastOneCounts() {
        long[] cids = existing(1);
        assertThat(put(10, CHUNK_BYTES, cids[0], cids[0])).isEqualTo(2);
        readBackup();
        assertThat(copied).containsExactly(Map.entry(Cid.lid(cids[0]), 11));
    }

    @Test
    void change_moreThanABatchHas_isCut() {
        long[] cids = existing(3);
        owner.backup(B).kill();
        assertThat(put(10, 900 << 10, cids)).as("two chunks fit into one").isEqualTo(2);
        assertThat(results(3)).containsOnly(ChunkStatus.OK);
    }

    @Test
    void change_deletes_areGoneOnTheBackupToo() {
        long[] cids = existing(3);
        put(10, CHUNK_BYTES, cids);
        request(0, cids[0], cids[2], cids[0]);
        assertThat(change(Operation.DELETE, 3, null, false)).isEqualTo(2);
        assertThat(results(3)).containsExactly(ChunkStatus.OK, ChunkStatus.OK, ChunkStatus.NOT_FOUND);
        readBackup();
        assertThat(copied).containsOnlyKeys(Cid.lid(cids[1]));
        assertThat(memory.sizeOf(cids[0])).isEqualTo(ChunkMemory.ABSENT);
        assertThat(memory.sizeOf(cids[1])).isEqualTo(CHUNK_BYTES);
    }

    @Test
    void change_chunkThatIsDone_isLeftAsItIs() {
        long[] cids = existing(2);
        request(0, cids);
        scratch.results[0] = ChunkStatus.OK;
        change(Operation.DELETE, 2, null, false);
        assertThat(memory.sizeOf(cids[0])).isEqualTo(CHUNK_BYTES);
        assertThat(memory.sizeOf(cids[1])).isEqualTo(ChunkMemory.ABSENT);
        assertThat(results(2)).containsOnly(ChunkStatus.OK);
    }

    @Test
    void change_withTokens_olderOnesAreFenced() {
        long[] cids = existing(2);
        request(CHUNK_BYTES, cids);
        scratch.tokens[0] = 5;
        scratch.tokens[1] = 0;
        change(Operation.DELETE, 2, null, true);
        assertThat(results(2)).containsOnly(ChunkStatus.OK);
        readBackup();
        assertThat(told).contains("token " + Cid.lid(cids[0]) + " 5").hasSize(2);

        request(CHUNK_BYTES, cids[0]);
        scratch.tokens[0] = 4;
        change(Operation.DELETE, 1, null, true);
        assertThat(results(1)).containsExactly(ChunkStatus.FENCED);
    }

    @Test
    void change_fence_logsATokenAndWithoutOneNothing() {
        long[] cids = existing(1);
        put(10, CHUNK_BYTES, cids);
        request(0, cids[0]);
        assertThat(change(Operation.FENCE, 1, null, false))
                .as("what is to be synced")
                .isEqualTo(1);
        assertThat(zone.last()).isEqualTo(1);
        request(0, cids[0], Cid.of(NID, 900));
        scratch.tokens[0] = 9;
        scratch.tokens[1] = 9;
        assertThat(change(Operation.FENCE, 2, null, true)).isEqualTo(2);
        assertThat(results(2)).containsExactly(ChunkStatus.OK, ChunkStatus.NOT_FOUND);
        readBackup();
        assertThat(told).contains("token " + Cid.lid(cids[0]) + " 9");
        assertThat(copied).containsExactly(Map.entry(Cid.lid(cids[0]), 10));
    }

    @Test
    void change_zoneHasEnded_chunksAreAnothers() {
        long[] cids = existing(2);
        request(0, cids);
        owner.run(() -> owner.replication().stop());
        assertThat(change(Operation.DELETE, 2, null, false)).isZero();
        assertThat(results(2)).containsOnly(ChunkStatus.WRONG_OWNER);
        assertThat(memory.sizeOf(cids[0])).isEqualTo(CHUNK_BYTES);
    }

    @Test
    void change_chunkInNoZone_isLoggedNowhere() {
        long[] cids = existing(1_001);
        request(0, cids[1_000]);
        assertThat(change(Operation.DELETE, 1, null, false)).isZero();
        assertThat(results(1)).containsExactly(ChunkStatus.OK);
        assertThat(memory.sizeOf(cids[1_000])).isEqualTo(ChunkMemory.ABSENT);
        assertThat(zone.last()).isZero();
    }

    @Test
    void create_newChunks_areLoggedWithTheirCompletion() {
        memory.reserveLids(10);
        request(CHUNK_BYTES, 0, 0);
        byte[] bytes = new byte[2 * CHUNK_BYTES];
        Arrays.fill(bytes, CHUNK_BYTES, 2 * CHUNK_BYTES, (byte) 1);
        ChunkChanges changes = new ChunkChanges(chunks, scratch, MemorySegment.ofArray(bytes), false, false);
        owner.run(() -> {
            long stamp = chunks.zones().stamp();
            changes.reserveForCreates(2);
            changes.create(2);
            Arrays.fill(scratch.results, 0, 2, ChunkStatus.OK);
            scratch.groups.group(chunks.zones(), scratch.cids, 2);
            assertThat(changes.logCreated(new MutationHeader(7, 4, 2, 0, 2), 0, stamp))
                    .isEqualTo(1);
            zone.send();
        });
        owner.world.runFor(50 * MILLI);
        readBackup();
        assertThat(copied)
                .containsExactly(Map.entry(Cid.lid(scratch.cids[0]), 0), Map.entry(Cid.lid(scratch.cids[1]), 1));
        assertThat(told).containsExactly("request 7/4/2");
        assertThat(memory.sizeOf(scratch.cids[1])).isEqualTo(CHUNK_BYTES);
    }
}
