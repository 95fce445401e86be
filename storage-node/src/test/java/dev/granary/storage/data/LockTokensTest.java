package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LockTokensTest {

    private static final int NID = 0x8000;
    private static final long CID = Cid.of(NID, 1);

    private final LockTokens tokens = new LockTokens();

    private static int show(LockTokens tokens, long cid, long token) {
        return tokens.change(cid, token, () -> ChunkStatus.OK);
    }

    @Test
    void change_thatFails_showsNoToken() {
        assertThat(tokens.change(CID, 9, () -> ChunkStatus.NOT_FOUND)).isEqualTo(ChunkStatus.NOT_FOUND);
        assertThat(show(tokens, CID, 5)).isEqualTo(ChunkStatus.OK);
        assertThat(show(tokens, CID, 4)).isEqualTo(ChunkStatus.FENCED);
        assertThat(show(tokens, CID, 0)).isEqualTo(ChunkStatus.OK);
        assertThat(show(tokens, CID + 1, 4)).isEqualTo(ChunkStatus.OK);
    }

    @Test
    void change_moreChunksThanAreRemembered_neverAllowsAnOlderToken() {
        int count = 3 * LockTokens.STRIPES * LockTokens.MAX_CHUNKS;
        for (int i = 1; i <= count; i++) {
            assertThat(show(tokens, Cid.of(NID, i), i)).isEqualTo(ChunkStatus.OK);
        }
        for (int i = 2; i <= count; i++) {
            assertThat(show(tokens, Cid.of(NID, i), i - 1)).as("chunk %d", i).isEqualTo(ChunkStatus.FENCED);
        }
        assertThat(show(tokens, Cid.of(0x4000, 7), 1)).as("of another NID").isEqualTo(ChunkStatus.OK);
        assertThat(show(tokens, Cid.of(NID, count), count)).isEqualTo(ChunkStatus.OK);
    }

    @Test
    void part_readByTheNextOwner_refusesWhatTheFirstRefused() {
        int count = 2 * LockTokens.STRIPES * LockTokens.MAX_CHUNKS;
        for (int i = 1; i <= count; i++) {
            show(tokens, Cid.of(NID, i), 1000L + i);
        }
        ByteBuf part = Unpooled.buffer();
        tokens.write(Cid.of(NID, 1), Cid.of(NID, count - 10), part);
        LockTokens next = new LockTokens();
        show(next, Cid.of(NID, 5), 1_000_000);
        next.read(NID, part);
        assertThat(part.isReadable()).isFalse();
        for (int i = 2; i <= count - 10; i++) {
            assertThat(show(next, Cid.of(NID, i), 1000L + i - 1)).isEqualTo(ChunkStatus.FENCED);
        }
        assertThat(show(next, Cid.of(NID, 5), 999_999)).isEqualTo(ChunkStatus.FENCED);
        assertThat(show(next, Cid.of(0x4000, 5), 1)).isEqualTo(ChunkStatus.OK);
    }

    @Test
    void change_manyThreads_noneAfterAGreaterTokenWasShown() throws Exception {
        AtomicLong lastToken = new AtomicLong();
        AtomicLong shown = new AtomicLong();
        List<Future<Integer>> workers = new ArrayList<>();
        try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
            for (int thread = 0; thread < 4; thread++) {
                workers.add(executor.submit(() -> holdOverAndOver(lastToken, shown)));
            }
            int wrong = 0;
            for (Future<Integer> worker : workers) {
                wrong += worker.get();
            }
            assertThat(wrong).as("changes after a greater token had been shown").isZero();
        }
        assertThat(show(tokens, CID, shown.get() - 1)).isEqualTo(ChunkStatus.FENCED);
    }

    private int holdOverAndOver(AtomicLong lastToken, AtomicLong shown) {
        int[] wrong = new int[1];
        for (int i = 0; i < 20_000; i++) {
            long token = lastToken.incrementAndGet();
            if (show(tokens, CID, token) != ChunkStatus.OK) {
                continue;
            }
            shown.accumulateAndGet(token, Math::max);
            for (int change = 0; change < 3; change++) {
                tokens.change(CID, token, () -> {
                    wrong[0] += shown.get() > token ? 1 : 0;
                    return ChunkStatus.OK;
                });
            }
        }
        return wrong[0];
    }
}
