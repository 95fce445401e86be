package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.Durability;
import dev.granary.net.message.MutationHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangeLayoutTest {

    private final Scratch scratch = new Scratch(UnpooledByteBufAllocator.DEFAULT, new CreationsUnderWay.Turn());
    private final ByteBuf in = Unpooled.buffer();

    private static MutationHeader header(int flags, int count) {
        return new MutationHeader(7, 1, 0, flags, count);
    }

    private void read(Operation operation, int flags, int count) {
        ChangeLayout.read(operation, header(flags, count), in, scratch);
    }

    private void refused(Operation operation, int flags, int count, String message) {
        assertThatThrownBy(() -> read(operation, flags, count))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining(message);
    }

    private MutationHeader readHeader(long client, long sequence, long acked, int count) {
        ByteBuf out = Unpooled.buffer();
        new MutationHeader(client, sequence, acked, 0, count).writeTo(out);
        return ChangeLayout.readHeader(out);
    }

    @Test
    void readHeader_requestIdAtItsBounds_isTaken() {
        assertThat(readHeader(-1, 1, 0, 0).sequence()).isEqualTo(1);
        assertThat(readHeader(1, Long.MAX_VALUE, Long.MAX_VALUE - 1, ChunkLayouts.MAX_COUNT)
                        .count())
                .isEqualTo(ChunkLayouts.MAX_COUNT);
    }

    @ParameterizedTest
    @CsvSource({"0,1,0", "7,0,0", "7,-1,-2", "7,1,-1", "7,1,1", "7,5,9"})
    void readHeader_noRequestId_isRefused(long client, long sequence, long acked) {
        assertThatThrownBy(() -> readHeader(client, sequence, acked, 1))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("are no request id");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, ChunkLayouts.MAX_COUNT + 1, Integer.MIN_VALUE})
    void readHeader_countOutOfBounds_isRefused(int count) {
        assertThatThrownBy(() -> readHeader(7, 1, 0, count))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("a request for " + count + " chunks");
    }

    @Test
    void readEpoch_onlyOfACreateThatSaysIt_otherwiseThePresentOne() {
        in.writeLongLE(9);
        assertThat(ChangeLayout.readEpoch(Operation.CREATE, header(0, 1), in, 3))
                .isEqualTo(3);
        assertThat(ChangeLayout.readEpoch(Operation.PUT, header(ChunkLayouts.FLAG_EPOCH, 1), in, 3))
                .isEqualTo(3);
        assertThat(in.readableBytes()).isEqualTo(Long.BYTES);
        assertThat(ChangeLayout.readEpoch(Operation.CREATE, header(ChunkLayouts.FLAG_EPOCH, 1), in, 3))
                .isEqualTo(9);
        assertThatThrownBy(() -> ChangeLayout.readEpoch(Operation.CREATE, header(ChunkLayouts.FLAG_EPOCH, 1), in, 3))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("after 0 of 8 bytes");
    }

    @Test
    void read_putWithTokens_allNumbersUpToThePayloads() {
        in.writeLongLE(11)
                .writeLongLE(12)
                .writeIntLE(3)
                .writeIntLE(0)
                .writeLongLE(5)
                .writeLongLE(0);
        in.writeBytes(new byte[] {1, 2, 3});
        read(Operation.PUT, ChunkLayouts.FLAG_TOKENS, 2);
        assertThat(scratch.cids).startsWith(11, 12);
        assertThat(scratch.sizes).startsWith(3, 0);
        assertThat(scratch.tokens).startsWith(5, 0);
        assertThat(in.readByte()).as("where payloads begin").isEqualTo((byte) 1);
    }

    @Test
    void read_deleteAndCreate_haveWhatTheyNeedOnly() {
        in.writeLongLE(11);
        read(Operation.DELETE, Durability.FLAGS, 1);
        assertThat(scratch.cids).startsWith(11);
        assertThat(in.isReadable()).isFalse();

        in.writeIntLE(2).writeBytes(new byte[2]);
        read(Operation.CREATE, ChunkLayouts.FLAG_EPOCH, 1);
        assertThat(in.readableBytes()).isEqualTo(2);
    }

    @Test
    void read_createOfZeros_hasNoPayload() {
        in.writeIntLE(1000);
        read(Operation.CREATE, ChunkLayouts.FLAG_ZEROED, 1);
        assertThat(scratch.sizes).startsWith(1000);
        in.writeIntLE(2).writeBytes(new byte[2]);
        refused(Operation.CREATE, ChunkLayouts.FLAG_ZEROED, 1, "the payloads have 2 bytes");
    }

    @Test
    void read_nothingAtAll_isTaken() {
        for (Operation operation : new Operation[] {Operation.CREATE, Operation.PUT, Operation.DELETE}) {
            read(operation, 0, 0);
        }
        assertThat(in.isReadable()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"CREATE, 2", "PUT, 1", "PUT, 4", "DELETE, 1", "DELETE, 4", "CREATE, 64", "PUT, -2147483648"})
    void read_flagsOfOtherOperations_areUnknown(Operation operation, int flags) {
        refused(operation, flags, 0, "are unknown");
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE", "PUT", "DELETE"})
    void read_requestThatEndsEarly_isRefusedAtEachByte(Operation operation) {
        int flags = operation == Operation.CREATE ? 0 : ChunkLayouts.FLAG_TOKENS;
        int numbers = operation == Operation.CREATE ? 8 : operation == Operation.PUT ? 40 : 32;
        for (int bytes = 0; bytes < numbers; bytes++) {
            in.clear().writeZero(bytes);
            int present = bytes;
            assertThatThrownBy(() -> read(operation, flags, 2))
                    .as("%d bytes", present)
                    .isInstanceOf(FrameException.class)
                    .hasMessageContaining("bytes of numbers");
        }
        in.clear().writeZero(numbers);
        read(operation, flags, 2);
        in.clear().writeZero(numbers + 1);
        refused(operation, flags, 2, "the payloads have 1 bytes, their sizes add up to 0");
    }

    @Test
    void read_payloadsOfOtherSizes_areRefused() {
        in.writeLongLE(11).writeIntLE(3).writeBytes(new byte[2]);
        refused(Operation.PUT, 0, 1, "the payloads have 2 bytes, their sizes add up to 3");
    }

    @Test
    void read_sizesThatAddUpToMoreThanAnInt_doNotOverflow() {
        int count = 1 << 10;
        in.writeZero(0);
        for (int i = 0; i < count; i++) {
            in.writeIntLE(1 << 22);
        }
        refused(Operation.CREATE, 0, count, "their sizes add up to " + ((long) count << 22));
    }

    @Test
    void read_chunkSizeOutOfBounds_isRefused() {
        in.writeIntLE(-1);
        refused(Operation.CREATE, 0, 1, "the chunk size -1 is negative");
        in.clear().writeIntLE(Frame.MAX_CHUNK_BYTES + 1);
        assertThatThrownBy(() -> read(Operation.CREATE, ChunkLayouts.FLAG_ZEROED, 1))
                .isInstanceOf(ChangeLayout.TooLargeException.class)
                .hasMessageContaining("split it");
        in.clear().writeIntLE(Frame.MAX_CHUNK_BYTES);
        read(Operation.CREATE, ChunkLayouts.FLAG_ZEROED, 1);
    }

    @Test
    void read_negativeToken_isRefused() {
        in.writeLongLE(11).writeLongLE(-1);
        refused(Operation.DELETE, ChunkLayouts.FLAG_TOKENS, 1, "the token -1 of a lock is negative");
    }

    @Test
    void replyBytes_createOrChange_cidsOrStatuses() {
        assertThat(ChangeLayout.replyBytes(Operation.CREATE, 3)).isEqualTo(28);
        assertThat(ChangeLayout.replyBytes(Operation.DELETE, 3)).isEqualTo(7);
        assertThat(ChangeLayout.replyBytes(Operation.PUT, 0)).isEqualTo(4);
    }
}
