package dev.granary.storage.replicate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.Batch;
import dev.granary.log.batch.EntryVisitor;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.ZoneMap.Span;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZoneSnapshotTest {

    private static final int OWN = 0x8000;
    private static final int CREATOR = 0x4000;
    private static final int ZONE = BackupZone.id(CREATOR, 3);
    private static final long EPOCH = 5;
    private static final long SEQUENCE = 77;
    private static final int PART_BYTES = 256 << 10;

    private ChunkMemory memory = open(32 << 20, 1);
    private final List<String> asked = new ArrayList<>();
    private final Map<Long, String> chunks = new TreeMap<>(Long::compareUnsigned);
    private final List<String> others = new ArrayList<>();
    private final List<Integer> batches = new ArrayList<>();

    private final ZoneContent content = new ZoneContent() {
        @Override
        public ChunkMemory memory() {
            return memory;
        }

        @Override
        public CompletableFuture<Void> turnOver() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void tell(long startCid, long endCidInclusive, Visitor visitor) {
            asked.add(Cid.lid(startCid) + ".." + Cid.lid(endCidInclusive));
            if (Cid.lid(startCid) == 1) {
                visitor.request(7, 9, 8, "answer and what is behind".getBytes(UTF_8), 6);
                visitor.token(startCid, 70);
            }
        }
    };

    private static ChunkMemory open(long capacityBytes, long firstLid) {
        return ChunkMemories.open(
                ChunkMemoryConfig.of(OWN, capacityBytes).withFirstLid(firstLid).withHugePages(false));
    }

    private static ZoneSnapshot.Part part(int nid, long from, long to, LongPredicate belongs) {
        return new ZoneSnapshot.Part(new Span(Cid.of(nid, from), Cid.of(nid, to)), belongs);
    }

    private static ZoneSnapshot.Part part(long from, long to) {
        return part(CREATOR, from, to, cid -> true);
    }

    private ZoneSnapshot snapshot(ZoneSnapshot.Part... parts) {
        return new ZoneSnapshot(content, ZONE, EPOCH, SEQUENCE, List.of(parts));
    }

    private void insert(int nid, long lid, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        memory.insert(Cid.of(nid, lid), MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    /** Reads everything, and records what the batches contain. */
    private void read(ZoneSnapshot snapshot) {
        for (int i = 0; !snapshot.isDone(); i++) {
            assertThat(i).as("it ends").isLessThan(1_000);
            note(snapshot.nextChunks());
        }
        assertThat(snapshot.nextChunks()).isNull();
        assertThat(snapshot.chunks()).isEqualTo(chunks.size());
    }

    private void note(byte @Nullable [] bytes) {
        if (bytes == null) {
            return;
        }
        batches.add(bytes.length);
        Batch batch = Objects.requireNonNull(Batch.of(ByteBuffer.wrap(bytes)));
        assertThat(batch.zone()).isEqualTo(ZONE);
        assertThat(batch.epoch()).isEqualTo(EPOCH);
        assertThat(batch.sequence()).isEqualTo(SEQUENCE);
        batch.forEach(new EntryVisitor() {
            @Override
            public void chunk(long cid, long epoch, long sequence, MemorySegment from, long offset, int length) {
                String text = new String(from.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
                assertThat(chunks.put(cid, text)).as("once").isNull();
            }

            @Override
            public void request(
                    long clientId,
                    long requestSequence,
                    long ackedSequence,
                    long epoch,
                    long sequence,
                    MemorySegment from,
                    long offset,
                    int length) {
                others.add(clientId + "/" + requestSequence + "/" + ackedSequence + " "
                        + new String(from.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8));
            }

            @Override
            public void token(long cid, long token, long epoch, long sequence) {
                others.add("token " + Cid.lid(cid) + " " + token);
            }
        });
    }

    @AfterEach
    void close() {
        assertThat(memory.verify().violations()).isEmpty();
        memory.close();
    }

    @Test
    void nextChunks_noPart_isDoneAtOnce() {
        ZoneSnapshot snapshot = snapshot();
        assertThat(snapshot.isDone()).isTrue();
        assertThat(snapshot.nextChunks()).isNull();
        assertThat(snapshot.rest()).isNull();
    }

    @Test
    void nextChunks_severalSpansWithGaps_allThatIsInMemoryAndNothingElse() {
        for (long lid : new long[] {4, 5, 9, 10, 11, 5_000, 5_001}) {
            insert(CREATOR, lid, "c" + lid);
        }
        insert(CREATOR, 7, "");
        read(snapshot(part(5, 10), part(4_000, 5_000)));
        assertThat(chunks)
                .containsExactly(
                        Map.entry(Cid.of(CREATOR, 5), "c5"),
                        Map.entry(Cid.of(CREATOR, 7), ""),
                        Map.entry(Cid.of(CREATOR, 9), "c9"),
                        Map.entry(Cid.of(CREATOR, 10), "c10"),
                        Map.entry(Cid.of(CREATOR, 5_000), "c5000"));
    }

    @Test
    void nextChunks_chunksThatHaveNotCome_areLeftOut() {
        for (long lid = 1; lid <= 6; lid++) {
            insert(CREATOR, lid, "c" + lid);
        }
        read(snapshot(part(CREATOR, 1, 6, cid -> Cid.lid(cid) % 3 == 0)));
        assertThat(chunks.values()).containsExactly("c3", "c6");
    }

    @Test
    void nextChunks_longStretchWithoutChunks_takesSeveralTasks() {
        insert(CREATOR, 1, "first");
        insert(CREATOR, 100_000, "last");
        ZoneSnapshot snapshot = snapshot(part(1, 100_000));
        note(snapshot.nextChunks());
        assertThat(chunks.values()).containsExactly("first");
        assertThat(snapshot.isDone()).isFalse();
        read(snapshot);
        assertThat(chunks.values()).containsExactly("first", "last");
    }

    @Test
    void nextChunks_manyChunks_inBatchesOfAboutOnePart() {
        for (long lid = 1; lid <= 3_000; lid++) {
            insert(CREATOR, lid, "x".repeat(500));
        }
        read(snapshot(part(1, 3_000)));
        assertThat(chunks).hasSize(3_000);
        assertThat(batches).hasSizeGreaterThan(3).allSatisfy(bytes -> assertThat(bytes)
                .isLessThanOrEqualTo(2 * PART_BYTES + 10_000));
    }

    @Test
    void nextChunks_chunksLargerThanThePart_areReadAsTheyAre() {
        String large = "l".repeat(3 * PART_BYTES);
        insert(CREATOR, 1, "small");
        insert(CREATOR, 2, large);
        insert(CREATOR, 3, large + "!");
        insert(CREATOR, 4, "small again");
        read(snapshot(part(1, 4)));
        assertThat(chunks.values()).containsExactly("small", large, large + "!", "small again");
    }

    @Test
    void nextChunks_ownLidsThatWereNotGiven_areNotLookedFor() {
        memory.reserveLids(100_000);
        byte[] bytes = "own".getBytes(UTF_8);
        long cid = memory.create(MemorySegment.ofArray(bytes), 0, bytes.length);
        ZoneSnapshot snapshot = snapshot(part(OWN, 1, Cid.MAX_LID, any -> true));
        note(snapshot.nextChunks());
        assertThat(snapshot.isDone()).as("otherwise it would never end").isTrue();
        assertThat(chunks).containsExactly(Map.entry(cid, "own"));
    }

    /**
     * Seed 100002912: the copy lacked a chunk that was given a LID beside one that had come back. The memory is so
     * small that one of two neighbouring pages is that of the stripe in which the chunk is created.
     */
    @ParameterizedTest
    @ValueSource(longs = {161, 512 + 161})
    void nextChunks_ownChunkInThePageOfAChunkThatCameBack_isRead(long firstLid) {
        memory.close();
        memory = open(1 << 20, firstLid);
        memory.reserveLids(firstLid + 32);
        insert(OWN, firstLid - 1, "former");
        byte[] bytes = "own".getBytes(UTF_8);
        long cid = memory.create(MemorySegment.ofArray(bytes), 0, bytes.length);
        read(snapshot(part(OWN, firstLid, firstLid + 31, any -> true)));
        assertThat(chunks).containsExactly(Map.entry(cid, "own"));
    }

    @Test
    void nextChunks_chunkThatGoesMeanwhile_isNotThere() {
        for (long lid = 1; lid <= 2_000; lid++) {
            insert(CREATOR, lid, "x".repeat(500));
        }
        ZoneSnapshot snapshot = snapshot(part(1, 2_000));
        note(snapshot.nextChunks());
        int before = chunks.size();
        for (long lid = 1; lid <= 2_000; lid++) {
            memory.delete(Cid.of(CREATOR, lid));
        }
        read(snapshot);
        assertThat(before).isBetween(400, 1_999);
        assertThat(chunks).hasSize(before);
    }

    @Test
    void rest_requestsAndTokensOfAllParts_inOneBatch() {
        ZoneSnapshot snapshot = snapshot(part(1, 6), part(9, 12));
        note(snapshot.rest());
        assertThat(asked).containsExactly("1..6", "9..12");
        assertThat(others).containsExactly("7/9/8 answer", "token 1 70");
        assertThat(snapshot(part(9, 12)).rest()).isNull();
    }
}
