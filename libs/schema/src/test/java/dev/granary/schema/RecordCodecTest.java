package dev.granary.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RecordCodecTest {

    public enum Colour implements Coded {
        RED(1),
        BLUE(7);

        private final int code;

        Colour(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    public enum Twice implements Coded {
        ONE,
        OTHER;

        @Override
        public int code() {
            return 3;
        }
    }

    public record Inner(@U16 int nid, Colour colour) {
        public Inner {
            if (nid == 13) {
                throw new IllegalArgumentException("no nid is 13");
            }
        }
    }

    public record All(
            @U8 int small,
            @U16 int middle,
            @I32 int large,
            long huge,
            boolean flag,
            UUID id,
            String text,
            @LongText String longText,
            Inner inner,
            List<@U16 Integer> numbers,
            List<Inner> inners) {}

    @SuppressWarnings("ArrayRecordComponent") // the array is what is tested
    public record Few(@U16 int @U8 [] items) {}

    public record Optional(
            @Nullable Inner inner,
            @Nullable String text,
            @Nullable List<Inner> inners) {}

    public record OptionalNumber(@Nullable @U8 Integer number) {}

    public record Numbers(List<Long> values) {}

    public record NoWidth(int number) {}

    public record NoLayout(Object any) {}

    public record TwoAlike(Twice twice) {}

    public record Nothing() {}

    public record Endless(List<Nothing> nothings) {}

    public sealed interface Shape {}

    @Code(4)
    public record Circle(@U8 int radius) implements Shape {}

    @Code(5)
    public record Square(@U8 int side) implements Shape {}

    public sealed interface Alike {}

    @Code(4)
    public record First() implements Alike {}

    @Code(4)
    public record Second() implements Alike {}

    private static final All ALL = new All(
            255,
            0x8001,
            -2,
            3,
            true,
            new UUID(4, 5),
            "é",
            "l",
            new Inner(6, Colour.BLUE),
            List.of(7, 8),
            List.of(new Inner(9, Colour.RED)));
    private static final String ALL_HEX = "ff" + "0180" + "feffffff" + "0300000000000000" + "01"
            + "0400000000000000" + "0500000000000000" + "0200c3a9" + "010000006c" + "060007"
            + "02000000" + "0700" + "0800" + "01000000" + "090001";

    @Test
    void write_everyKindOfComponent_givesTheBytesInTheOrderOfTheDeclaration() {
        assertThat(write(ALL)).isEqualTo(ALL_HEX);
        assertThat(RecordCodec.of(All.class).read(source(ALL_HEX))).isEqualTo(ALL);
    }

    @Test
    void write_shortArray_hasItsCountInOneByte() {
        assertThat(write(new Few(new int[] {1, 2}))).isEqualTo("0201000200");
        assertThat(RecordCodec.of(Few.class).read(source("0201000200")).items()).containsExactly(1, 2);
    }

    @Test
    void write_componentThatMayBeNull_hasAFlagBeforeIt() {
        Optional some = new Optional(new Inner(6, Colour.BLUE), null, List.of());
        assertThat(write(some)).isEqualTo("01060007" + "00" + "0100000000");
        assertThat(RecordCodec.of(Optional.class).read(source("01060007" + "00" + "0100000000")))
                .isEqualTo(some);
        assertThat(write(new Optional(null, null, null))).isEqualTo("000000");
        assertThat(write(new OptionalNumber(5))).isEqualTo("0105");
        assertThat(RecordCodec.of(OptionalNumber.class).read(source("00"))).isEqualTo(new OptionalNumber(null));
        assertThat(RecordCodec.of(Optional.class).fields())
                .containsEntry("inner", "optional Inner")
                .containsEntry("inners", "optional list of Inner");
    }

    @Test
    void write_numberThatDoesNotFit_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> write(new Inner(65_536, Colour.RED)));
        assertThatIllegalArgumentException().isThrownBy(() -> write(new Inner(-1, Colour.RED)));
        assertThatIllegalArgumentException().isThrownBy(() -> write(new Circle(256)));
    }

    @Test
    void read_malformedBytes_areRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordCodec.of(Inner.class).read(source("060002")))
                .withMessageContaining("Colour has the code 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordCodec.of(Inner.class).read(source("0d0007")))
                .withMessageContaining("no nid is 13");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordCodec.of(All.class)
                        .read(source(ALL_HEX.replaceFirst("300000000000000" + "01", "300000000000000" + "02"))))
                .withMessageContaining("flag of 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RecordCodec.of(Optional.class).read(source("020000")))
                .withMessageContaining("flag of 2");
    }

    @Test
    void read_countThatTheBytesLeftCannotHold_isRefusedBeforeAnythingIsAllocated() {
        RecordCodec<Numbers> codec = RecordCodec.of(Numbers.class);
        assertThat(codec.read(source("010000000900000000000000")).values()).containsExactly(9L);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> codec.read(source("020000000900000000000000")))
                .withMessageContaining("2 items in 8 bytes");
        assertThatIllegalArgumentException().isThrownBy(() -> codec.read(source("ffffff7f")));
        assertThatIllegalArgumentException().isThrownBy(() -> codec.read(source("ffffffff")));
    }

    @Test
    void of_recordWithoutLayout_isRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RecordCodec.of(NoWidth.class))
                .withMessageContaining("width");
        assertThatIllegalStateException()
                .isThrownBy(() -> RecordCodec.of(NoLayout.class))
                .withMessageContaining("layout");
        assertThatIllegalStateException()
                .isThrownBy(() -> RecordCodec.of(TwoAlike.class))
                .withMessageContaining("code");
        assertThatIllegalStateException()
                .isThrownBy(() -> RecordCodec.of(Endless.class))
                .withMessageContaining("no bytes");
    }

    @Test
    void types_ofASealedInterface_areKnownByTheirCodes() {
        RecordTypes<Shape> types = RecordTypes.of("shape", Shape.class);
        assertThat(types.all())
                .containsEntry(4, Circle.class)
                .containsEntry(5, Square.class)
                .hasSize(2);
        assertThat(types.codeOf(new Square(1))).isEqualTo(5);
        assertThat(types.read(4, source("07"))).isEqualTo(new Circle(7));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> types.read(6, source("07")))
                .withMessageContaining("shape of the unknown type 6");
        assertThatIllegalStateException()
                .isThrownBy(() -> RecordTypes.of("alike", Alike.class))
                .withMessageContaining("has the code of");
    }

    private static String write(Record value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        RecordCodec.writeRecord(value, new Sink() {
            @Override
            public void putByte(int number) {
                bytes.write(number);
            }

            @Override
            public void putShort(int number) {
                putByte(number);
                putByte(number >> 8);
            }

            @Override
            public void putInt(int number) {
                putShort(number);
                putShort(number >> 16);
            }

            @Override
            public void putLong(long number) {
                putInt((int) number);
                putInt((int) (number >> 32));
            }

            @Override
            public void putBytes(byte[] more) {
                bytes.writeBytes(more);
            }
        });
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    private static Source source(String hex) {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(hex)).order(ByteOrder.LITTLE_ENDIAN);
        return new Source() {
            @Override
            public int getByte() {
                return bytes.get() & 0xFF;
            }

            @Override
            public int getShort() {
                return bytes.getShort() & 0xFFFF;
            }

            @Override
            public int getInt() {
                return bytes.getInt();
            }

            @Override
            public long getLong() {
                return bytes.getLong();
            }

            @Override
            public byte[] getBytes(int sizeBytes) {
                byte[] read = new byte[sizeBytes];
                bytes.get(read);
                return read;
            }

            @Override
            public int remainingBytes() {
                return bytes.remaining();
            }
        };
    }
}
