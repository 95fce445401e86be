package dev.granary.log.backup;

import static dev.granary.log.backup.Logs.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.log.batch.EntryCursor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is live and what may go: the questions that the cleaner asks. */
class SegmentIndexTest {

    private static final int ZONE = Logs.ZONE;
    private static final long CID = Logs.NID | 5;

    /** With this size, the live bytes of a segment with n entries are 1000 / n for each live entry. */
    private static final int SIZE_BYTES = 1000;

    private final SegmentIndex index = new SegmentIndex();
    private final Segment first = segment(1);
    private final Segment second = segment(2);
    private final Segment third = segment(3);
    private long sequence;

    private Segment segment(int ordinal) {
        LogFileHeader header = new LogFileHeader(LogFileHeader.SEGMENT, Logs.header(ZONE, 1), 1, ordinal, 0, 0);
        Segment made = new Segment("s" + ordinal, header, SIZE_BYTES);
        index.addSegment(made);
        return made;
    }

    private EntryCursor chunkEntry(long cid) {
        return entry(++sequence, out -> out.chunk(cid, new byte[1], 0, 1));
    }

    private EntryCursor tombstoneEntry(long cid) {
        return entry(++sequence, out -> out.tombstone(cid));
    }

    private void chunk(Segment segment, long cid) {
        index.add(segment, chunkEntry(cid));
    }

    private void tombstone(Segment segment, long cid) {
        index.add(segment, tombstoneEntry(cid));
    }

    private void request(Segment segment, long client, long request, long acked) {
        MemorySegment answer = MemorySegment.ofArray(new byte[1]);
        index.add(segment, entry(++sequence, out -> out.request(client, request, acked, answer, 0, 1)));
    }

    /** How many of a segment's entries are live. */
    private static void assertLive(Segment segment, int live, int entries) {
        assertThat(segment.liveBytes()).isEqualTo(entries == 0 ? 0 : (long) SIZE_BYTES * live / entries);
    }

    @Test
    void add_chunkThatIsOverwritten_onlyItsNewestEntryIsLive() {
        chunk(first, CID);
        chunk(first, CID + 1);
        chunk(second, CID);
        assertLive(first, 1, 2);
        assertLive(second, 1, 1);
        assertThat(index.isIn(index.slot(CID), second)).isTrue();
        assertThat(index.isIn(index.slot(CID), first)).isFalse();
        assertThat(index.isLastCopy(index.slot(CID))).isFalse();
        assertThat(index.isLastCopy(index.slot(CID + 1))).isTrue();
    }

    @Test
    void add_deletionOfWhatIsNowhere_isNotLive() {
        tombstone(first, CID);
        assertLive(first, 0, 1);
        chunk(second, CID);
        assertLive(second, 1, 1);
        assertLive(first, 0, 1);
    }

    @Test
    void add_deletionOfAChunkInAnotherSegment_isLiveAsLongAsThatOneIsThere() {
        chunk(first, CID);
        tombstone(second, CID);
        assertLive(first, 0, 1);
        assertLive(second, 1, 1);
        assertThat(index.isLastCopy(index.slot(CID))).isFalse();

        index.forgetCopy(index.slot(CID));

        assertLive(second, 0, 1);
        assertThat(index.isLastCopy(index.slot(CID))).isTrue();
        index.forgetCopy(index.slot(CID));
        assertThat(index.isLastCopy(index.slot(CID)))
                .as("the last one is forgotten as such")
                .isTrue();
        index.forget(index.slot(CID));
        assertThat(index.isIn(index.slot(CID), second)).isFalse();
        chunk(third, CID);
        assertLive(third, 1, 1);
        assertLive(second, 0, 1);
    }

    @Test
    void move_newestEntry_isLiveWhereItWasWrittenAnew() {
        chunk(first, CID);
        index.move(index.slot(CID), second);
        assertThat(index.isIn(index.slot(CID), second)).isTrue();
        assertLive(second, 1, 1);
        chunk(third, CID);
        assertLive(second, 0, 1);
        assertLive(first, 1, 1);
    }

    @Test
    void slots_cidThatNeverCame_isNowhere() {
        assertThat(index.slot(CID)).isEqualTo(-1);
        chunk(first, CID);
        int slot = index.slot(CID);
        assertThat(index.isIn(slot, first)).isTrue();
        assertThat(index.isIn(slot, second)).isFalse();
        assertThat(index.isIn(index.slot(CID + 1), first))
                .as("a neighbour has a slot, and no entry")
                .isFalse();
        index.forgetCopy(slot);
        assertThat(index.isLastCopy(slot)).isTrue();
    }

