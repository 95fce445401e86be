package dev.granary.serialization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SerializationTest {

    @Test
    void importFrom_whatExportToWrote_givesTheObjectBackOnAndOffHeap() {
        Person person =
                new Person("Grace Ægir 🚀", 42, true, new long[] {1, -2, Long.MIN_VALUE}, new Point(1.5f, -0.0));
        int size = person.sizeBytes();
        try (Arena arena = Arena.ofConfined()) {
            for (MemorySegment segment :
                    new MemorySegment[] {MemorySegment.ofArray(new byte[size + 6]), arena.allocate(size + 6)}) {
                segment.fill((byte) 0x5a);
                SegmentExporter out = new SegmentExporter(segment, 3, size);
                person.exportTo(out);
                assertThat(out.writtenBytes()).isEqualTo(size);
                assertThat(segment.asSlice(0, 3).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                        .containsOnly(0x5a);
                assertThat(segment.asSlice(3 + size, 3).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                        .containsOnly(0x5a);

                Person read = new Person();
                SegmentImporter in = new SegmentImporter(segment, 3, size);
                read.importFrom(in);
                assertThat(read).usingRecursiveComparison().isEqualTo(person);
                assertThat(in.remainingBytes()).isZero();
            }
        }
    }

    @Test
    void write_eachType_hasTheDocumentedBytes() {
        assertThat(bytes(out -> out.writeByte(-2))).containsExactly(0xfe);
        assertThat(bytes(out -> out.writeBoolean(true))).containsExactly(1);
        assertThat(bytes(out -> out.writeShort(0x0102))).containsExactly(2, 1);
        assertThat(bytes(out -> out.writeInt(0x01020304))).containsExactly(4, 3, 2, 1);
        assertThat(bytes(out -> out.writeLong(0x0102030405060708L))).containsExactly(8, 7, 6, 5, 4, 3, 2, 1);
        assertThat(bytes(out -> out.writeFloat(1f))).containsExactly(0, 0, 0x80, 0x3f);
        assertThat(bytes(out -> out.writeDouble(1))).containsExactly(0, 0, 0, 0, 0, 0, 0xf0, 0x3f);
        assertThat(bytes(out -> out.writeBytes(new byte[] {1, 2, 3, 4}, 1, 2))).containsExactly(2, 3);
        assertThat(bytes(out -> out.writeInts(new int[] {1, 2, 3}, 1, 1))).containsExactly(2, 0, 0, 0);
        assertThat(bytes(out -> out.writeLongs(new long[] {1, 2}, 1, 1))).containsExactly(2, 0, 0, 0, 0, 0, 0, 0);
        assertThat(bytes(out -> out.writeString("aß"))).containsExactly(3, 'a', 0xc3, 0x9f);
    }

    @ParameterizedTest
    @CsvSource({
        "0,1",
        "127,1",
        "128,2",
        "16383,2",
        "16384,3",
        "2097151,3",
        "2097152,4",
        "268435455,4",
        "268435456,5",
        "2147483647,5"
    })
    void compact_atTheEdgesOfEachLength_takesTheDocumentedBytesAndComesBack(int value, int sizeBytes) {
        int[] written = bytes(out -> out.writeCompact(value));
        assertThat(written).hasSize(sizeBytes);
        assertThat(Exporter.compactSizeBytes(value)).isEqualTo(sizeBytes);
        assertThat(importer(written).readCompact()).isEqualTo(value);
    }

    @Test
    void compact_negative_isRefused() {
        assertThatThrownBy(() -> bytes(out -> out.writeCompact(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readCompact_tooLongTooLargeOrLongerThanNeeded_isRefused() {
        assertThatThrownBy(() -> importer(0x80, 0).readCompact()).isInstanceOf(MalformedDataException.class);
        assertThatThrownBy(() -> importer(0xff, 0xff, 0xff, 0xff, 0x08).readCompact())
                .isInstanceOf(MalformedDataException.class);
        assertThatThrownBy(() -> importer(0xff, 0xff, 0xff, 0xff, 0xff, 1).readCompact())
                .isInstanceOf(MalformedDataException.class);
        assertThatThrownBy(() -> importer(0xff).readCompact()).isInstanceOf(MalformedDataException.class);
    }

    @Test
    void read_pastTheEnd_isRefusedAndMovesNothing() {
        SegmentImporter in = importer(1, 2, 3);
        assertThatThrownBy(in::readInt)
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("3 B are left");
        assertThat(in.remainingBytes()).isEqualTo(3);
        assertThat(in.readShort()).isEqualTo((short) 0x0201);
    }

    @Test
    void write_pastTheCapacity_isRefused() {
        SegmentExporter out = new SegmentExporter(MemorySegment.ofArray(new byte[16]), 4, 5);
        out.writeInt(1);
        assertThatThrownBy(() -> out.writeShort(1)).isInstanceOf(BufferTooSmallException.class);
        out.writeByte(7);
        assertThat(out.writtenBytes()).isEqualTo(5);
    }

    @Test
    void readString_damagedLengthOrNoUtf8_isRefused() {
        assertThatThrownBy(() -> importer(0xff, 0xff, 0xff, 0xff, 0x07, 'a').readString())
                .isInstanceOf(MalformedDataException.class);
        assertThatThrownBy(() -> importer(2, 0xc3, 'a').readString()).isInstanceOf(MalformedDataException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void importFrom_anyBytes_givesAnObjectOrMalformedData(long seed) {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            if (bytes.length > 0 && random.nextBoolean()) {
                bytes[0] = (byte) random.nextInt(8);
            }
            SegmentImporter in = new SegmentImporter(MemorySegment.ofArray(bytes), 0, bytes.length);
            try {
                new Person().importFrom(in);
            } catch (MalformedDataException e) {
                assertThat(e).hasMessageContaining(" of ");
            }
            assertThat(in.remainingBytes()).isBetween(0L, (long) bytes.length);
        }
    }

    private static int[] bytes(Consumer<Exporter> write) {
        byte[] room = new byte[64];
        SegmentExporter out = new SegmentExporter(MemorySegment.ofArray(room), 0, room.length);
        write.accept(out);
        int[] unsigned = new int[(int) out.writtenBytes()];
        Arrays.setAll(unsigned, i -> room[i] & 0xff);
        byte[] written = Arrays.copyOf(room, unsigned.length);
        assertThat(written).hasSize(unsigned.length);
        return unsigned;
    }

    private static SegmentImporter importer(int... unsigned) {
        byte[] bytes = new byte[unsigned.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) unsigned[i];
        }
        return new SegmentImporter(MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    /** A nested object. */
    static final class Point implements Exportable, Importable {
        float x;
        double y;

        Point(float x, double y) {
            this.x = x;
            this.y = y;
        }

        @Override
        public int sizeBytes() {
            return 12;
        }

        @Override
        public void exportTo(Exporter out) {
            out.writeFloat(x);
            out.writeDouble(y);
        }

        @Override
        public void importFrom(Importer in) {
            x = in.readFloat();
            y = in.readDouble();
        }
    }

    /** An object with a field of each kind. */
    static final class Person implements Exportable, Importable {
        String name = "";
        int age;
        boolean known;
        long[] friends = {};
        Point place = new Point(0, 0);

        Person() {}

        Person(String name, int age, boolean known, long[] friends, Point place) {
            this.name = name;
            this.age = age;
            this.known = known;
            this.friends = friends;
            this.place = place;
        }

        @Override
        public int sizeBytes() {
            return Exporter.stringSizeBytes(name)
                    + 4
                    + 1
                    + Exporter.compactSizeBytes(friends.length)
                    + 8 * friends.length
                    + place.sizeBytes();
        }

        @Override
        public void exportTo(Exporter out) {
            out.writeString(name);
            out.writeInt(age);
            out.writeBoolean(known);
            out.writeCompact(friends.length);
            out.writeLongs(friends, 0, friends.length);
            out.writeObject(place);
        }

        @Override
        public void importFrom(Importer in) {
            name = in.readString();
            age = in.readInt();
            known = in.readBoolean();
            int count = in.readCompact();
            if (count > in.remainingBytes() / 8) {
                throw new MalformedDataException("too many friends of " + in.remainingBytes());
            }
            friends = new long[count];
            in.readLongs(friends, 0, count);
            in.readObject(place);
        }
    }
}
