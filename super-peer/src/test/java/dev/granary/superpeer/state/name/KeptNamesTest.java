package dev.granary.superpeer.state.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.name.NamePosition;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is built from the copies of names that storage peers keep. */
class KeptNamesTest {

    private static final int LOW = 0x8000;
    private static final int HIGH = Nid.MAX;
    private static final Arc WHOLE = new Arc(HIGH, HIGH);
    private static final Arc LOWER = new Arc(HIGH, LOW);
    private static final Arc UPPER = new Arc(LOW, HIGH);
    private static final String IN_LOWER = nameIn(LOWER, 0);
    private static final String IN_UPPER = nameIn(UPPER, 0);
    private static final long CID = Cid.of(0x4000, 1);

    private static String nameIn(Arc arc, int skip) {
        return IntStream.range(0, 1000)
                .mapToObj(i -> "n" + i)
                .filter(name -> arc.contains(NamePosition.of(name)))
                .skip(skip)
                .findFirst()
                .orElseThrow();
    }

    private static KeptNames.Source source(int nid, int ownerNid, Arc arc, long ringEpoch, long version) {
        return new KeptNames.Source(
                nid, new NameCopyList.Copy(ownerNid, arc.fromExclusive(), arc.toInclusive(), ringEpoch, version));
    }

    @Test
    void choose_severalCopiesOfAnArc_theLatestIsReadOnce() {
        KeptNames.Source older = source(1, LOW, LOWER, 9, 4);
        KeptNames.Source latest = source(2, LOW, LOWER, 8, 5);
        KeptNames kept = new KeptNames(LOWER);
        assertThat(kept.choose(List.of(latest, older))).containsExactly(latest);
        assertThat(kept.greatestVersion()).isEqualTo(5);
    }

    @Test
    void choose_arcWasSplit_itsNextOnesCopyComesLater() {
        KeptNames.Source before = source(1, HIGH, WHOLE, 3, 50);
        KeptNames.Source after = source(2, LOW, LOWER, 4, 20);
        assertThat(new KeptNames(WHOLE).choose(List.of(after, before))).containsExactly(before, after);
        assertThat(new KeptNames(UPPER).choose(List.of(after, before))).containsExactly(before);
        assertThat(new KeptNames(LOWER).choose(List.of(after, before))).containsExactly(before, after);
    }

    @Test
    void choose_arcsWereMerged_whatTheyHadBeforeIsLeftOut() {
        KeptNames.Source merged = source(1, HIGH, WHOLE, 5, 21);
        assertThat(new KeptNames(WHOLE)
                        .choose(List.of(source(2, LOW, LOWER, 4, 20), merged, source(3, HIGH, UPPER, 4, 19))))
                .containsExactly(merged);
    }

    @Test
    void lay_laterCopyOfAPiece_takesThePlaceOfWhatWasThere() {
        KeptNames kept = new KeptNames(WHOLE);
        kept.lay(WHOLE, List.of(new NameEntry(IN_LOWER, CID), new NameEntry(IN_UPPER, CID)));
        String other = nameIn(LOWER, 1);
        kept.lay(LOWER, List.of(new NameEntry(other, CID + 1)));
        assertThat(kept.names().get(IN_LOWER)).isEmpty();
        assertThat(kept.names().get(IN_UPPER)).hasValue(CID);
        assertThat(kept.names().get(other)).hasValue(CID + 1);
    }

    @Test
    void lay_namesBeyondThePart_areLeftOut() {
        KeptNames kept = new KeptNames(UPPER);
        kept.lay(WHOLE, List.of(new NameEntry(IN_LOWER, CID), new NameEntry(IN_UPPER, CID)));
        assertThat(kept.names().size()).isEqualTo(1);
        assertThat(kept.names().get(IN_UPPER)).hasValue(CID);
    }
}
