package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.DeadlineExceededException;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import dev.granary.net.message.CreateMessages.FindCreated;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A client finds the chunks of a create whose storage peer is gone at their present owner, and deletes them. */
class UnansweredCreateTest {

    /** The storage peer that was asked to create and is gone. The scripted storage peer has its chunks now. */
    private static final int GONE = 0x4000;

    private static final int HEIR = ScriptedCluster.STORAGE_NID;
    private static final long SESSION = 77;
    private static final long SEQUENCE = 9;

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final BatchContext context =
            cluster.client(ScriptedCluster.options()).context();
    private final List<CidRange> ranges = new ArrayList<>();
    private final List<FindCreated> asked = new ArrayList<>();
    private final List<CreatorRanges> pages = new ArrayList<>();
    private final ArrayDeque<CreatedChunks> answers = new ArrayDeque<>();
    private CreatedChunks answer = new CreatedChunks(true, List.of());

    UnansweredCreateTest() {
        cluster.superPeer = this::answerAsSuperPeer;
        cluster.storage = this::answerAsHeir;
    }

    private boolean answerAsSuperPeer(RpcRequest request) {
        if (request.type() != MessageType.CREATOR_RANGES.code()) {
            return false;
        }
        CreatorRanges page = request.read(MessageType.CREATOR_RANGES);
        pages.add(page);
        List<CidRange> rest = ranges.stream()
                .filter(range -> Cid.compare(range.startCid(), page.fromCid()) >= 0)
                .toList();
        // One range per page.
        request.reply(new RangeList(
                rest.size() > 1 ? rest.get(1).startCid() : 0, rest.isEmpty() ? rest : rest.subList(0, 1)));
        return true;
    }

    private boolean answerAsHeir(RpcRequest request) {
        if (request.type() != MessageType.FIND_CREATED.code()) {
            return false;
        }
        asked.add(request.read(MessageType.FIND_CREATED));
        CreatedChunks next = answers.poll();
        request.reply(next == null ? answer : next);
        return true;
    }

    private void range(int creator, long lid, int owner, PlacementState state) {
        Placement placement = new Placement(owner, new int[0], 5, 0, state);
        ranges.add(new CidRange(Cid.of(creator, lid), Cid.of(creator, lid + 9), placement));
    }

    private void undo(int nid, long epoch) {
        long deadline = context.retry().deadlineAfter(TimeUnit.SECONDS.toNanos(5));
        cluster.await(new UnansweredCreate(context, nid, epoch, SESSION, SEQUENCE, deadline).undo());
    }

    @Test
    void undo_nothingIsLeftOfThePeer_nobodyIsAsked() {
        undo(GONE, 1);
        range(GONE, 1, Nid.NONE, PlacementState.LOST);
        undo(GONE, 1);
        assertThat(asked).isEmpty();
        assertThat(cluster.changes).isEmpty();
    }

    @Test
    void undo_heirHasSomeOfIt_asksOfAllItsRangesAndDeletesWhatThereIs() {
        range(GONE, 1, HEIR, PlacementState.IN_SYNC);
        range(GONE, 11, Nid.NONE, PlacementState.LOST);
        range(GONE, 21, HEIR, PlacementState.DEGRADED);
        answer = new CreatedChunks(true, List.of(Cid.of(HEIR, 3), Cid.of(HEIR, 25), Cid.of(HEIR, 3)));

        undo(GONE, 1);

        assertThat(asked)
                .containsExactly(new FindCreated(SESSION, SEQUENCE, List.of(Cid.of(GONE, 1), Cid.of(GONE, 21))));
        assertThat(pages)
                .extracting(CreatorRanges::fromCid)
                .containsExactly(Cid.firstOf(GONE), Cid.of(GONE, 11), Cid.of(GONE, 21));
        assertThat(cluster.changes).singleElement().satisfies(change -> {
            assertThat(change.type()).isEqualTo(MessageType.DELETE);
            assertThat(change.header().count()).as("each once").isEqualTo(2);
        });
    }

    @Test
    void undo_heirHasNothingOfIt_deletesNothing() {
        range(GONE, 1, HEIR, PlacementState.IN_SYNC);
        undo(GONE, 1);
        assertThat(asked).hasSize(1);
        assertThat(cluster.changes).isEmpty();
    }

    @Test
    void undo_heirHasForgotten_theOutcomeIsUnknown() {
        range(GONE, 1, HEIR, PlacementState.IN_SYNC);
        answer = new CreatedChunks(false, List.of());
        assertThatThrownBy(() -> undo(GONE, 1)).cause().isInstanceOf(OutcomeUnknownException.class);
        assertThat(cluster.changes).isEmpty();
    }

    @Test
    void undo_zonesAreStillBeingTakenOver_waitsUntilTheyAre() {
        range(GONE, 1, Nid.NONE, PlacementState.RECOVERING);
        assertThatThrownBy(() -> undo(GONE, 1)).cause().isInstanceOf(DeadlineExceededException.class);
        assertThat(pages).hasSizeGreaterThan(1);
        assertThat(asked).isEmpty();

        ranges.clear();
        range(GONE, 1, HEIR, PlacementState.IN_SYNC);
        undo(GONE, 1);
        assertThat(asked).hasSize(1);
    }

    @Test
    void undo_peerItself_isAskedOnlyWhenItIsALaterIncarnation() {
        // The scripted peer is at epoch 1.
        range(HEIR, 1, HEIR, PlacementState.IN_SYNC);
        undo(HEIR, 1);
        assertThat(asked).as("what that incarnation had alone is gone").isEmpty();
        undo(HEIR, 0);
        assertThat(asked).hasSize(1);
    }

    @Test
    void undo_moreRangesThanAreAskedAboutAtOnce_inSeveralRequests() {
        Placement placement = new Placement(HEIR, new int[0], 5, 0, PlacementState.IN_SYNC);
        cluster.superPeer = request -> {
            if (request.type() != MessageType.CREATOR_RANGES.code()) {
                return false;
            }
            List<CidRange> many = new ArrayList<>();
            for (long lid = 1; lid <= 4_097; lid++) {
                many.add(new CidRange(Cid.of(GONE, lid), Cid.of(GONE, lid), placement));
            }
            request.reply(new RangeList(0, many));
            return true;
        };
        answers.add(new CreatedChunks(true, List.of(Cid.of(HEIR, 1))));
        answers.add(new CreatedChunks(true, List.of(Cid.of(HEIR, 4_097))));
        undo(GONE, 1);
        assertThat(asked).extracting(ask -> ask.cids().size()).containsExactlyInAnyOrder(4_096, 1);
        assertThat(cluster.changes.getFirst().header().count()).isEqualTo(2);
    }

    @Test
    void undo_deletionIsRefusedForNow_isRepeated() {
        range(GONE, 1, HEIR, PlacementState.IN_SYNC);
        answer = new CreatedChunks(true, List.of(Cid.of(HEIR, 3)));
        cluster.errors.add(ErrorReply.retryLater(1_000_000, "busy"));
        undo(GONE, 1);
        assertThat(cluster.changes).hasSize(2);
    }
}
