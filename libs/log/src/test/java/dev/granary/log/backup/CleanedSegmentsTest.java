package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.BatchWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CleanedSegmentsTest {

    private final LogRig rig;
    private final ZoneLog zone;
    private final List<String> expected = new ArrayList<>();

    /** Where the output said that entries go. */
    private final Set<Segment> places = new LinkedHashSet<>();

    CleanedSegmentsTest() throws IOException {
        rig = new LogRig();
        zone = rig.zone(ZONE);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void add_entriesOfAllKinds_areAllInOneSegment() throws IOException {
        BatchWriter writer = new BatchWriter();
        writer.start(ZONE, 1, 1);
        MemorySegment answer = MemorySegment.ofArray("answer".getBytes(StandardCharsets.UTF_8));
        writer.chunk(NID | 1, answer, 0, 6);
        writer.tombstone(NID | 2);
        writer.request(77, 5, 3, answer, 0, 6);
        writer.token(NID | 3, 99);
        LogRig.append(zone, writer.finish());
        LogRig.put(zone, 4, "another batch");
        CleanedSegments output = copyAll(10_000);

        assertThat(output.written()).hasSize(1);
        Segment written = output.written().getFirst();
        assertThat(rig.entries(zone, written)).isEqualTo(expected);
        assertThat(expected).contains("1@1=answer", "2@1 deleted", "request 77/5", "token 3=99", "4@2=another batch");
        assertThat(written.isCleaned()).isTrue();
        assertThat(places).containsExactly(written);
        assertThat(written.youngestSequence()).isEqualTo(2);
        assertThat(written.syncedBytes()).isEqualTo(written.sizeBytes());
        assertThat(LogFileHeader.decode(rig.disk.read(written.file()))).isEqualTo(written.header());
        rig.simulated.losePower();
        assertThat(rig.simulated.content(written.file())).hasSize((int) written.sizeBytes());
    }

    @Test
    void add_moreThanASegmentTakes_isSpreadOverSome() throws IOException {
        for (int i = 1; i <= 300; i++) {
            LogRig.put(zone, i, i + "x".repeat(900));
        }
        CleanedSegments output = copyAll(80_000);
        assertThat(output.written()).hasSizeBetween(3, 5);
        List<String> found = new ArrayList<>();
        for (Segment segment : output.written()) {
            found.addAll(rig.entries(zone, segment));
        }
        assertThat(found).isEqualTo(expected);
        assertThat(List.copyOf(places)).isEqualTo(output.written());
        assertThat(output.written().stream().map(Segment::ordinal)).doesNotHaveDuplicates();
    }

    @Test
    void add_entriesWhoseSequencesFall_areAllThere() throws IOException {
        for (int i = 1; i <= 20; i++) {
            LogRig.put(zone, i, "v" + i);
        }
        rig.store.write(zone, bytes -> {});
        Segment source = zone.segments().getFirst();
        CleanedSegments output = output(10_000);
        for (int round = 0; round < 3; round++) {
            copy(source, output);
        }
        output.finish();
        assertThat(rig.entries(zone, output.written().getFirst()))
                .isEqualTo(expected)
                .hasSize(60);
        assertThat(output.written().getFirst().youngestSequence()).isEqualTo(20);
    }

    @Test
    void finish_nothingWasAdded_writesNoFile() throws IOException {
        CleanedSegments output = output(10_000);
        output.finish();
        assertThat(output.written()).isEmpty();
        assertThat(rig.simulated.fileNames()).noneMatch(name -> name.endsWith(".seg"));
    }

    /** A zone whose victims are always dead would have a segment more in its index for each of them. */
    @Test
    void finish_nothingWasAdded_leavesNoSegmentInTheIndex() throws IOException {
        SegmentIndex index = new SegmentIndex();
        for (int i = 0; i < 3; i++) {
            new CleanedSegments(rig.disk, zone, 10_000, index).finish();
        }
        LogFileHeader header = new LogFileHeader(LogFileHeader.SEGMENT, Logs.header(ZONE, 1), 1, 9, 0, 0);
        Segment next = new Segment("next", header, 0);
        index.addSegment(next);
        assertThat(next.number()).isZero();
    }

    private CleanedSegments output(int limit) {
        SegmentIndex index = zone.index();
        return new CleanedSegments(rig.disk, zone, limit, index == null ? new SegmentIndex() : index);
    }

    /** Writes what is pending, and copies it. */
    private CleanedSegments copyAll(int limit) throws IOException {
        rig.store.write(zone, bytes -> {});
        Objects.requireNonNull(zone.index());
        CleanedSegments output = output(limit);
        for (Segment segment : zone.segments()) {
            copy(segment, output);
        }
        output.finish();
        return output;
    }

    private void copy(Segment from, CleanedSegments output) throws IOException {
        expected.addAll(rig.entries(zone, from));
        SegmentWalk walk = new SegmentWalk(zone, from, rig.disk.read(from.file()));
        walk.run((block, entry) -> places.add(output.add(entry)));
    }
}
