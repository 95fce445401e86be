package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OwnerWaitersTest {

    private static final int OWNER = 0x8000;
    private static final int RANGES = 100;
    private static final int LIDS = 1000;
    private static final int WAITERS_OF_EACH = 160;

    private final OwnerWaiters<String> waiters = new OwnerWaiters<>();

    /** The present ranges by their first CIDs. */
    private final TreeMap<Long, CidRange> ranges = new TreeMap<>(Cid::compare);

    private int looks;

    private static CidRange range(int number, int firstLid, int lastLid, long epoch) {
        long base = 1L + (long) number * LIDS;
        return new CidRange(
                Cid.of(OWNER, base + firstLid), Cid.of(OWNER, base + lastLid), Placement.unreplicated(OWNER, epoch));
    }

    private void put(CidRange range) {
        ranges.put(range.startCid(), range);
    }

    private @Nullable CidRange present(long cid) {
        looks++;
        var found = ranges.floorEntry(cid);
        return found == null ? null : found.getValue();
    }

    private List<String> fill() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < RANGES; i++) {
            CidRange range = range(i, 0, LIDS - 1, 1);
            put(range);
            for (int j = 0; j < WAITERS_OF_EACH; j++) {
                String one = "waiter " + j + " of range " + i;
                waiters.add(range, one);
                all.add(one);
            }
        }
        return all;
    }

    private List<String> takeChanged() {
        List<String> told = new ArrayList<>();
        waiters.tellChanged(this::present, told::add);
        return told;
    }

    @Test
    void tellChanged_tellingOneThrows_tellsTheOthers() {
        List<String> all = fill();
        put(range(7, 0, LIDS - 1, 2));
        String unlucky = all.get(7 * WAITERS_OF_EACH);
        List<String> told = new ArrayList<>();

        assertThatThrownBy(() -> waiters.tellChanged(this::present, one -> {
                    if (one.equals(unlucky)) {
                        throw new IllegalStateException("planted");
                    }
                    told.add(one);
                }))
                .hasMessage("planted");

        assertThat(told).isEqualTo(all.subList(7 * WAITERS_OF_EACH + 1, 8 * WAITERS_OF_EACH));
    }

    @Test
    void tellChanged_lookAtARangeThrows_keepsAllWhoWait() {
        List<String> all = fill();
        put(range(7, 0, LIDS - 1, 2));

        assertThatThrownBy(() -> waiters.tellChanged(
                        cid -> {
                            if (looks == RANGES / 2) {
                                throw new IllegalStateException("planted");
                            }
                            return present(cid);
                        },
                        one -> {}))
                .hasMessage("planted");

        assertThat(waiters.size()).isEqualTo(all.size());
        assertThat(takeChanged()).hasSize(WAITERS_OF_EACH);
    }

    @Test
    void tellChanged_oneOfManyRangesHasANewOwner_looksOnceAtEachRangeAndTakesItsWaitersOnly() {
        List<String> all = fill();
        put(range(7, 0, LIDS - 1, 2));

        List<String> taken = takeChanged();

        assertThat(looks).isEqualTo(RANGES);
        assertThat(taken).isEqualTo(all.subList(7 * WAITERS_OF_EACH, 8 * WAITERS_OF_EACH));
        assertThat(waiters.size()).isEqualTo((RANGES - 1) * WAITERS_OF_EACH);
        assertThat(takeChanged()).isEmpty();
        assertThat(looks).isEqualTo(2 * RANGES - 1);
    }

    @Test
    void tellChanged_partOfARangeHasMoved_takesAllThatWaitForTheRange() {
        fill();
        put(range(3, 0, 499, 1));
        put(range(3, 500, LIDS - 1, 2));
        assertThat(takeChanged()).hasSize(WAITERS_OF_EACH);
    }

    @Test
    void remove_whoHasWaitedLongEnough_isTakenNoMore() {
        List<String> all = fill();
        String first = all.getFirst();
        assertThat(waiters.remove(first)).isTrue();
        assertThat(waiters.remove(first)).isFalse();
        put(range(0, 0, LIDS - 1, 2));
        assertThat(takeChanged()).doesNotContain(first).hasSize(WAITERS_OF_EACH - 1);
        assertThat(waiters.takeAll()).hasSize((RANGES - 1) * WAITERS_OF_EACH);
        assertThat(waiters.size()).isZero();
    }
}
