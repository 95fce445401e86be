package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.NID;
import static dev.granary.log.backup.Logs.ZONE;
import static dev.granary.log.backup.Logs.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.EntryCursor;
import dev.granary.log.batch.EntryEncoder;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class NotedEntriesTest {

    private static final MemorySegment ANSWER = MemorySegment.ofArray(new byte[1]);

    private final SegmentIndex index = new SegmentIndex();
    private final Segment segment = segment(1);
    private final Segment other = segment(2);

    @Test
    void live_writtenTwice_theLastOneIs() {
        NotedEntries notes = NotedEntries.ofWritten(index, segment);
        notes.record(50);
        note(notes, 7, out -> put(out, 1));
        note(notes, 8, out -> put(out, 2));
        note(notes, 9, out -> put(out, 1));
        assertThat(notes.live()).isEqualTo(numbers(1, 2));
        index.add(other, entry(10, out -> put(out, 2)));
        assertThat(notes.live()).isEqualTo(numbers(2));
        index.add(other, entry(11, out -> put(out, 1)));
        assertThat(notes.live()).isEqualTo(numbers());
    }

    @Test
    void live_readInAnotherOrder_theNewestIs() {
        NotedEntries notes = NotedEntries.ofRead(index, segment);
        notes.record(50);
        note(notes, 9, out -> put(out, 1));
        note(notes, 3, out -> put(out, 2));
        note(notes, 7, out -> put(out, 1));
        assertThat(notes.live()).isEqualTo(numbers(0, 1));
    }

    @Test
    void live_entriesOfOtherKinds_countUntilNobodyNeedsThem() {
        NotedEntries notes = NotedEntries.ofWritten(index, segment);
        notes.record(50);
        note(notes, 7, out -> out.request(5, 20, 10, ANSWER, 0, 1));
        note(notes, 8, out -> out.token(NID | 1, 70));
        notes.cut();
        note(notes, 9, out -> out.tombstone(NID | 2));
        assertThat(notes.live()).as("who writes asks for each token").isEqualTo(numbers(0, 1, 3));
        index.add(other, entry(10, out -> out.request(5, 21, 20, ANSWER, 0, 1)));
        assertThat(notes.live()).isEqualTo(numbers(1, 3));
    }

    @Test
    void forgetAllBut_some_takesTheOthersOutOfTheIndex() {
        NotedEntries notes = NotedEntries.ofWritten(index, segment);
        notes.record(50);
        note(notes, 7, out -> put(out, 1));
        note(notes, 8, out -> put(out, 2));
        index.add(other, entry(9, out -> put(out, 1)));
        index.add(other, entry(10, out -> put(out, 2)));
        notes.forgetAllBut(numbers(1));
        assertThat(index.isLastCopy(index.slot(NID | 1))).isTrue();
        assertThat(index.isLastCopy(index.slot(NID | 2))).isFalse();
    }

    @Test
    void record_several_knowsWhereEachBeginsAndItsEntries() {
        NotedEntries notes = NotedEntries.ofWritten(index, segment);
        for (int record = 0; record < 20; record++) {
            notes.record(50 + 100 * record);
            for (int i = 0; i < record; i++) {
                int lid = 100 * record + i;
                note(notes, 7, out -> put(out, lid));
            }
        }
        assertThat(notes.records()).isEqualTo(20);
        assertThat(notes.recordAt(3)).isEqualTo(350);
        assertThat(notes.firstEntry(3)).isEqualTo(3);
        assertThat(notes.firstEntry(4)).isEqualTo(6);
        assertThat(notes.firstEntry(20)).isEqualTo(190);
        assertThat(notes.slot(189)).isEqualTo(index.slot(NID | 1918));
        assertThat(notes.sizeBytes()).isBetween(4L * (190 + 40), 4L * 2 * (256 + 64));
    }

    private void note(NotedEntries notes, long sequence, Consumer<EntryEncoder> written) {
        EntryCursor entry = entry(sequence, written);
        notes.entry(entry, index.add(segment, entry));
    }

    private static void put(EntryEncoder out, long lid) {
        out.chunk(NID | lid, new byte[1], 0, 1);
    }

    private static BitSet numbers(int... set) {
        BitSet numbers = new BitSet();
        for (int number : set) {
            numbers.set(number);
        }
        return numbers;
    }

    private Segment segment(int ordinal) {
        LogFileHeader header = new LogFileHeader(LogFileHeader.SEGMENT, Logs.header(ZONE, 1), 1, ordinal, 0, 0);
        Segment made = new Segment("s" + ordinal, header, 1000);
        index.addSegment(made);
        return made;
    }
}
