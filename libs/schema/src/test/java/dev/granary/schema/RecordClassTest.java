package dev.granary.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The class that is made for a record: which calls it makes of a sink and a source, one by one. */
class RecordClassTest {

    public record Primitives(
            @U8 int small, @U16 int middle, @I32 int large, long huge, boolean flag) {}

    public record Wrapped(long before, String text, @U8 int behind) {}

    record Hidden(long number) {}

    private static final List<Codec<?>> PRIMITIVES =
            List.of(Codecs.U8, Codecs.U16, Codecs.I32, Codecs.I64, Codecs.FLAG);

    /** Notes each call by its width. */
    private static final class Notes implements Sink {

        private final List<String> calls = new ArrayList<>();

        @Override
        public void putByte(int value) {
            calls.add("byte " + value);
        }

        @Override
        public void putShort(int value) {
            calls.add("short " + value);
        }

        @Override
        public void putInt(int value) {
            calls.add("int " + value);
        }

        @Override
        public void putLong(long value) {
            calls.add("long " + value);
        }

        @Override
        public void putBytes(byte[] bytes) {
            calls.add("bytes " + new String(bytes, StandardCharsets.UTF_8));
        }
    }

    /** Gives numbers in their order, whatever is asked for. */
    private record Numbers(Queue<Long> left) implements Source {

        static Numbers of(Long... numbers) {
            return new Numbers(new ArrayDeque<>(List.of(numbers)));
        }

        @Override
        public int getByte() {
            return (int) getLong();
        }

        @Override
        public int getShort() {
            return (int) getLong();
        }

        @Override
        public int getInt() {
            return (int) getLong();
        }

        @Override
        public long getLong() {
            return left.remove();
        }

        @Override
        public byte[] getBytes(int sizeBytes) {
            byte[] bytes = new byte[sizeBytes];
            for (int i = 0; i < sizeBytes; i++) {
                bytes[i] = (byte) getLong();
            }
            return bytes;
        }

        @Override
        public int remainingBytes() {
            return left.size();
        }
    }

    @Test
    void write_primitives_areCallsOfTheirWidthsInOrder() throws ReflectiveOperationException {
        Encoding<Primitives> encoding = RecordClass.encoding(Primitives.class, PRIMITIVES);
        Notes out = new Notes();
        encoding.write(new Primitives(255, 65_535, Integer.MIN_VALUE, Long.MAX_VALUE, true), out);
        assertThat(out.calls)
                .containsExactly("byte 255", "short 65535", "int -2147483648", "long 9223372036854775807", "byte 1");
    }

    @Test
    void read_primitives_goToTheConstructorInOrder() throws ReflectiveOperationException {
        Encoding<Primitives> encoding = RecordClass.encoding(Primitives.class, PRIMITIVES);
        assertThat(encoding.read(Numbers.of(1L, 2L, -3L, Long.MIN_VALUE, 0L)))
                .isEqualTo(new Primitives(1, 2, -3, Long.MIN_VALUE, false));
    }

    @Test
    void write_numberBeyondItsWidth_isRefused() throws ReflectiveOperationException {
        Encoding<Primitives> encoding = RecordClass.encoding(Primitives.class, PRIMITIVES);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> encoding.write(new Primitives(256, 0, 0, 0, false), new Notes()));
    }

    @Test
    void encoding_anObjectBetweenPrimitives_usesItsCodec() throws ReflectiveOperationException {
        Encoding<Wrapped> encoding = RecordClass.encoding(Wrapped.class, List.of(Codecs.I64, Codecs.TEXT, Codecs.U8));
        Notes out = new Notes();
        encoding.write(new Wrapped(5, "ab", 6), out);
        assertThat(out.calls).containsExactly("long 5", "short 2", "bytes ab", "byte 6");
        assertThat(encoding.read(Numbers.of(5L, 2L, (long) 'a', (long) 'b', 6L)))
                .isEqualTo(new Wrapped(5, "ab", 6));
    }

    @Test
    void encoding_ofARecordThatIsNotPublic_isRefused() {
        assertThatThrownBy(() -> RecordClass.encoding(Hidden.class, List.of(Codecs.I64)))
                .isInstanceOf(ReflectiveOperationException.class);
    }
}
