package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The pending batches of a zone: sequences without a gap, each batch released once. */
class PendingBatchesTest {

    private static final long FIRST = 41;

    private final PendingBatches pending = new PendingBatches();
    private final List<ByteBuf> made = new ArrayList<>();

    /** Adds batches of 1, 2, 3 and more bytes. */
    private void add(int count) {
        for (int i = 1; i <= count; i++) {
            ByteBuf batch = Unpooled.buffer().writeZero(i);
            made.add(batch);
            pending.add(batch);
        }
    }

    @Test
    void add_moreThanTheRingHas_allAreFoundBySequence() {
        pending.reset(FIRST);
        add(200);
        assertThat(pending.first()).isEqualTo(FIRST);
        assertThat(pending.next()).isEqualTo(FIRST + 200);
        assertThat(pending.bytes()).isEqualTo(200 * 201 / 2);
        for (int i = 0; i < 200; i++) {
            assertThat(pending.get(FIRST + i)).isSameAs(made.get(i));
        }
    }

    @Test
    void get_outsideOfWhatIsThere_isRefused() {
        pending.reset(FIRST);
        add(3);
        assertThatThrownBy(() -> pending.get(FIRST - 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pending.get(FIRST + 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("44 is not among 41 to 43");
    }

    @Test
    void removeUpTo_someInTheMiddle_releasesTheseAndKeepsTheRest() {
        pending.reset(FIRST);
        add(5);
        assertThat(pending.removeUpTo(FIRST + 1)).isEqualTo(1 + 2);
        assertThat(made).extracting(ByteBuf::refCnt).containsExactly(0, 0, 1, 1, 1);
        assertThat(pending.first()).isEqualTo(FIRST + 2);
        assertThat(pending.bytes()).isEqualTo(3 + 4 + 5);
        assertThat(pending.removeUpTo(FIRST)).as("what is gone already").isZero();
    }

    @Test
    void removeUpTo_andAddAgainAndAgain_theRingTurnsWithoutGrowingApart() {
        pending.reset(FIRST);
        add(40);
        for (int round = 0; round < 10; round++) {
            pending.removeUpTo(pending.first() + 29);
            add(30);
        }
        assertThat(pending.next() - pending.first()).isEqualTo(40);
        for (long sequence = pending.first(); sequence < pending.next(); sequence++) {
            assertThat(pending.get(sequence)).isSameAs(made.get((int) (sequence - FIRST)));
        }
        pending.clear();
        assertThat(made).allMatch(batch -> batch.refCnt() == 0);
        assertThat(pending.bytes()).isZero();
        assertThat(pending.isEmpty()).isTrue();
    }

    @Test
    void replaceAll_eachByALongerOne_countsTheNewBytesAndReleasesTheOld() {
        pending.reset(FIRST);
        add(3);
        List<ByteBuf> changed = new ArrayList<>();
        pending.replaceAll(batch -> {
            ByteBuf next = Unpooled.buffer().writeZero(batch.readableBytes() + 10);
            changed.add(next);
            return next;
        });
        assertThat(pending.bytes()).isEqualTo(11 + 12 + 13);
        assertThat(made).allMatch(batch -> batch.refCnt() == 0);
        assertThat(pending.get(FIRST + 2)).isSameAs(changed.get(2));
    }

    @Test
    void replaceAll_whenOneFails_changesNothing() {
        pending.reset(FIRST);
        add(3);
        List<ByteBuf> changed = new ArrayList<>();
        assertThatThrownBy(() -> pending.replaceAll(batch -> {
                    if (changed.size() == 2) {
                        throw new IllegalStateException("no room");
                    }
                    changed.add(Unpooled.buffer().writeZero(7));
                    return changed.getLast();
                }))
                .hasMessage("no room");
        assertThat(changed).hasSize(2).allMatch(batch -> batch.refCnt() == 0);
        assertThat(pending.bytes()).isEqualTo(1 + 2 + 3);
        assertThat(pending.get(FIRST)).isSameAs(made.getFirst());
    }
}
