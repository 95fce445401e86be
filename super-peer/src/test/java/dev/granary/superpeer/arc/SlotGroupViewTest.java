package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.SlotGroupMessages.SlotGroupList.Group;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.SlotGroupCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotGroupViewTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;

    /** 0xFFFE and 0x7FFE. */
    private static final int LAST = SlotGroup.nid(0);

    private static final int MIDDLE = SlotGroup.nid(1);
    private static final long LIMIT = SlotGroup.FIRST_LIDS + 1;

    private final ArcState state = new ArcState();
    private final SlotGroupView view = new SlotGroupView();

    private void open(int group, int owner) {
        state.apply(new SlotGroupCommand.OpenSlotGroup(group, owner, 1, List.of(new ZoneMember(B, 1)), 1));
    }

    @Test
    void add_groupsOfAnArc_areListedByTheirNids() {
        open(LAST, A);
        open(MIDDLE, A);
        state.apply(new RangeCommand.FencePeer(A, 2));
        view.add(state, true);
        assertThat(view.list().groups())
                .containsExactly(
                        new Group(MIDDLE, Nid.NONE, 2, PlacementState.RECOVERING, LIMIT, true),
                        new Group(LAST, Nid.NONE, 2, PlacementState.RECOVERING, LIMIT, true));
    }

    @Test
    void add_groupThatMovesToAnotherArc_isListedOnceAsTheNewerStateHasIt() {
        open(LAST, A);
        ByteBuf bytes = Unpooled.buffer();
        Arc part = new Arc(LAST - 1, LAST);
        state.writePart(part, bytes);
        ArcState other = new ArcState();
        other.readPart(bytes);
        state.apply(new ArcTransfer.Seal(1, part, 1));

        view.add(other, true);
        view.add(state, true);
        Group led = new Group(LAST, A, 1, PlacementState.IN_SYNC, LIMIT, true);
        assertThat(view.list().groups())
                .as("the old arc answers for it no more")
                .containsExactly(led);

        other.apply(new RangeCommand.FencePeer(A, 2));
        view.add(other, false);
        assertThat(view.list().groups())
                .containsExactly(new Group(LAST, Nid.NONE, 2, PlacementState.RECOVERING, LIMIT, false));
    }
}
