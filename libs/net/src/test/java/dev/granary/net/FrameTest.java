package dev.granary.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class FrameTest {

    @Test
    void check_finishedFrame_isAcceptedInEveryKindOfBuffer() {
        ByteBuf frame = frame(100);
        assertThat(Frame.kind(frame)).isEqualTo(Frame.KIND_REPLY);
        assertThat(Frame.type(frame)).isEqualTo(65_000);
        assertThat(Frame.correlation(frame)).isEqualTo(-7);
        byte[] bytes = new byte[frame.readableBytes()];
        frame.getBytes(frame.readerIndex(), bytes);
        for (int split : new int[] {1, 15, 16, 17, 20, 21, 119}) {
            ByteBuf parts = Unpooled.wrappedBuffer(
                    Unpooled.copiedBuffer(bytes, 0, split), Unpooled.copiedBuffer(bytes, split, bytes.length - split));
            assertThat(parts.nioBufferCount()).isEqualTo(2);
            assertThatCode(() -> Frame.check(parts)).as("split at " + split).doesNotThrowAnyException();
        }
        ByteBuf shifted = Unpooled.buffer().writeZero(3).writeBytes(bytes).skipBytes(3);
        assertThatCode(() -> Frame.check(shifted)).doesNotThrowAnyException();
        assertThatCode(() -> Frame.check(shifted.slice())).doesNotThrowAnyException();
    }

    @Test
    void check_anyByteChanged_isRefused() {
        for (int i = 0; i < Frame.HEADER_BYTES + 10; i++) {
            ByteBuf frame = frame(10);
            frame.setByte(i, frame.getByte(i) + 1);
            assertThatThrownBy(() -> Frame.check(frame)).as("byte " + i).isInstanceOf(FrameException.class);
        }
    }

    @Test
    void check_wrongSizeVersionOrKind_saysWhatIsWrong() {
        assertThatThrownBy(() -> Frame.check(Unpooled.buffer().writeZero(19))).hasMessageContaining("19 bytes");
        assertThatThrownBy(() -> Frame.check(frame(5).writeByte(0))).hasMessageContaining("says its length");
        assertThatThrownBy(() -> Frame.check(frame(5).setByte(Frame.VERSION_OFFSET, 9)))
                .hasMessageContaining("version 9");
        assertThatThrownBy(() -> Frame.check(frame(5).setByte(Frame.KIND_OFFSET, 4)))
                .hasMessageContaining("kind 4");
    }

    @Test
    void finish_largerThanTheLimit_isRefused() {
        ByteBuf largest = start().writeZero(Frame.MAX_BYTES - Frame.HEADER_BYTES);
        Frame.finish(largest);
        assertThatCode(() -> Frame.check(largest)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Frame.finish(largest.writeByte(0))).hasMessageContaining("larger than the limit");
    }

    private static ByteBuf frame(int payloadBytes) {
        ByteBuf frame = start();
        for (int i = 0; i < payloadBytes; i++) {
            frame.writeByte(i);
        }
        Frame.finish(frame);
        return frame;
    }

    private static ByteBuf start() {
        ByteBuf frame = Unpooled.buffer();
        Frame.start(frame, Frame.KIND_REPLY, 65_000, -7);
        return frame;
    }
}
