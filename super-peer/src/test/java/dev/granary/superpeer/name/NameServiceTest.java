package dev.granary.superpeer.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
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
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NameServiceTest {

    private static final long CID = Cid.of(0x8000, 5);

    private final SimulatedRing ring = new SimulatedRing();

    private final LoneNode lone = new LoneNode();
    private final ArcState state = new ArcState();
    private final List<ArcCommand> committed = new ArrayList<>();
    private @Nullable Ring known = new Ring(
            LoneNode.CLUSTER,
            1,
            1,
            true,
            List.of(new RingMember(LoneNode.NID, "s0", LoneNode.address("s0"), LoneNode.address("s0"))));
    private boolean answersFor = true;
    private boolean hasRoom = true;
    private int changed;

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

    // The service by itself, without Raft.

    @Test
    void change_noRoom_onlyWhatNeedsMoreIsRefused() {
        serve();
        assertThat(lone.reply(MessageType.CHANGE_NAME, put(1, "a", CID)))
                .isEqualTo(new ChangeNameReply(true, Cid.NONE));
        hasRoom = false;

        assertThat(lone.refusal(MessageType.CHANGE_NAME, put(2, "b", CID)).code())
                .isEqualTo(ErrorCode.OUT_OF_MEMORY);
        ChangeName again = new ChangeName(1, 2, 1, true, "b", CID, NameCondition.ALWAYS, 0);
        assertThat(lone.refusal(MessageType.CHANGE_NAME, again).code())
                .as("it may have been carried out before")
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(lone.reply(MessageType.CHANGE_NAME, put(3, "a", CID + 1))).isEqualTo(new ChangeNameReply(true, CID));
        ChangeName manyAnswers = new ChangeName(1, 20, 3, false, "a", CID, NameCondition.ALWAYS, 0);
        assertThat(lone.refusal(MessageType.CHANGE_NAME, manyAnswers).code()).isEqualTo(ErrorCode.OUT_OF_MEMORY);
        assertThat(lone.reply(MessageType.CHANGE_NAME, put(4, "a", Cid.NONE)))
                .isEqualTo(new ChangeNameReply(true, CID + 1));
        assertThat(committed).hasSize(3);
        assertThat(changed).isEqualTo(3);
        assertThat(state.nameCount()).isZero();
    }

    @Test
    void change_partOfTheArcIsMoving_comesLaterAndTellsNobody() {
        serve();
        state.apply(new ArcTransfer.Seal(1, new Arc(Nid.MAX, Nid.MAX), 1));
        assertThat(lone.refusal(MessageType.CHANGE_NAME, put(1, "a", CID)).code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        ListNames all = new ListNames(Nid.MAX, Nid.MAX, "", "", 100);
        assertThat(lone.refusal(MessageType.LIST_NAMES, all).message()).contains("are moving to another super-peer");
        assertThat(changed).isZero();
    }

    @Test
    void requests_ofAnotherArc_areRefusedBeforeAnythingIsDone() {
        serve();
        answersFor = false;
        ListNames all = new ListNames(Nid.MAX, Nid.MAX, "", "", 100);
        assertThat(lone.refusal(MessageType.CHANGE_NAME, put(1, "a", CID)).code())
                .isEqualTo(ErrorCode.REDIRECT);
        assertThat(lone.refusal(MessageType.GET_NAME, new GetName("a")).code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(lone.refusal(MessageType.LIST_NAMES, all).code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(committed).isEmpty();
    }

    @Test
    void list_limitsAndNids_areChecked() {
        serve();
        lone.reply(MessageType.CHANGE_NAME, put(1, "a", CID));
        lone.reply(MessageType.CHANGE_NAME, put(2, "b", CID));
        for (int limit : new int[] {0, ListNames.MAX_NAMES + 1}) {
            ListNames list = new ListNames(Nid.MAX, Nid.MAX, "", "", limit);
            assertThat(lone.refusal(MessageType.LIST_NAMES, list).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        }
        ListNames behind = new ListNames(Nid.MAX, Nid.MAX, "", "a", 1);
        assertThat(lone.reply(MessageType.LIST_NAMES, behind))
                .isEqualTo(new NameList(List.of(new NameEntry("b", CID)), false));
        known = null;
        assertThat(lone.refusal(MessageType.LIST_NAMES, behind).code()).isEqualTo(ErrorCode.RETRY_LATER);
    }

    private void serve() {
        NameService service = new NameService(
                state,
                command -> {
                    committed.add(command);
                    return CompletableFuture.completedFuture(state.apply(command));
                },
                (request, nid) -> {
                    if (!answersFor) {
                        request.fail(ErrorReply.redirect(SimulatedRing.address("s1"), 1, "another arc"));
                    }
                    return answersFor;
                },
                () -> known,
                () -> changed++,
                () -> hasRoom);
        lone.answer(MessageType.CHANGE_NAME, service::change);
        lone.answer(MessageType.GET_NAME, service::get);
        lone.answer(MessageType.LIST_NAMES, service::list);
    }
}
