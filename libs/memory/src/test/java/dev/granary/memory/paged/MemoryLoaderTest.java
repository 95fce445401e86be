package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.os.Vmb;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(MemoryLayout.class)
class MemoryLoaderTest {

    private static final long CAPACITY = 4 << 20;

    private final MemoryLayout layout;
    private final OpenMemory open;
    private final Map<Long, Integer> sizes = new LinkedHashMap<>();
    private byte[] dump = new byte[0];

    MemoryLoaderTest(MemoryLayout layout) {
        this.layout = layout;
        this.open = new OpenMemory(layout, CAPACITY, 2);
    }

    @BeforeEach
    void dump() throws IOException {
        for (int i = 0; i < 3500; i++) {
            int size = i % 50 == 0 ? i : 16;
            sizes.put(open.create(size), size);
        }
        // More than another capacity has.
        for (int i = 0; i < 1500; i++) {
            sizes.put(open.create(1000), 1000);
        }
        for (int i = 0; i < 20; i++) {
            open.insert(OpenMemory.foreign(9 + 100L * i), 60 * i);
            sizes.put(OpenMemory.foreign(9 + 100L * i), 60 * i);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        open.memory.dump(Channels.newChannel(out));
        dump = out.toByteArray();
    }

    @AfterEach
    void close() {
        int before = Vmb.openCount();
        open.close();
        assertThat(Vmb.openCount()).isEqualTo(before - 1);
    }

    @Test
    void load_dumpWithSomethingBehindIt_hasItsChunksAndReadsNoFurther() throws IOException {
        ReadableByteChannel channel =
                Channels.newChannel(new ByteArrayInputStream(Arrays.copyOf(dump, dump.length + 3)));
        try (ChunkMemory loaded = MemoryLoader.load(config(CAPACITY), channel)) {
            MemoryTests.assertSound(loaded);
            assertThat(loaded.statistics().chunks()).isEqualTo(sizes.size());
            sizes.forEach((cid, size) -> assertThat(MemoryTests.bytes(loaded, cid))
                    .as("0x%016x", cid)
                    .isEqualTo(OpenMemory.content(cid, size)));
            assertThat(loaded.lidMark()).isEqualTo(open.memory.lidMark());
            assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(3);
            for (int i = 0; i < 2000; i++) {
                assertThat(sizes).doesNotContainKey(loaded.create(16));
            }
            MemoryTests.assertSound(loaded);
        }
    }

    @Test
    void load_largerCapacity_hasThatMuch() throws IOException {
        try (ChunkMemory loaded = load(config(2 * CAPACITY), dump)) {
            MemoryTests.assertSound(loaded);
            assertThat(loaded.statistics().capacityBytes()).isEqualTo(2 * CAPACITY);
            assertThat(loaded.statistics().chunks()).isEqualTo(sizes.size());
        }
    }

    @Test
    void load_otherConfiguration_isRefusedAndLeavesNoMemory() {
        assertRefused(ChunkMemoryConfig.of(0x8001, CAPACITY).withLayout(layout).withHugePages(false), "NID");
        MemoryLayout other = layout == MemoryLayout.CLASSIC ? MemoryLayout.TYPED : MemoryLayout.CLASSIC;
        assertRefused(MemoryTests.config(other, CAPACITY), "layout");
        assertRefused(config(1 << 20), "give it");
    }

    @Test
    void load_dumpThatIsCutOff_isRefusedAndLeavesNoMemory() {
        int before = Vmb.openCount();
        for (int length : new int[] {0, 1, 100, 127, 128, 129, 1000, dump.length / 2, dump.length - 1}) {
            assertThatThrownBy(() -> load(config(CAPACITY), Arrays.copyOf(dump, length)))
                    .as("%d B", length)
                    .isInstanceOf(InvalidDumpException.class);
        }
        assertThat(Vmb.openCount()).isEqualTo(before);
    }

    @Test
    void load_oneByteIsWrong_isRefusedAndLeavesNoMemory() {
        int before = Vmb.openCount();
        for (int i = 0; i < 40; i++) {
            byte[] damaged = dump.clone();
            damaged[i < 20 ? 8 * i : (int) ((long) dump.length * (i - 20) / 20)] ^= 0x10;
            assertThatThrownBy(() -> load(config(CAPACITY), damaged))
                    .as("round %d", i)
                    .isInstanceOf(InvalidDumpException.class);
        }
        assertThat(Vmb.openCount()).isEqualTo(before);
    }

    private void assertRefused(ChunkMemoryConfig config, String why) {
        int before = Vmb.openCount();
        assertThatThrownBy(() -> load(config, dump))
                .isInstanceOf(InvalidDumpException.class)
                .hasMessageContaining(why);
        assertThat(Vmb.openCount()).isEqualTo(before);
    }

    private ChunkMemoryConfig config(long capacityBytes) {
        return MemoryTests.config(layout, capacityBytes);
    }

    private static ChunkMemory load(ChunkMemoryConfig config, byte[] bytes) throws IOException {
        return MemoryLoader.load(config, Channels.newChannel(new ByteArrayInputStream(bytes)));
    }
}
