package dev.granary.storage.recover;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.RecoveryMessages.RunRecovery.Span;
import dev.granary.overlay.Cid;
import dev.granary.storage.data.LearntRequests;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReplayWindowTest {

    private static final int CREATOR = 0x4000;
    private static final long LAST_LID = 1L << 47;

    private final ChunkMemory memory =
            ChunkMemories.open(ChunkMemoryConfig.of(0x8000, 16 << 20).withHugePages(false));
    private final List<String> learnt = new ArrayList<>();
    private final List<Long> metered = new ArrayList<>();
    private long meteredBytes;
    private long meteredTables;

    private final LearntRequests requests = new LearntRequests() {
        @Override
        public void request(
                long clientId, long requestSequence, long ackedSequence, MemorySegment bytes, long offset, int length) {
            learnt.add(clientId + "/" + requestSequence + "/" + ackedSequence + " of " + length + " at " + offset);
        }

        @Override
        public void token(long cid, long token) {
            learnt.add("token " + Cid.lid(cid) + " " + token);
        }
    };

    /** Makes the table for chunks of this creator, as a recovery does. */
    @BeforeEach
    void makeTable() {
        memory.insert(cid(1), MemorySegment.ofArray(new byte[0]), 0, 0);
        memory.delete(cid(1));
    }

    private static long cid(long lid) {
        return Cid.of(CREATOR, lid);
    }

    private ReplayWindow window(int maxBytes, int maxChunks, Span... spans) {
        return new ReplayWindow(
                memory,
                new Spans(List.of(spans)),
                requests,
                new WindowBounds(maxBytes, maxChunks),
                null,
                (bytes, tables) -> {
                    meteredBytes += bytes;
                    meteredTables += tables;
                    metered.add(meteredBytes);
                });
    }

    private ReplayWindow window(int maxBytes, int maxChunks) {
        return window(maxBytes, maxChunks, new Span(cid(1), cid(LAST_LID)));
    }

    private static void put(ReplayWindow window, long lid, String content) {
        byte[] bytes = (">>" + content).getBytes(UTF_8);
        window.chunk(cid(lid), 1, 1, MemorySegment.ofArray(bytes), 2, bytes.length - 2);
    }

    private String chunk(long lid) {
        int size = memory.sizeOf(cid(lid));
        if (size == ChunkMemory.ABSENT) {
            return "absent";
        }
        MemorySegment target = MemorySegment.ofArray(new byte[size]);
        memory.get(new long[] {cid(lid)}, 0, 1, target, 0, size, new int[1]);
        return new String(target.toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }

    @AfterEach
    void close() {
        assertThat(meteredBytes).as("every window was given back").isZero();
        assertThat(meteredTables).isZero();
        assertThat(memory.verify().violations()).isEmpty();
        memory.close();
    }

    @Test
    void flush_chunksInTheOrderOfTheLog_areAllInMemory() {
        try (ReplayWindow window = window(1 << 20, 1000)) {
            put(window, 9, "nine");
            put(window, 2, "two");
            put(window, 5, "");
            assertThat(chunk(9)).as("before the flush it is only collected").isEqualTo("absent");
            window.flush();
            assertThat(window.chunks()).isEqualTo(3);
            assertThat(window.bytes()).isEqualTo(7);
        }
        assertThat(chunk(9)).isEqualTo("nine");
        assertThat(chunk(2)).isEqualTo("two");
        assertThat(chunk(5)).isEmpty();
        assertThat(chunk(3)).isEqualTo("absent");
    }

    @Test
    void flush_chunkThatCameTwice_theLaterCounts() {
        try (ReplayWindow window = window(1 << 20, 1000)) {
            put(window, 2, "first and long");
            put(window, 3, "three");
            put(window, 2, "last");
            window.flush();
            assertThat(window.chunks()).isEqualTo(2);
            assertThat(window.bytes()).isEqualTo(9);
            put(window, 2, "after the flush");
            window.flush();
            window.flush();
        }
        assertThat(chunk(2)).isEqualTo("after the flush");
        assertThat(chunk(3)).isEqualTo("three");
    }

    @Test
    void chunk_outsideOfTheSpans_isLeftOut() {
        try (ReplayWindow window = window(1 << 20, 1000, new Span(cid(20), cid(29)), new Span(cid(10), cid(12)))) {
            for (long lid : new long[] {9, 10, 12, 13, 19, 20, 29, 30}) {
                put(window, lid, "x");
            }
            window.chunk(Cid.of(0x2000, 10), 1, 1, MemorySegment.ofArray(new byte[1]), 0, 1);
            window.flush();
            assertThat(window.chunks()).isEqualTo(4);
        }
        assertThat(chunk(9)).isEqualTo("absent");
        assertThat(chunk(29)).isEqualTo("x");
        assertThat(chunk(30)).isEqualTo("absent");
    }

    @Test
    void chunk_asManyAsTheWindowTakes_thoseBeforeAreInMemoryAtTheNext() {
        try (ReplayWindow window = window(1 << 20, 3)) {
            for (long lid = 1; lid <= 3; lid++) {
                put(window, lid, "x" + lid);
            }
            assertThat(window.chunks()).isZero();
            put(window, 4, "x4");
            assertThat(window.chunks()).isEqualTo(3);
            window.flush();
        }
        assertThat(chunk(4)).isEqualTo("x4");
    }

    @Test
    void chunk_moreBytesThanTheWindowTakes_areFlushedAndASingleLargeOneIsTaken() {
        String large = "L".repeat(200_000);
        try (ReplayWindow window = window(100_000, 1000)) {
            put(window, 1, "a".repeat(60_000));
            put(window, 2, "b".repeat(40_000));
            assertThat(window.chunks()).isZero();
            put(window, 3, "c");
            assertThat(window.chunks()).isEqualTo(2);
            put(window, 4, large);
            assertThat(window.chunks()).isEqualTo(3);
            window.flush();
        }
        assertThat(chunk(2)).isEqualTo("b".repeat(40_000));
        assertThat(chunk(4)).isEqualTo(large);
        assertThat(metered).as("the buffer grew").anyMatch(bytes -> bytes >= 200_000);
    }

    @Test
    void chunk_lidsFarApart_areAllThere() {
        try (ReplayWindow window = window(1 << 20, 1000)) {
            put(window, LAST_LID, "last");
            put(window, 1, "first");
            put(window, 1L << 43, "middle");
            put(window, (1L << 43) + 1, "behind it");
            window.flush();
            assertThat(window.chunks()).isEqualTo(4);
        }
        assertThat(chunk(LAST_LID)).isEqualTo("last");
        assertThat(chunk(1)).isEqualTo("first");
        assertThat(chunk(1L << 43)).isEqualTo("middle");
        assertThat(chunk((1L << 43) + 1)).isEqualTo("behind it");
    }

    @Test
    void chunk_randomOnesWithRepetitions_likeTheModel() {
        Random random = new Random(6);
        Map<Long, String> model = new TreeMap<>();
        try (ReplayWindow window = window(20_000, 1_500)) {
            for (int i = 0; i < 12_000; i++) {
                long lid = 1L + random.nextInt(4_000);
                String content = "c" + i + "z".repeat(random.nextInt(20));
                put(window, lid, content);
                model.put(lid, content);
            }
            window.flush();
            assertThat(window.chunks()).isGreaterThanOrEqualTo(model.size());
        }
        model.forEach((lid, content) -> assertThat(chunk(lid)).isEqualTo(content));
    }

    @Test
    void flush_withAListOfWhatCame_hasEachCidOnceAFlush() {
        CidList received = new CidList();
        try (ReplayWindow window = new ReplayWindow(
                memory,
                new Spans(List.of(new Span(cid(1), cid(9)))),
                requests,
                WindowBounds.usual(),
                received,
                (bytes, tables) -> {})) {
            put(window, 5, "a");
            put(window, 12, "outside");
            assertThat(received.contains(cid(5))).isFalse();
            window.flush();
        }
        assertThat(received.contains(cid(5))).isTrue();
        assertThat(received.contains(cid(12))).isFalse();
    }

    @Test
    void flush_noRoomInMemory_throwsAndTheWindowCanBeClosed() {
        try (ReplayWindow window = window(8 << 20, 1000)) {
            String large = "x".repeat(6 << 20);
            assertThatThrownBy(() -> {
                        for (long lid = 1; lid < 6; lid++) {
                            put(window, lid, large);
                        }
                        window.flush();
                    })
                    .isInstanceOf(OutOfChunkMemoryException.class);
        }
    }

    @Test
    void close_withoutAFlush_dropsWhatWasCollected() {
        try (ReplayWindow window = window(1 << 20, 1000)) {
            put(window, 1, "lost");
        }
        assertThat(chunk(1)).isEqualTo("absent");
    }

    @Test
    void requestsAndTokens_areTold_tokensOfThisZoneOrOfAllChunksOnly() {
        try (ReplayWindow window = window(1 << 20, 1000, new Span(cid(10), cid(12)))) {
            window.request(7, 8, 6, 1, 1, MemorySegment.ofArray(new byte[9]), 4, 3);
            window.token(cid(10), 70, 1, 1);
            window.token(cid(13), 71, 1, 1);
            window.token(cid(0), 72, 1, 1);
        }
        assertThat(learnt).containsExactly("7/8/6 of 3 at 4", "token 10 70", "token 0 72");
    }

    @Test
    void maxChunks_noneOrMoreThanCanBeNumbered_isCut() {
        try (ReplayWindow window = window(1 << 20, 0)) {
            put(window, 1, "a");
            put(window, 2, "b");
            assertThat(window.chunks()).isEqualTo(1);
        }
        try (ReplayWindow window = window(1 << 20, Integer.MAX_VALUE)) {
            put(window, 3, "c");
            window.flush();
            assertThat(chunk(3)).isEqualTo("c");
        }
    }
}
