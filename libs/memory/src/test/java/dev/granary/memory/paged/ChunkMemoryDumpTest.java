package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.LockMode;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.NotLockedException;
import dev.granary.memory.NotPinnedException;
import dev.granary.memory.ReadOnlyException;
import dev.granary.memory.dump.DumpHeader;
import dev.granary.memory.os.Vmb;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Exporter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Dumps that are written, read, and refused. Nothing that is refused leaves memory or files behind. */
class ChunkMemoryDumpTest {

    private static final long CAPACITY = 4 << 20;
    private static final long FOREIGN = 7L << 48 | 12345;

    @TempDir
    private Path folder;

    private int openBefore;

    @BeforeEach
    void countMemories() {
        openBefore = Vmb.openCount();
    }

    @AfterEach
    void noMemoryIsLeft() {
        assertThat(Vmb.openCount()).isEqualTo(openBefore);
    }

    @Test
    void header_ofVersionTwo_hasTheseBytes() {
        DumpHeader header = new DumpHeader(
                0x8001, MemoryLayout.TYPED, 4, 65536, 16 << 20, 3, 5, 1, 0x1_0000_0000_0000L, 9, 1000, 32000);
        assertThat(HexFormat.of().formatHex(header.encode().array()))
                .isEqualTo("4752414e44554d50" + "02000000" + "0180" + "01" + "04"
                        + "0000010000000000" + "0000000100000000" + "0300000000000000" + "0500000000000000"
                        + "0100000000000000" + "0000000000000100" + "0900000000000000" + "e803000000000000"
                        + "007d000000000000" + "0000000000000000".repeat(4) + "00000000" + "98cd0807");
        assertThat(DumpHeader.decode(header.encode())).isEqualTo(header);
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void load_ofADump_bringsChunksMarksAndFreeLidsBack(MemoryLayout layout) throws IOException {
        Path file = folder.resolve("dump");
        MemoryModel model = new MemoryModel();
        long readOnly;
        long freed;
        try (ChunkMemory memory = filled(layout, model)) {
            readOnly = model.all().iterator().next().cid;
            memory.setReadOnly(readOnly);
            freed = create(memory, model, 300);
            memory.delete(freed);
            model.remove(freed);
            memory.pin(readOnly);
            memory.lock(readOnly, LockMode.WRITE, 0);
            memory.dump(file);
        }
        assertThat(folder).isDirectoryContaining("glob:**dump").isDirectoryNotContaining("glob:**part");
        try (ChunkMemory memory = ChunkMemories.load(config(layout, CAPACITY), file)) {
            model.compareAll(memory);
            MemoryTests.assertSound(memory);
            MemoryModel.refused(ReadOnlyException.class, () -> memory.resize(readOnly, 1));
            MemoryModel.refused(NotPinnedException.class, () -> memory.unpin(readOnly));
            MemoryModel.refused(NotLockedException.class, () -> memory.unlock(readOnly, LockMode.WRITE));
            assertThat(memory.sizeOf(freed)).isEqualTo(ChunkMemory.ABSENT);
            long mark = memory.lidMark();
            int created = 0;
            for (long cid = 0; cid != freed && created < 2000; created++) {
                cid = create(memory, model, 300);
            }
            assertThat(model.has(freed)).as("the free LID is given again").isTrue();
            assertThat(memory.lidMark()).isBetween(mark, mark + 2000);
            model.compareAll(memory);
            MemoryTests.assertSound(memory);
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void load_ofAnEmptyMemory_isEmptyAndUsable(MemoryLayout layout) throws IOException {
        byte[] dump;
        try (ChunkMemory memory = ChunkMemories.open(config(layout, CAPACITY))) {
            dump = dump(memory);
        }
        try (ChunkMemory memory = load(config(layout, CAPACITY), dump)) {
            assertThat(memory.statistics().chunks()).isZero();
            // No LID was reserved there, so none may be given here.
            MemoryModel.refused(LidsExhaustedException.class, () -> memory.create(1));
            memory.reserveLids(1000);
            memory.create(1);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void load_ofTheLargestMemory_isNotRefusedForItsSize() throws IOException {
        ChunkMemoryConfig config = config(MemoryLayout.TYPED, 7L << 40);
        byte[] dump;
        try (ChunkMemory memory = ChunkMemories.open(config)) {
            memory.reserveLids(1000);
            memory.create(100);
            dump = dump(memory);
        }
        try (ChunkMemory memory = load(config, dump)) {
            assertThat(memory.statistics().chunks()).isEqualTo(1);
        }
    }

    @Test
    void load_withMoreCapacityAndAHigherFirstLid_givesNoLidBelow() throws IOException {
        MemoryModel model = new MemoryModel();
        byte[] dump;
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, model)) {
            dump = dump(memory);
        }
        ChunkMemoryConfig config = config(MemoryLayout.TYPED, 8 * CAPACITY).withFirstLid(1_000_000);
        try (ChunkMemory memory = load(config, dump)) {
            model.compareAll(memory);
            for (int i = 0; i < 2000; i++) {
                assertThat(create(memory, model, 1000) & ChunkMemory.MAX_LID).isGreaterThanOrEqualTo(1_000_000);
            }
            model.compareAll(memory);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void load_withAnotherNidLayoutOrTooLittleCapacity_isRefused() throws IOException {
        byte[] dump;
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, new MemoryModel())) {
            memory.create(2 << 20);
            dump = dump(memory);
        }
        refused(ChunkMemoryConfig.of(9, CAPACITY), dump, "NID 32768, configured is 9");
        refused(config(MemoryLayout.CLASSIC, CAPACITY), dump, "layout TYPED, configured is CLASSIC");
        refused(config(MemoryLayout.TYPED, 1 << 20), dump, "give it more");
    }

    @Test
    void load_ofADumpThatIsCutOff_isRefusedWhereverItEnds() throws IOException {
        byte[] dump;
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, new MemoryModel())) {
            dump = dump(memory);
        }
        Random random = new Random(5);
        for (int i = 0; i < 60; i++) {
            int length = i < 30 ? i * 100 : i == 30 ? dump.length - 1 : random.nextInt(dump.length);
            refused(config(MemoryLayout.TYPED, CAPACITY), Arrays.copyOf(dump, length), "cut off");
        }
    }

    @Test
    void load_ofADumpWithAFlippedBit_isRefusedWhereverItIs() throws IOException {
        byte[] dump;
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, new MemoryModel())) {
            dump = dump(memory);
        }
        Random random = new Random(6);
        for (int i = 0; i < 150; i++) {
            // Many in the headers and tables, and in the trailer, which are short.
            int at = i < 40
                    ? random.nextInt(128)
                    : i < 80 ? random.nextInt(4000) : i < 104 ? dump.length - 1 - i + 80 : random.nextInt(dump.length);
            byte[] damaged = dump.clone();
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            assertThatThrownBy(() -> load(config(MemoryLayout.TYPED, CAPACITY), damaged))
                    .as("byte %d", at)
                    .isInstanceOf(InvalidDumpException.class);
        }
    }

    @Test
    void load_ofAnotherVersionOrAnotherFile_isRefusedWithTheReason() throws IOException {
        byte[] dump;
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, new MemoryModel())) {
            dump = dump(memory);
        }
        byte[] newer = dump.clone();
        newer[8] = 3;
        ByteBuffer header = ByteBuffer.wrap(newer).order(ByteOrder.LITTLE_ENDIAN);
        CRC32C sum = new CRC32C();
        sum.update(newer, 0, 124);
        header.putInt(124, (int) sum.getValue());
        refused(config(MemoryLayout.TYPED, CAPACITY), newer, "version 3, this program reads 2");
        byte[] other = dump.clone();
        other[0] = 'X';
        refused(config(MemoryLayout.TYPED, CAPACITY), other, "no dump");
    }

    /** In a page that was made by an insert, and whose number nobody has taken. */
    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void load_ofADumpWithAChunkBesideAnInsertedOne_hasItBelowTheMark(MemoryLayout layout) throws IOException {
        ChunkMemoryConfig config = config(layout, CAPACITY).withFirstLid(161);
        byte[] dump;
        long created;
        try (ChunkMemory memory = PagedChunkMemory.open(config, 1)) {
            memory.reserveLids(193);
            assertThat(memory.insert(OpenMemory.own(5), MemoryTests.segment((byte) 5), 0, 1))
                    .isTrue();
            created = memory.create(1);
            dump = dump(memory);
        }
        try (ChunkMemory memory = load(config, dump)) {
            assertThat(memory.sizeOf(created)).isEqualTo(1);
            assertThat(memory.lidMark()).isGreaterThan(created & ChunkMemory.MAX_LID);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void load_ofAFileWithSomethingBehindTheDump_isRefused() throws IOException {
        Path file = folder.resolve("dump");
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, new MemoryModel())) {
            memory.dump(file);
        }
        Files.write(file, new byte[1], java.nio.file.StandardOpenOption.APPEND);
        assertThatThrownBy(() -> ChunkMemories.load(config(MemoryLayout.TYPED, CAPACITY), file))
                .isInstanceOf(InvalidDumpException.class)
                .hasMessageContaining("the dump ends at");
    }

    @Test
    void load_ofADamagedFile_isRefusedAndLeavesNothing() throws IOException {
        Path file = folder.resolve("dump");
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, new MemoryModel())) {
            memory.dump(file);
        }
        byte[] dump = Files.readAllBytes(file);
        Random random = new Random(7);
        for (int i = 0; i < 60; i++) {
            int at = 4000 + random.nextInt(dump.length - 4000);
            byte[] damaged = i % 2 == 0 ? Arrays.copyOf(dump, at) : dump.clone();
            if (i % 2 != 0) {
                damaged[at] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, damaged);
            assertThatThrownBy(() -> ChunkMemories.load(config(MemoryLayout.TYPED, CAPACITY), file))
                    .as("byte %d", at)
                    .isInstanceOf(InvalidDumpException.class);
        }
    }

    @Test
    void load_ofAFileThatIsNotThere_saysSo() {
        assertThatThrownBy(() -> ChunkMemories.load(config(MemoryLayout.TYPED, CAPACITY), folder.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void dump_thatFails_leavesTheOldOneAndTheMemoryAsTheyWere() throws IOException {
        Path file = folder.resolve("dump");
        MemoryModel model = new MemoryModel();
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, model)) {
            memory.dump(file);
            byte[] before = Files.readAllBytes(file);
            // A folder in the place of the temporary file: it cannot be opened.
            Files.createDirectory(folder.resolve("dump.part"));
            assertThatThrownBy(() -> memory.dump(file)).isInstanceOf(IOException.class);
            assertThat(Files.readAllBytes(file)).isEqualTo(before);
            assertThatThrownBy(() -> memory.dump(failingAfter(100_000)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk full");
            model.compareAll(memory);
            create(memory, model, 100);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void dump_besideDefragmentation_isWhole() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        MemoryModel model = new MemoryModel();
        Random random = new Random(8);
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, model)) {
            Thread defragmentation = Thread.ofPlatform().start(() -> {
                while (!done.get()) {
                    memory.defragment(1 << 16);
                }
            });
            try {
                for (int i = 0; i < 10; i++) {
                    for (MemoryModel.Chunk chunk : model.someDeletable(random, 300)) {
                        memory.delete(chunk.cid);
                        model.remove(chunk.cid);
                    }
                    for (int k = 0; k < 100; k++) {
                        create(memory, model, random.nextInt(400));
                    }
                    try (ChunkMemory loaded = load(config(MemoryLayout.TYPED, CAPACITY), dump(memory))) {
                        model.compareAll(loaded);
                        MemoryTests.assertSound(loaded);
                    }
                }
            } finally {
                done.set(true);
                defragmentation.join();
            }
        }
    }

    @Test
    void dump_whileAChunkIsBeingWritten_isRefused() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        try (ChunkMemory memory = filled(MemoryLayout.TYPED, new MemoryModel())) {
            long cid = memory.create(1);
            Thread writer = Thread.ofPlatform()
                    .start(() -> memory.put(cid, new Exportable() {
                        @Override
                        public int sizeBytes() {
                            return 1;
                        }

                        @Override
                        public void exportTo(Exporter out) {
                            writing.countDown();
                            try {
                                refused.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            out.writeByte((byte) 1);
                        }
                    }));
            writing.await();
            try {
                assertThatThrownBy(() -> dump(memory))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("all writers to have stopped");
            } finally {
                refused.countDown();
                writer.join();
            }
            assertThat(dump(memory)).isNotEmpty();
        }
    }

    private static ChunkMemoryConfig config(MemoryLayout layout, long capacityBytes) {
        return MemoryTests.config(layout, capacityBytes);
    }

    /** A memory with chunks of many kinds: typed, packed, forwarded, large, empty, and another peer's. */
    private static ChunkMemory filled(MemoryLayout layout, MemoryModel model) {
        ChunkMemory memory = ChunkMemories.open(config(layout, CAPACITY));
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        for (int i = 0; i < 4000; i++) {
            create(memory, model, i % 10 == 0 ? i % 200 : 16);
        }
        create(memory, model, 100_000);
        create(memory, model, 0);
        long moved = create(memory, model, 16);
        memory.resize(moved, 5000);
        MemoryModel.Chunk chunk = model.chunk(moved);
        chunk.content = Arrays.copyOf(chunk.content, 5000);
        byte[] content = {1, 2, 3};
        memory.insert(FOREIGN, MemorySegment.ofArray(content), 0, 3);
        model.add(FOREIGN, content);
        return memory;
    }

    private static long create(ChunkMemory memory, MemoryModel model, int sizeBytes) {
        byte[] content = MemoryTests.random(new Random(sizeBytes + model.size()), sizeBytes);
        long cid = memory.create(MemorySegment.ofArray(content), 0, sizeBytes);
        model.add(cid, content);
        return cid;
    }

    private static byte[] dump(ChunkMemory memory) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        memory.dump(Channels.newChannel(bytes));
        return bytes.toByteArray();
    }

    private static ChunkMemory load(ChunkMemoryConfig config, byte[] dump) throws IOException {
        return ChunkMemories.load(config, Channels.newChannel(new ByteArrayInputStream(dump)));
    }

    private static void refused(ChunkMemoryConfig config, byte[] dump, String why) {
        assertThatThrownBy(() -> load(config, dump))
                .isInstanceOf(InvalidDumpException.class)
                .hasMessageContaining(why);
    }

    private static WritableByteChannel failingAfter(int bytes) {
        return new WritableByteChannel() {
            private int left = bytes;

            @Override
            public int write(ByteBuffer source) throws IOException {
                left -= source.remaining();
                if (left < 0) {
                    throw new IOException("disk full");
                }
                int count = source.remaining();
                source.position(source.limit());
                return count;
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
