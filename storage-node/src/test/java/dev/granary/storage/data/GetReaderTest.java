package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;
import dev.granary.storage.replicate.Zones;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GetReaderTest {

    private static final int NID = 0x8000;
    private static final long FIRST_LID = 3;
    private static final int LIMIT = ChunkLayouts.GET_REPLY_SOFT_BYTES;

    private final ChunkMemory memory = ChunkMemories.open(
            ChunkMemoryConfig.of(NID, 64 << 20).withHugePages(false).withFirstLid(FIRST_LID));
    private final ServedChunks chunks =
            new ServedChunks(memory, new Ownership(NID, FIRST_LID), new LockTokens(), Zones.of(List.of()), 1);
    private final Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay.Turn());
    private final ByteBuf out = UnpooledByteBufAllocator.DEFAULT.directBuffer(16);

    /** Returns contents for a chunk that differ from those of others. */
    private static byte[] content(int seed, int size) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) seed);
        return bytes;
    }

    private long create(int seed, int size) {
        memory.reserveLids(1_000);
        return memory.create(MemorySegment.ofArray(content(seed, size)), 0, size);
    }

    private int read(long... cids) {
        scratch.reserve(cids.length);
        System.arraycopy(cids, 0, scratch.cids, 0, cids.length);
        return new GetReader(chunks, scratch, cids.length, out).read();
    }

    private void assertReply(int... results) {
        assertThat(out.readIntLE()).as("done").isEqualTo(results.length);
        for (int result : results) {
            assertThat(out.readIntLE()).isEqualTo(result);
        }
    }

    private void assertPayload(int seed, int size) {
        byte[] bytes = new byte[size];
        out.readBytes(bytes);
        assertThat(bytes).isEqualTo(content(seed, size));
    }

    private void assertEnd() {
        assertThat(out.isReadable()).isFalse();
    }

    @AfterEach
    void close() {
        out.release();
        assertThat(memory.verify().violations()).isEmpty();
        memory.close();
    }

    @Test
    void read_noCid_onlyTheCount() {
        assertThat(read()).isZero();
        assertReply();
        assertEnd();
    }

    @Test
    void read_chunksInAnyOrder_theirPayloadsFollowInThatOrder() {
        long one = create(1, 100);
        long two = create(2, 0);
        long three = create(3, 7);
        assertThat(read(three, two, one, three)).isEqualTo(4);
        assertReply(7, 0, 100, 7);
        assertPayload(3, 7);
        assertPayload(1, 100);
        assertPayload(3, 7);
        assertEnd();
    }

    @Test
    void read_absentLostAndOthersChunks_haveStatusesAndNoPayload() {
        long one = create(1, 5);
        long gone = create(9, 9);
        memory.delete(gone);
        long lost = Cid.of(NID, FIRST_LID - 1);
        long others = Cid.of(0x4000, 1);
        assertThat(read(gone, lost, one, others, gone)).isEqualTo(5);
        assertReply(-ChunkStatus.NOT_FOUND, -ChunkStatus.LOST, 5, -ChunkStatus.WRONG_OWNER, -ChunkStatus.NOT_FOUND);
        assertPayload(1, 5);
        assertEnd();
    }

    @Test
    void read_replyBehindOtherBytes_beginsWhereTheWriterWas() {
        out.writeLongLE(77);
        read(create(1, 300));
        assertThat(out.readLongLE()).isEqualTo(77);
        assertReply(300);
        assertPayload(1, 300);
        assertEnd();
    }

    @Test
    void read_manyChunks_theBufferGrowsAndKeepsWhatItHas() {
        long[] cids = new long[500];
        int[] sizes = new int[cids.length];
        for (int i = 0; i < cids.length; i++) {
            sizes[i] = 1 + i * 7 % 3_000;
            cids[i] = create(i, sizes[i]);
        }
        assertThat(read(cids)).isEqualTo(cids.length);
        assertReply(sizes);
        for (int i = 0; i < cids.length; i++) {
            assertPayload(i, sizes[i]);
        }
        assertEnd();
    }

    @Test
    void read_moreThanAReplyHas_stopsAndMovesThePayloadsDown() {
        int half = LIMIT / 2;
        long one = create(1, half);
        long two = create(2, half);
        long three = create(3, 1);
        assertThat(read(one, two, three, one)).isEqualTo(2);
        assertReply(half, half);
        assertPayload(1, half);
        assertPayload(2, half);
        assertEnd();
    }

    @Test
    void read_firstChunkLargerThanAReply_goesAlone() {
        int large = LIMIT + 1_000;
        long one = create(1, large);
        long two = create(2, 1);
        assertThat(read(one, two)).isEqualTo(1);
        assertReply(large);
        assertPayload(1, large);
        assertEnd();
    }

    @Test
    void read_largeChunkBehindAnAbsentOne_isForTheNextRequest() {
        int large = LIMIT + 1_000;
        long gone = create(9, 9);
        memory.delete(gone);
        long one = create(1, large);
        assertThat(read(gone, one)).isEqualTo(1);
        assertReply(-ChunkStatus.NOT_FOUND);
        assertEnd();
    }

    @Test
    void hintBytes_fewOrVeryMany_isBounded() {
        assertThat(GetReader.hintBytes(1)).isEqualTo(4 + 4 + 64);
        assertThat(GetReader.hintBytes(ChunkLayouts.MAX_COUNT)).isEqualTo(4 + 4 * ChunkLayouts.MAX_COUNT + (1 << 20));
    }
}
