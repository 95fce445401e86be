package dev.granary.storage.park;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Disk;
import dev.granary.env.FileDisk;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.testkit.Simulation;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParkFilesTest {

    private static final int NID = 0x8000;
    private static final ChunkMemoryConfig CONFIG = ChunkMemoryConfig.of(NID, 16 << 20);
    private static final ParkManifest MANIFEST = new ParkManifest(
            new UUID(1, 2),
            NID,
            3,
            4,
            5,
            6,
            List.of(new ParkManifest.Zone(
                    new Placement(NID, new int[] {0x4000, 0xC000}, 14, 0x40000001, PlacementState.IN_SYNC),
                    7,
                    List.of(new CidRange(Cid.of(NID, 1), Cid.of(NID, 2), Placement.unreplicated(NID, 1))))),
            List.of(
                    new CidRange(
                            Cid.of(NID, 3),
                            Cid.of(NID, 4),
                            new Placement(0, new int[0], 9, 0, PlacementState.RECOVERING)),
                    new CidRange(Cid.of(NID, 8), Cid.of(NID, 9), Placement.unreplicated(0x4000, 10))),
            List.of(new ParkManifest.Request(11, 12, new byte[] {13})),
            List.of(new ParkManifest.Token(Cid.of(NID, 8), 15)));

    @TempDir
    private Path directory;

    @Test
    void encode_manifest_goldenBytes() {
        assertThat(ByteBufUtil.hexDump(MANIFEST.encode()))
                .isEqualTo("4752414e5041524b01000000" + "0100000000000000" + "0200000000000000" + "0080"
                        + "0300000000000000" + "0400000000000000" + "0500000000000000" + "0600000000000000"
                        + "01000000" + "01000040" + "0e00000000000000" + "0700000000000000" + "02" + "0040" + "00c0"
                        + "01000000" + "0100000000000080" + "0200000000000080"
                        + "02000000" + "0300000000000080" + "0400000000000080" + "0000" + "0900000000000000"
                        + "0800000000000080" + "0900000000000080" + "0040" + "0a00000000000000"
                        + "01000000" + "0b00000000000000" + "0c00000000000000" + "010000000d"
                        + "01000000" + "0800000000000080" + "0f00000000000000" + "aee4d40b");
    }

    @Test
    void decode_anyFlippedOrMissingByte_isRefused() {
        byte[] bytes = MANIFEST.encode();
        for (int i = 0; i < bytes.length; i++) {
            byte[] flipped = bytes.clone();
            flipped[i] ^= 0x10;
            assertThatThrownBy(() -> ParkManifest.decode(flipped)).isInstanceOf(IOException.class);
            byte[] cut = Arrays.copyOf(bytes, i);
            assertThatThrownBy(() -> ParkManifest.decode(cut)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void load_whatWasWritten_hasTheChunksOnEveryDisk() throws IOException {
        try (FileDisk disk = FileDisk.open(directory)) {
            check(disk);
        }
        Simulation simulation = new Simulation(1);
        simulation.node("n").start(world -> {
            try {
                check(world.environment().disk());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        simulation.runFor(1);
    }

    private static void check(Disk disk) throws IOException {
        ParkFiles files = new ParkFiles(disk);
        assertThat(files.read()).isEmpty();
        long cid;
        byte[] value = {1, 2, 3};
        try (ChunkMemory memory = ChunkMemories.open(CONFIG)) {
            memory.reserveLids(100);
            cid = memory.create(MemorySegment.ofArray(value), 0, value.length);
            files.writeDump(memory);
        }
        assertThat(files.read()).as("without its record a dump does not count").isEmpty();
        files.write(MANIFEST);
        assertThat(files.read().orElseThrow().encode()).isEqualTo(MANIFEST.encode());
        assertThat(files.read().orElseThrow().known()).isEqualTo(MANIFEST.known());
        try (ChunkMemory memory = files.load(CONFIG)) {
            byte[] read = new byte[value.length];
            assertThat(memory.get(cid, MemorySegment.ofArray(read), 0, read.length))
                    .isEqualTo(value.length);
            assertThat(read).isEqualTo(value);
        }
        files.discard();
        assertThat(files.read()).isEmpty();
        assertThatThrownBy(() -> files.load(CONFIG)).isInstanceOf(IOException.class);
    }
}
