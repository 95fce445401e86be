package dev.granary.superpeer.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.Survey;
import dev.granary.net.message.MigrationMessages.SurveyReply;
import dev.granary.net.message.MigrationMessages.SurveyReply.Piece;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.migration.PlanMaker.ImpossiblePlanException;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.state.Move;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.SlotGroupCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PlanMakerTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final int C = 0xC000;
    private static final int OTHER = 0x8001;
    private static final long MIB = 1 << 20;

    private final LoneNode lone = new LoneNode();
    private final ArcState state = new ArcState();
    private final List<PeerInfo> peers = new ArrayList<>();
    private final Map<Integer, List<Survey>> surveys = new TreeMap<>();
    private final Map<Integer, List<Piece>> owned = new TreeMap<>();

    /** Until then no storage peer answers. */
    private long silentUntilNanos = Long.MIN_VALUE;

    private final Answers superPeer = new Answers()
            .to(MessageType.LIST_PEERS, ask -> new PeerList(1, peers, List.of(OTHER), List.of()))
            .to(
                    MessageType.ZONE_STATUS,
                    ask -> new ZoneStatus(
                            0,
                            0,
                            0,
                            0,
                            0,
                            List.of(),
                            List.of(new ZoneStatus.Holding(A, 0, 0, 3), new ZoneStatus.Holding(B, 0, 0, 9)),
                            List.of()));
    private final HostAddress other = lone.serve("s1", OTHER, superPeer);
    private @Nullable Ring ring =
            new Ring(LoneNode.CLUSTER, 1, 2, true, List.of(new RingMember(OTHER, "s1", other, other)));
    private final PlanMaker maker = new PlanMaker(state, new ArcCaller(lone.node(), () -> ring), () -> ring);

    private static Piece piece(long lid, long bytes) {
        return new Piece(Cid.of(A, lid), Cid.of(A, lid + 9), 10, bytes);
    }

    private void peer(int nid, long capacity, long used, PeerInfo.Drain drain, boolean live, Piece... pieces) {
        owned.put(nid, List.of(pieces));
        List<Survey> asked = surveys.computeIfAbsent(nid, any -> new ArrayList<>());
        HostAddress address = lone.serve("p" + nid, nid, new Answers().to(MessageType.SURVEY, ask -> {
                    asked.add(ask);
                    if (lone.node().nanoTime() < silentUntilNanos) {
                        return null;
                    }
                    // One piece a page; the CID at which to go on is the number of the next page.
                    int at = ask.startCid() > 0 && ask.startCid() < 100 ? (int) ask.startCid() : 0;
                    List<Piece> all = owned.getOrDefault(nid, List.of());
                    List<Piece> page = all.isEmpty() ? List.of() : List.of(all.get(at));
                    return new SurveyReply(at + 1 < all.size() ? at + 1 : Cid.NONE, page);
                }));
        PeerStatistics statistics = new PeerStatistics(1000, used, 0, used, capacity, 0, 0);
        peers.add(new PeerInfo(
                nid, "p", address, address, live, 0, 1, 1, 0, drain, 0, statistics, 0, "", "", false, null));
    }

    private void peer(int nid, long capacity, long used, Piece... pieces) {
        peer(nid, capacity, used, PeerInfo.Drain.NONE, true, pieces);
    }

    private <T> CompletableFuture<T> ended(Supplier<CompletableFuture<T>> begun) {
        AtomicReference<@Nullable CompletableFuture<T>> made = new AtomicReference<>();
        lone.run(() -> made.set(begun.get()));
        CompletableFuture<T> future = made.get();
        assertThat(future).isNotNull();
        lone.simulation.runUntil(future::isDone, TimeUnit.SECONDS.toNanos(30));
        assertThat(future).isDone();
        return future;
    }

    private static String impossible(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        Throwable failure = future.exceptionNow();
        Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
        assertThat(cause).isInstanceOf(ImpossiblePlanException.class);
        return String.valueOf(cause.getMessage());
    }

    private CompletableFuture<List<Move>> make(PlanKind kind, int nid) {
        return ended(() -> maker.make(new StartPlan(kind, nid, 0, 0)));
    }

    @Test
    void drain_manyPieces_eachGoesWhereMostRoomIsLeft() {
        peer(A, 100 * MIB, 40 * MIB, piece(10, 10 * MIB), piece(20, 10 * MIB), piece(30, 10 * MIB));
        peer(B, 100 * MIB, 50 * MIB);
        peer(C, 100 * MIB, 60 * MIB);
        List<Move> moves = make(PlanKind.DRAIN, A).join();
        assertThat(moves).extracting(Move::targetNid).containsExactly(B, C, B);
        assertThat(moves).extracting(Move::startCid).containsExactly(Cid.of(A, 10), Cid.of(A, 20), Cid.of(A, 30));
        assertThat(moves).allSatisfy(move -> assertThat(move.state()).isEqualTo(Move.State.PENDING));
        assertThat(surveys.get(A)).hasSize(3);
    }

    @Test
    void drain_othersHaveTooLittleRoom_saysHowMuchIsMissing() {
        peer(A, 100 * MIB, 40 * MIB, piece(10, 10 * MIB), piece(20, 10 * MIB));
        peer(B, 20 * MIB, 0);
        // There are 18 MiB of room, and 26 MiB are needed.
        assertThat(impossible(make(PlanKind.DRAIN, A))).contains(" " + 8 * MIB + " bytes too little room");
    }

    @Test
    void drain_otherPeersThatAreDrainedOrHaveNoLease_areNoTargets() {
        peer(A, 100 * MIB, 40 * MIB, piece(10, 10 * MIB));
        peer(B, 100 * MIB, 0, PeerInfo.Drain.RUNNING, true);
        peer(C, 100 * MIB, 0, PeerInfo.Drain.NONE, false);
        assertThat(impossible(make(PlanKind.DRAIN, A)))
                .startsWith("there is no other storage peer")
                .contains("0x8000");
        assertThat(impossible(make(PlanKind.DRAIN, C))).isEqualTo("there is no storage peer 0xc000 with a lease");
        assertThat(impossible(make(PlanKind.DRAIN, 0x2000))).contains("no storage peer 0x2000");
    }

    @Test
    void rest_targetsThatHaveFailed_areLeftOut() {
        peer(A, 100 * MIB, 40 * MIB, piece(10, 10 * MIB));
        peer(B, 100 * MIB, 0);
        peer(C, 100 * MIB, 50 * MIB);
        assertThat(ended(() -> maker.rest(A, Set.of(B))).join())
                .extracting(Move::targetNid)
                .containsExactly(C);
        assertThat(impossible(ended(() -> maker.rest(A, Set.of(B, C))))).contains("no other storage peer");
    }

    @Test
    void make_ownerDoesNotTell_namesItAndWhy() {
        peer(A, 100 * MIB, 40 * MIB, piece(10, 10 * MIB));
        HostAddress refusing =
                lone.serve("r", 0x2000, new Answers().refuse(MessageType.SURVEY, ErrorCode.SHUTTING_DOWN, "it begins"));
        PeerInfo first = peers.getFirst();
        peers.add(new PeerInfo(
                0x2000,
                "r",
                refusing,
                refusing,
                true,
                0,
                1,
                1,
                0,
                PeerInfo.Drain.NONE,
                0,
                first.statistics(),
                0,
                "",
                "",
                false,
                null));
        assertThat(impossible(make(PlanKind.DRAIN, 0x2000))).startsWith("storage peer 0x2000 does not tell");
    }

    /** A storage peer answered no survey for seconds, as its machine was busy, and the drain was refused. */
    @Test
    void drain_surveyIsAnsweredLate_isAskedForAgainWithMoreTime() {
        peer(A, 100 * MIB, 40 * MIB, piece(10, 10 * MIB));
        peer(B, 100 * MIB, 50 * MIB);
        long since = lone.node().nanoTime();
        // The tries of half a second and of one second have no answer.
        silentUntilNanos = since + TimeUnit.MILLISECONDS.toNanos(1400);
        assertThat(make(PlanKind.DRAIN, A).join()).extracting(Move::targetNid).containsExactly(B);
        assertThat(surveys.get(A)).hasSize(3);
    }

    @Test
    void drain_surveyIsNotAnswered_saysWhichStoragePeerIsSilent() {
        peer(A, 100 * MIB, 40 * MIB, piece(10, 10 * MIB));
        peer(B, 100 * MIB, 50 * MIB);
        silentUntilNanos = Long.MAX_VALUE;
        assertThat(impossible(make(PlanKind.DRAIN, A)))
                .startsWith("storage peer 0x8000 does not tell what it has, though it was asked several times: ");
        assertThat(surveys.get(A)).hasSize(4);
    }

    @Test
    void make_noRing_fails() {
        ring = null;
        assertThat(impossible(make(PlanKind.DRAIN, A))).isEqualTo("there is no ring yet");
        assertThat(impossible(ended(() -> maker.copiesOn(A)))).isEqualTo("there is no ring yet");
    }

    @Test
    void move_spanOverSeveralOwners_asksEachForItsPartOnlyAndNotTheTarget() {
        state.apply(
                new PeerCommand.OpenPeer(A, new UUID(1, 1), 7, "p", other, other, 1, 1000, "", "", List.of(), 0, null));
        for (int[] part : new int[][] {{100, 199, B}, {200, 299, C}}) {
            state.apply(new RangeCommand.BeginMigration(Cid.of(A, part[0]), Cid.of(A, part[1]), A, 1, part[2], 1));
            state.apply(new RangeCommand.CommitMigration(A, part[0] / 100, A, 1));
        }
        peer(A, 100 * MIB, 0, piece(50, MIB));
        peer(B, 100 * MIB, 0, piece(100, MIB));
        peer(C, 100 * MIB, 0, piece(200, MIB));

        List<Move> moves = ended(() -> maker.make(new StartPlan(PlanKind.MOVE, C, Cid.of(A, 50), Cid.of(A, 250))))
                .join();

        assertThat(surveys.get(A)).singleElement().satisfies(ask -> {
            assertThat(ask.startCid()).isEqualTo(Cid.of(A, 50));
            assertThat(ask.endCidInclusive()).isEqualTo(Cid.of(A, 99));
        });
        assertThat(surveys.get(B)).singleElement().satisfies(ask -> {
            assertThat(ask.startCid()).isEqualTo(Cid.of(A, 100));
            assertThat(ask.endCidInclusive()).isEqualTo(Cid.of(A, 199));
        });
        assertThat(surveys.get(C)).as("it has them already").isEmpty();
        assertThat(moves).hasSize(2).allSatisfy(move -> assertThat(move.targetNid())
                .isEqualTo(C));
    }

    /** Opens a slot group of A. */
    private CidRange slotGroup() {
        int group = SlotGroup.nid(1);
        state.apply(new SlotGroupCommand.OpenSlotGroup(group, A, 1, List.of(), 0));
        return Objects.requireNonNull(state.slotGroup(group));
    }

    @Test
    void move_slotGroup_isOneMoveOfTheWholeGroup() {
        CidRange group = slotGroup();
        Piece whole = new Piece(group.startCid(), group.endCidInclusive(), 5, MIB);
        peer(A, 100 * MIB, 0, whole);
        peer(C, 100 * MIB, 0);
        StartPlan asked = new StartPlan(PlanKind.MOVE, C, group.startCid(), group.endCidInclusive());
        assertThat(ended(() -> maker.make(asked)).join())
                .containsExactly(new Move(group.startCid(), group.endCidInclusive(), C, 5, MIB, Move.State.PENDING));
    }

    @Test
    void move_partOfASlotGroup_fails() {
        CidRange group = slotGroup();
        peer(A, 100 * MIB, 0);
        peer(C, 100 * MIB, 0);
        StartPlan asked = new StartPlan(PlanKind.MOVE, C, group.startCid() + 1, group.endCidInclusive());
        assertThat(impossible(ended(() -> maker.make(asked))))
                .isEqualTo("the slot group 0x7ffe moves as a whole: ask for its chunks 0x7ffe000000000001 to"
                        + " 0x7ffe000000010000");
        assertThat(surveys.get(A)).isEmpty();
    }

    @Test
    void drain_slotGroups_eachIsOneMove() {
        long first = Cid.firstOf(SlotGroup.nid(1));
        long other = Cid.firstOf(SlotGroup.nid(2));
        peer(
                A,
                100 * MIB,
                40 * MIB,
                new Piece(first, first + 0xFF_FFFF, 1_000_000, 30 * MIB),
                new Piece(other, other + 0xFFFF, 0, 0));
        peer(B, 100 * MIB, 50 * MIB);
        peer(C, 100 * MIB, 60 * MIB);
        assertThat(make(PlanKind.DRAIN, A).join())
                .containsExactly(
                        new Move(first, first + 0xFF_FFFF, B, 1_000_000, 30 * MIB, Move.State.PENDING),
                        new Move(other, other + 0xFFFF, C, 0, 0, Move.State.PENDING));
    }

    @Test
    void move_ownerHasNoLease_fails() {
        state.apply(
                new PeerCommand.OpenPeer(A, new UUID(1, 1), 7, "p", other, other, 1, 1000, "", "", List.of(), 0, null));
        peer(A, 100 * MIB, 0, PeerInfo.Drain.NONE, false);
        peer(C, 100 * MIB, 0);
        assertThat(impossible(ended(() -> maker.make(new StartPlan(PlanKind.MOVE, C, Cid.of(A, 1), Cid.of(A, 9))))))
                .contains("no storage peer 0x8000 with a lease");
    }

    @Test
    void share_newPeer_takesFromThoseThatAreFullerAndStopsWhenItHasItsShare() {
        peer(
                A,
                100 * MIB,
                60 * MIB,
                piece(10, 10 * MIB),
                piece(20, 10 * MIB),
                piece(30, 10 * MIB),
                piece(40, 10 * MIB));
        peer(B, 100 * MIB, 0);
        List<Move> moves = ended(() -> maker.share(B, 1)).join();
        assertThat(moves).as("half of what A has").hasSize(3);
        assertThat(moves).allSatisfy(move -> assertThat(move.targetNid()).isEqualTo(B));
        assertThat(surveys.get(A)).hasSize(3);
    }

    @Test
    void share_lessThanIsWorthIt_isNothing() {
        peer(A, 100 * MIB, 60 * MIB, piece(10, 10 * MIB));
        peer(B, 100 * MIB, 50 * MIB);
        assertThat(ended(() -> maker.share(B, 6 * MIB)).join()).isEmpty();
        assertThat(ended(() -> maker.share(A, 1)).join())
                .as("it is the fullest")
                .isEmpty();
        assertThat(surveys.get(A)).isEmpty();
        assertThat(ended(() -> maker.share(B, 5 * MIB)).join()).hasSize(1);
    }

    @Test
    void copiesOn_allTell_isTheSumAndOneThatDoesNotIsAFailure() {
        assertThat(ended(() -> maker.copiesOn(A)).join()).isEqualTo(3);
        assertThat(ended(() -> maker.copiesOn(C)).join()).isZero();
        superPeer.refuse(MessageType.ZONE_STATUS, ErrorCode.SHUTTING_DOWN, "it is stopping");
        assertThat(impossible(ended(() -> maker.copiesOn(A)))).isEqualTo("a super-peer does not answer");
    }
}
