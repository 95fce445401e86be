package dev.granary.superpeer.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.ChangeNameReply;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.GetNameReply;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.name.NamePosition;
import dev.granary.superpeer.SimulatedRing;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NameServiceTest {

    private static final long CID = Cid.of(0x8000, 5);

    private final SimulatedRing ring = new SimulatedRing();

    private static ChangeName put(long sequence, String name, long cid) {
        return new ChangeName(1, sequence, sequence - 1, false, name, cid, NameCondition.ALWAYS, 0);
    }

    @Test
    void change_acknowledged_survivesARestart() {
        ring.startRing(1);
        assertThat(ring.call("s0", MessageType.CHANGE_NAME, put(1, "a", CID)))
                .isEqualTo(new ChangeNameReply(true, Cid.NONE));
        ring.node("s0").kill();
        ring.start(SimulatedRing.founder("s0", 1));
        ring.awaitReady("s0");
        assertThat(ring.call("s0", MessageType.GET_NAME, new GetName("a"))).isEqualTo(new GetNameReply(CID));
        assertThat(ring.call("s0", MessageType.GET_NAME, new GetName("b"))).isEqualTo(new GetNameReply(Cid.NONE));
    }

    @Test
    void change_whatNoNameCanBe_isRefused() {
        ring.startRing(1);
        List<ChangeName> wrong = List.of(
                put(1, "", CID),
                put(1, "x".repeat(1025), CID),
                put(1, "a", Cid.of(0x0001, 1)),
                new ChangeName(0, 1, 0, false, "a", CID, NameCondition.ALWAYS, 0),
                new ChangeName(1, 1, 1, false, "a", CID, NameCondition.ALWAYS, 0));
        for (ChangeName change : wrong) {
            assertThat(ring.refusal("s0", MessageType.CHANGE_NAME, change).code())
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }

    @Test
    void names_onThreeSuperPeers_areAnsweredByTheArcOfTheirPosition() {
        ring.startRing(3);
        Ring known = ring.superPeer("s0").ring();
        for (int i = 0; i < 30; i++) {
            String name = "name-" + i;
            RingMember owner = known.ownerOf(NamePosition.of(name));
            String other = owner.name().equals("s0") ? "s1" : "s0";
            assertThat(ring.refusal(other, MessageType.CHANGE_NAME, put(i + 1, name, CID))
                            .redirect())
                    .isEqualTo(owner.address());
            ring.call(owner.name(), MessageType.CHANGE_NAME, put(i + 1, name, CID));
        }
        List<NameEntry> all = new ArrayList<>();
        for (RingMember member : known.members()) {
            Arc arc = known.arcOf(member.nid());
            ListNames list = new ListNames(arc.fromExclusive(), arc.toInclusive(), "name-", "", 100);
            NameList names = ring.call(member.name(), MessageType.LIST_NAMES, list);
            assertThat(names.more()).isFalse();
            all.addAll(names.entries());
        }
        assertThat(all).hasSize(30).doesNotHaveDuplicates();
        RingMember first = known.members().getFirst();
        ListNames tooMuch = new ListNames(Nid.MAX, first.nid() + 1, "", "", 100);
        String owner = known.ownerOf(first.nid() + 1).name();
        assertThat(ring.refusal(owner, MessageType.LIST_NAMES, tooMuch).code()).isEqualTo(ErrorCode.RETRY_LATER);
    }
}
