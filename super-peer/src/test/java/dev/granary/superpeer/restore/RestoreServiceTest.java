package dev.granary.superpeer.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.RangeMessages.CreatorList.Creator;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.ListCreators;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RestoreMessages.BeginRestore;
import dev.granary.net.message.RestoreMessages.EndRestore;
import dev.granary.net.message.RestoreMessages.RestoreCreator;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.migration.MigrationService;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.state.ArcTransfer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RestoreServiceTest {

    private static final int A = 0x8000;
    private static final int GONE = 0xC000;
    private static final long INCARNATION = 7;
    private static final long BACKUP = 77;
    private static final ListCreators WHOLE_RING = new ListCreators(Nid.MAX, Nid.MAX);

    private final LoneArc arc = new LoneArc(0);
    private final RestoreService service = new RestoreService(
            arc.state, arc::commit, arc.service, new PeerFacts(arc.lone.node(), arc.arcs), () -> arc.ring);

    RestoreServiceTest() {
        arc.open(A, 1);
        arc.lone.answer(MessageType.LIST_CREATORS, service::listCreators);
        arc.lone.answer(MessageType.CREATOR_RANGES, service::creatorRanges);
        arc.lone.answer(MessageType.RESTORE_CREATOR, service::restoreCreator);
        arc.lone.answer(MessageType.BEGIN_RESTORE, service::beginRestore);
        arc.lone.answer(MessageType.END_RESTORE, service::endRestore);
        arc.lone.answer(MessageType.ASK_PEER, (request, asked) -> {
            PeerInfo info = arc.service.peerInfo(asked.nid());
            if (info == null) {
                request.fail(ErrorCode.NOT_FOUND, "no such peer");
            } else {
                request.reply(info);
            }
        });
        arc.lone.run(arc::begin);
        arc.lone.runFor(TimeUnit.MILLISECONDS.toNanos(100));
        arc.committed.clear();
    }

    @AfterEach
    void nothingFailed() {
        assertThat(arc.lone.failures).isEmpty();
    }

    private void restore(int nid, long incarnation, long lidMark) {
        assertThat(arc.lone.reply(MessageType.RESTORE_CREATOR, new RestoreCreator(nid, incarnation, lidMark, BACKUP)))
                .isEqualTo(new Empty());
    }

    private ErrorCode refusedRestore(int nid, long incarnation, long lidMark, long backup) {
        return arc.lone
                .refusal(MessageType.RESTORE_CREATOR, new RestoreCreator(nid, incarnation, lidMark, backup))
                .code();
    }

    private PlacementState stateOf(int nid, long lid) {
        return Objects.requireNonNull(arc.state.find(Cid.of(nid, lid)))
                .placement()
                .state();
    }

    @Test
    void listCreators_wholeRing_namesAllAndAPieceThatMovesIsRefused() {
        restore(GONE, 0, 100);
        assertThat(arc.lone.reply(MessageType.LIST_CREATORS, WHOLE_RING).creators())
                .containsExactly(new Creator(A, 1, 101, 0), new Creator(GONE, 100, 100, BACKUP));
        assertThat(arc.lone
                        .reply(MessageType.LIST_CREATORS, new ListCreators(A, GONE))
                        .creators())
                .extracting(Creator::nid)
                .containsExactly(GONE);
        assertThat(arc.lone
                        .refusal(MessageType.LIST_CREATORS, new ListCreators(Nid.NONE, A))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
        arc.state.apply(new ArcTransfer.Seal(1, new Arc(A, GONE), 1));
        assertThat(arc.lone.refusal(MessageType.LIST_CREATORS, WHOLE_RING).code())
                .isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void creatorRanges_ofACreator_areAllFromAChunkOn() {
        RangeList all = arc.lone.reply(MessageType.CREATOR_RANGES, new CreatorRanges(A, Cid.firstOf(A)));
        assertThat(all.nextCid()).isZero();
        assertThat(all.ranges()).extracting(CidRange::startCid).containsExactly(Cid.firstOf(A), Cid.of(A, 101));
        assertThat(arc.lone
                        .reply(MessageType.CREATOR_RANGES, new CreatorRanges(A, Cid.of(A, 101)))
                        .ranges())
                .hasSize(1);
        assertThat(arc.lone
                        .refusal(MessageType.CREATOR_RANGES, new CreatorRanges(A, Cid.firstOf(GONE)))
                        .code())
                .isEqualTo(ErrorCode.BAD_REQUEST);
        arc.state.apply(new ArcTransfer.Seal(1, new Arc(0x4000, A), 1));
        assertThat(arc.lone
                        .refusal(MessageType.CREATOR_RANGES, new CreatorRanges(A, Cid.firstOf(A)))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
    }

    @Test
    void restoreCreator_emptyStoragePeer_losesItsLeaseAtOnce() {
        assertThat(arc.service.isLive(A)).isTrue();
        restore(A, INCARNATION, 5_000);
        assertThat(arc.service.isLive(A)).isFalse();
        assertThat(stateOf(A, 4_999)).isEqualTo(PlacementState.RECOVERING);
        restore(A, INCARNATION, 5_000);
        assertThat(refusedRestore(A, INCARNATION, 6_000, BACKUP))
                .as("of another backup")
                .isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    void restoreCreator_whatNoCreatorCanBe_isRefused() {
        assertThat(refusedRestore(A, INCARNATION + 1, 5_000, BACKUP)).isEqualTo(ErrorCode.UNKNOWN_LEASE);
        assertThat(refusedRestore(0x0001, 0, 5_000, BACKUP)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedRestore(SlotGroup.nid(0), 0, 5_000, BACKUP)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedRestore(A, INCARNATION, 5_000, 0)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedRestore(A, INCARNATION, 0, BACKUP)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusedRestore(A, INCARNATION, Cid.MAX_LID + 2, BACKUP)).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(arc.service.isLive(A)).isTrue();
    }

    @Test
    void beginRestore_chunksThatWait_goToAStoragePeerWithALease() {
        restore(GONE, 0, 100);
        BeginRestore begin = new BeginRestore(Cid.of(GONE, 1), Cid.of(GONE, 99), A);
        assertThat(arc.lone.reply(MessageType.BEGIN_RESTORE, begin).state()).isEqualTo(MigrationState.RUNNING);
        BeginRestore toNobody = new BeginRestore(Cid.of(GONE, 1), Cid.of(GONE, 99), 0x2000);
        assertThat(arc.lone.refusal(MessageType.BEGIN_RESTORE, toNobody).message())
                .contains("0x2000 is not there");
        BeginRestore present = new BeginRestore(Cid.of(A, 1), Cid.of(A, 9), A);
        assertThat(arc.lone.refusal(MessageType.BEGIN_RESTORE, present).message())
                .contains("not waiting to be restored");
        for (BeginRestore wrong : List.of(
                new BeginRestore(Cid.of(GONE, 1), Cid.of(A, 9), A),
                new BeginRestore(Cid.of(GONE, 9), Cid.of(GONE, 8), A),
                new BeginRestore(Cid.of(GONE, 1), Cid.of(GONE, 1 + MigrationService.MAX_LIDS), A))) {
            assertThat(arc.lone.refusal(MessageType.BEGIN_RESTORE, wrong).code())
                    .isEqualTo(ErrorCode.BAD_REQUEST);
        }
    }

    @Test
    void endRestore_chunksThatHaveNotCome_areLost() {
        restore(GONE, 0, 100);
        arc.lone.reply(MessageType.END_RESTORE, new EndRestore(GONE));
        assertThat(stateOf(GONE, 50)).isEqualTo(PlacementState.LOST);
    }

    @Test
    void requests_arcIsNotLedAnyMore_comeLater() {
        arc.lone.run(arc.service::end);
        assertThat(arc.lone.refusal(MessageType.LIST_CREATORS, WHOLE_RING).code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        BeginRestore begin = new BeginRestore(Cid.of(GONE, 1), Cid.of(GONE, 99), A);
        assertThat(arc.lone.refusal(MessageType.BEGIN_RESTORE, begin).code()).isEqualTo(ErrorCode.RETRY_LATER);
    }
}
