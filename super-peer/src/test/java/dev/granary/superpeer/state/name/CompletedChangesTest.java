package dev.granary.superpeer.state.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.overlay.Cid;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@link CompletedChanges} of arcs that take parts of others. */
class CompletedChangesTest {

    private static final long CLIENT = 77;

    private final CompletedChanges here = new CompletedChanges();
    private final CompletedChanges there = new CompletedChanges();

    private static NameCommand change(long sequence, boolean repeated) {
        return new NameCommand(
                CLIENT, sequence, sequence - 1, repeated, "name", Cid.NONE, NameCondition.ALWAYS, Cid.NONE);
    }

    private static void carryOut(CompletedChanges changes, long sequence) {
        changes.add(change(sequence, false), new NameResult.Changed(true, Cid.NONE));
    }

    private static @Nullable NameResult repeat(CompletedChanges changes, long sequence) {
        return changes.find(change(sequence, true));
    }

    private void mergeThere() {
        ByteBuf out = Unpooled.buffer();
        there.write(out);
        here.merge(out);
        assertThat(out.isReadable()).isFalse();
    }

    @Test
    void merge_partWasRebuilt_whatItMayHaveDoneForAClientKnownHereIsUnknown() {
        carryOut(here, 15);
        there.forgotten();

        mergeThere();

        assertThat(repeat(here, 15)).as("is known here").isInstanceOf(NameResult.Changed.class);
        assertThat(repeat(here, 16)).isInstanceOf(NameResult.OutcomeUnknown.class);
        assertThat(here.find(change(16, false)))
                .as("is sent for the first time")
                .isNull();
    }

    @Test
    void merge_partComesToARebuiltArc_whatThatMayHaveDoneForItsClientsIsUnknown() {
        here.forgotten();
        carryOut(there, 15);

        mergeThere();

        assertThat(repeat(here, 15)).isInstanceOf(NameResult.Changed.class);
        assertThat(repeat(here, 16)).isInstanceOf(NameResult.OutcomeUnknown.class);
        assertThat(here.find(change(16, false))).isNull();
    }

    @Test
    void add_firstRequestAfterARebuild_onlyEarlierOnesStayDoubted() {
        carryOut(here, 15);
        there.forgotten();
        mergeThere();

        carryOut(here, 18);

        assertThat(repeat(here, 17)).isInstanceOf(NameResult.OutcomeUnknown.class);
        assertThat(repeat(here, 18)).isInstanceOf(NameResult.Changed.class);
        assertThat(repeat(here, 19))
                .as("was refused before, and is carried out now")
                .isNull();
    }

    @Test
    void merge_nothingWasForgotten_aRepeatedRequestIsCarriedOut() {
        carryOut(here, 15);
        carryOut(there, 12);

        mergeThere();

        assertThat(repeat(here, 16)).isNull();
        assertThat(repeat(here, 12))
                .as("its answer is not needed any more")
                .isInstanceOf(NameResult.OutcomeUnknown.class);
    }
}