    @Test
    void removeSegment_itsNumberIsGivenAgain_othersKeepTheirs() {
        chunk(first, CID);
        chunk(second, CID);
        index.removeSegment(first);
        Segment next = segment(4);
        index.addSegment(next);
        assertThat(next.number()).isEqualTo(first.number());
        assertThat(index.isIn(index.slot(CID), second)).isTrue();
        chunk(next, CID);
        assertLive(second, 0, 1);
        assertLive(next, 1, 1);
        index.addSegment(second);
        assertThat(second.number()).as("it has one").isNotEqualTo(next.number());
    }

    @Test
    void addSegment_manyMoreThanAtFirst_allAreKnown() {
        List<Segment> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Segment segment = segment(10 + i);
            index.addSegment(segment);
            chunk(segment, CID + i);
            many.add(segment);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(index.isIn(index.slot(CID + i), many.get(i))).isTrue();
            chunk(first, CID + i);
            assertLive(many.get(i), 0, 1);
        }
    }

    @Test
    void tokens_ofALock_theNewestIsLiveWhereItIs() {
        index.add(first, entry(7, out -> out.token(CID, 70)));
        index.add(second, entry(9, out -> out.token(CID, 71)));
        assertLive(first, 0, 1);
        assertLive(second, 1, 1);
        assertThat(index.isNewestToken(CID, 9)).isTrue();
        assertThat(index.isNewestToken(CID, 7)).isFalse();
        assertThat(index.isNewestToken(CID + 1, 9)).isFalse();

        index.moveToken(CID, 9, third);
        index.add(first, entry(11, out -> out.token(CID, 72)));

        assertLive(third, 0, 1);
        assertLive(first, 1, 2);
        assertThat(index.slot(CID)).as("a token is no chunk").isEqualTo(-1);
    }

    @Test
    void requests_thatTheClientHasSeen_areNotNeeded() {
        assertThat(index.isAcked(7, 1)).isFalse();
        request(first, 7, 10, 5);
        request(first, 7, 11, 4);
        assertThat(index.isAcked(7, 5)).isTrue();
        assertThat(index.isAcked(7, 6)).isFalse();
        assertThat(index.isAcked(8, 1)).isFalse();
        assertLive(first, 0, 2);
    }

    @Test
    void count_entriesInAnyOrder_areAsWhenTheyCameInTheirOrder() {
        EntryCursor old = chunkEntry(CID);
        EntryCursor deletion = tombstoneEntry(CID);
        index.count(second, deletion, true);
        assertLive(second, 0, 1);
        index.count(first, old, false);
        assertLive(second, 1, 1);
        assertLive(first, 0, 1);
        index.forgetCopy(index.slot(CID));
        assertLive(second, 0, 1);
    }

    @Test
    void count_olderTokens_areEntriesThatAreNotLive() {
        index.count(second, entry(9, out -> out.token(CID, 71)), true);
        index.count(first, entry(7, out -> out.token(CID, 70)), false);
        assertLive(first, 0, 1);
        assertThat(index.isNewestToken(CID, 9)).isTrue();
        assertThat(index.slot(CID)).isEqualTo(-1);
    }

    @Test
    void forgetCopy_moreEntriesThanAreCounted_neverTakenForTheLast() {
        for (int i = 0; i < 200; i++) {
            chunk(first, CID);
        }
        tombstone(second, CID);
        for (int i = 0; i < 200; i++) {
            index.forgetCopy(index.slot(CID));
        }
        assertThat(index.isLastCopy(index.slot(CID))).as("there may be others").isFalse();
        assertLive(second, 1, 1);
    }

    @Test
    void removeSegment_thatIsGone_overwritingWhatItHadChangesNothingThere() {
        chunk(first, CID);
        index.removeSegment(first);
        chunk(second, CID);
        assertLive(first, 1, 1);
        assertLive(second, 1, 1);
    }

    @Test
    void add_manyChunks_eachIsFoundAndTheSizeGrows() {
        long empty = index.sizeBytes();
        for (int i = 0; i < 5_000; i++) {
            chunk(i % 2 == 0 ? first : second, CID + 17L * i);
        }
        for (int i = 0; i < 5_000; i++) {
            assertThat(index.isIn(index.slot(CID + 17L * i), i % 2 == 0 ? first : second))
                    .isTrue();
            assertThat(index.isLastCopy(index.slot(CID + 17L * i))).isTrue();
        }
        assertThat(index.sizeBytes()).isGreaterThan(empty + 5_000 * 5);
        assertLive(first, 1, 1);
        index.used(77);
        assertThat(index.usedAt()).isEqualTo(77);
    }
}
