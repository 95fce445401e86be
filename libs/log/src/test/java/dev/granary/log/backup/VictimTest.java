package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.BlockHeader;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VictimTest {

    private static final long FILLER = 9999;

    private final LogRig rig;
    private final ZoneLog zone;

    VictimTest() throws IOException {
        rig = new LogRig();
        zone = rig.zone(ZONE);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void writeLive_someEntriesAreOverwritten_writesTheOthers() throws IOException {
        for (int i = 1; i <= 5; i++) {
            LogRig.put(zone, i, "first " + i);
        }
        LogRig.put(zone, 3, "second 3");
        Segment victim = endSegment();
        LogRig.put(zone, 1, "elsewhere");
        LogRig.delete(zone, 5);
        endSegment();

        assertThat(clean(victim)).containsExactly("2@2=first 2", "4@4=first 4", "3@6=second 3");
        // The tombstone of 5 is the last entry of its CID now.
        assertThat(index().isLastCopy(index().slot(NID | 5))).isTrue();
        assertThat(index().isLastCopy(index().slot(NID | 2))).isTrue();
    }

    @Test
    void writeLive_tombstone_goesOnlyIfNothingIsLeftToDelete() throws IOException {
        LogRig.put(zone, 1, "gone");
        LogRig.put(zone, 3, "stays");
        Segment first = endSegment();
        LogRig.delete(zone, 1);
        LogRig.delete(zone, 2);
        LogRig.put(zone, 4, "stays, too");
        Segment second = endSegment();
        endSegment();

        // 1 is still in the first segment, 2 has no other entry.
        assertThat(clean(second)).containsExactly("1@4 deleted", "4@6=stays, too");
        assertThat(clean(first)).containsExactly("3@2=stays");
    }

    @Test
    void read_segmentIsDeadAndItsEntriesAreNoted_readsNoFile() throws IOException {
        LogRig.put(zone, 1, "first");
        Segment victim = endSegment();
        LogRig.put(zone, 1, "second");
        endSegment();
        assertThat(victim.liveBytes()).isZero();
        rig.disk.delete(victim.file());
        assertThat(clean(victim)).isEmpty();
        assertThat(index().isLastCopy(index().slot(NID | 1))).isTrue();
    }

    @Test
    void read_segmentIsDeadAndItsNotesAreGone_isFoundDeadByItsFile() throws IOException {
        LogRig.put(zone, 1, "first");
        LogRig.put(zone, 2, "first");
        Segment victim = endSegment();
        LogRig.put(zone, 1, "second");
        LogRig.put(zone, 2, "second");
        endSegment();
        victim.setNoted(null);
        assertThat(index().isLastCopy(index().slot(NID | 2))).isFalse();
        assertThat(clean(victim)).isEmpty();
        assertThat(index().isLastCopy(index().slot(NID | 1))).isTrue();
        assertThat(index().isLastCopy(index().slot(NID | 2))).isTrue();
    }

    @Test
    void read_recordWithLiveEntriesIsDamaged_saysSo() throws IOException {
        LogRig.put(zone, 1, "first");
        LogRig.put(zone, 2, "x".repeat(1000));
        Segment victim = endSegment();
        endSegment();
        rig.simulated.flipBit(victim.file(), LogFileHeader.LENGTH + BlockHeader.LENGTH + 500, 2);
        assertThat(new Victim(rig.disk, rig.spares, zone, victim, index()).read())
                .isFalse();
        assertThat(zone.isDamaged()).isTrue();
    }

    @Test
    void read_recordWithoutLiveEntriesIsDamaged_nobodyNeedsIt() throws IOException {
        LogRig.put(zone, 1, "x".repeat(1000));
        LogRig.put(zone, 2, "stays");
        Segment victim = endSegment();
        LogRig.put(zone, 1, "elsewhere");
        endSegment();
        rig.simulated.flipBit(victim.file(), LogFileHeader.LENGTH + BlockHeader.LENGTH + 500, 2);
        assertThat(clean(victim)).containsExactly("2@2=stays");
        assertThat(zone.isDamaged()).isFalse();
    }

    @Test
    void read_fileIsShorterThanItWas_saysSo() throws IOException {
        LogRig.put(zone, 1, "first");
        Segment victim = endSegment();
        endSegment();
        rig.disk.delete(victim.file());
        rig.disk.writeAtomically(victim.file(), new byte[40]);
        assertThat(new Victim(rig.disk, rig.spares, zone, victim, index()).read())
                .isFalse();
    }

    @Test
    void writeLive_baseBetweenChanges_writesTheNewestOfEachChunk() throws IOException {
        ZoneLog filled = rig.fillingZone(ZONE + 1);
        LogRig.base(filled, 1, "as the base has it");
        LogRig.base(filled, 2, "only in the base");
        LogRig.put(filled, 1, "changed since");
        LogRig.base(filled, 1, "as the base has it");
        rig.store.write(filled, bytes -> {});
        filled.setState(filled.state().withFilled(filled.lastSequence()));
        assertThat(new IndexBuild(rig.disk, filled).run()).isTrue();
        Segment victim = filled.segments().getFirst();
        CleanedSegments output = new CleanedSegments(rig.disk, filled, 1 << 20, Objects.requireNonNull(filled.index()));
        Victim read = new Victim(rig.disk, rig.spares, filled, victim, Objects.requireNonNull(filled.index()));
        assertThat(read.read()).isTrue();
        read.forgetDead();
        read.writeLive(output);
        output.finish();
        assertThat(rig.entries(filled, output.written().getFirst()))
                .containsExactly("2@10=only in the base", "1@11=changed since");
    }

    /** Writes what is pending into a segment of its own, by a chunk that fills it, and is dead when the next one is. */
    private Segment endSegment() throws IOException {
        LogRig.put(zone, FILLER, "fills the segment".repeat(600));
        rig.store.write(zone, bytes -> {});
        rig.store.sync();
        return Objects.requireNonNull(zone.tail());
    }

    private List<String> clean(Segment victim) throws IOException {
        Victim read = new Victim(rig.disk, rig.spares, zone, victim, index());
        assertThat(read.read()).isTrue();
        CleanedSegments output = new CleanedSegments(rig.disk, zone, 1 << 20, index());
        read.forgetDead();
        read.writeLive(output);
        output.finish();
        return output.written().isEmpty()
                ? List.of()
                : rig.entries(zone, output.written().getFirst());
    }

    private SegmentIndex index() {
        return Objects.requireNonNull(zone.index());
    }
}
