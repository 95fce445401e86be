package dev.granary.memory.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.InvalidDumpException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParallelSectionsTest {

    /** Before the first section. */
    private static final int START = 13;

    /** The second is read in three pieces. */
    private static final int[] SIZES = {100, (2 << 20) + 5, 0, 1, 4096, 70_000};

    @TempDir
    private Path folder;

    private final List<byte[]> contents = new ArrayList<>();
    private final int[] sums = new int[SIZES.length];
    private byte[] file = new byte[0];

    @BeforeEach
    void makeSections() {
        Random random = new Random(4);
        int length = START;
        for (int size : SIZES) {
            byte[] content = new byte[size];
            random.nextBytes(content);
            contents.add(content);
            length += size + 4;
        }
        ByteBuffer out =
                ByteBuffer.allocate(length + 7).order(ByteOrder.LITTLE_ENDIAN).position(START);
        for (int i = 0; i < SIZES.length; i++) {
            CRC32C sum = new CRC32C();
            sum.update(contents.get(i));
            sums[i] = (int) sum.getValue();
            out.put(contents.get(i)).putInt(sums[i]);
        }
        file = out.array();
    }

    @Test
    void read_sectionsOfAllSizes_fillsTheirBuffersAndMovesBehindThem() throws IOException {
        try (FileChannel channel = open(file)) {
            List<DumpInput.Section> sections = sections();
            assertThat(ParallelSections.read(channel, sections)).isEqualTo(sums);
            assertThat(channel.position()).isEqualTo(file.length - 7);
            for (int i = 0; i < SIZES.length; i++) {
                ByteBuffer target = sections.get(i).target();
                assertThat(target.hasRemaining()).isFalse();
                assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(contents.get(i)));
            }
        }
    }

    @Test
    void read_noSections_readsNothing() throws IOException {
        try (FileChannel channel = open(file)) {
            assertThat(ParallelSections.read(channel, List.of())).isEmpty();
            assertThat(channel.position()).isEqualTo(START);
        }
    }

    @Test
    void read_oneByteIsWrong_namesTheSection() throws IOException {
        int at = START;
        for (int i = 0; i < SIZES.length; i++) {
            // The last byte of the section, or of its checksum where it has none.
            int end = at + SIZES[i] + (SIZES[i] == 0 ? 4 : 0);
            byte[] damaged = file.clone();
            damaged[end - 1]++;
            try (FileChannel channel = open(damaged)) {
                assertThatThrownBy(() -> ParallelSections.read(channel, sections()))
                        .isInstanceOf(InvalidDumpException.class)
                        .hasMessageContaining("section " + i);
            }
            at += SIZES[i] + 4;
        }
    }

    @Test
    void read_fileEndsTooEarly_saysAfterHowMuch() throws IOException {
        int sections = file.length - 7;
        for (int missing : new int[] {1, 4, 5, 70_003}) {
            byte[] cut = Arrays.copyOf(file, sections - missing);
            try (FileChannel channel = open(cut)) {
                assertThatThrownBy(() -> ParallelSections.read(channel, sections()))
                        .isInstanceOf(InvalidDumpException.class)
                        .hasMessageContaining("it ends after " + cut.length + " B, in section 5");
            }
        }
    }

    @Test
    void read_channelIsClosed_fails() throws IOException {
        FileChannel channel = open(file);
        channel.close();
        assertThatThrownBy(() -> ParallelSections.read(channel, sections())).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void read_callerIsInterrupted_staysInterruptedAndReadsAllOrFails() throws IOException {
        try (FileChannel channel = open(file)) {
            Thread.currentThread().interrupt();
            try {
                ParallelSections.read(channel, sections());
            } catch (ClosedChannelException e) {
                assertThat(channel.isOpen()).isFalse();
            }
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    private FileChannel open(byte[] bytes) throws IOException {
        Path path = folder.resolve("dump");
        Files.write(path, bytes);
        return FileChannel.open(path, StandardOpenOption.READ).position(START);
    }

    /** The first lies within a larger buffer. */
    private static List<DumpInput.Section> sections() {
        List<DumpInput.Section> sections = new ArrayList<>();
        for (int i = 0; i < SIZES.length; i++) {
            ByteBuffer target = i == 0
                    ? ByteBuffer.allocateDirect(SIZES[0] + 50).slice(20, SIZES[0])
                    : ByteBuffer.allocateDirect(SIZES[i]);
            sections.add(new DumpInput.Section(target, "section " + i));
        }
        return sections;
    }
}
