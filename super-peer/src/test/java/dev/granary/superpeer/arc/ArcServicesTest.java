package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.ReportLoad;
import dev.granary.net.message.LeaseMessages.ReportLoad.HotRange;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.ZoneStatus.OwnedRange;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneArc;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArcServicesTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneArc arc = new LoneArc(1);
    private ArcServices services = made();
    private boolean room = true;
    private int looks;

    ArcServicesTest() {
        for (int nid : new int[] {A, B}) {
            arc.serve(nid, new Answers());
        }
        route(MessageType.OPEN_LEASE, present -> present.peers()::openLease);
        route(MessageType.CHANGE_NAME, present -> present.names()::change);
        route(MessageType.GET_NAME, present -> present.names()::get);
        route(MessageType.ACQUIRE_LOCK, present -> present.locks()::acquire);
        route(MessageType.SHOW_LOCK, present -> present.locks()::show);
        route(MessageType.LIST_ZONES, present -> present.zones()::listZones);
        route(MessageType.REPORT_LOAD, present -> present.loads()::report);
    }

    private <Q extends Message, R extends Message> void route(
            MessageType<Q, R> type, Function<ArcServices, BiConsumer<RpcRequest, Q>> handler) {
        arc.lone.answer(type, (request, message) -> handler.apply(services).accept(request, message));
    }

    private ArcServices made() {
        return new ArcServices(
                arc.lone.node(),
                LoneNode.NID,
                arc.state,
                arc,
                () -> arc.ring,
                within -> false,
                arc.arcs,
                new PeerFacts(arc.lone.node(), arc.arcs),
                arc.catalog,
                () -> looks++,
                () -> room);
    }

    private void begin() {
        arc.lone.run(() -> services.begin(arc.lone.node().nanoTime()));
        arc.lone.runFor(SECOND / 10);
    }

    @AfterEach
    void nothingFailed() {
        arc.lone.run(services::end);
        assertThat(arc.lone.failures).isEmpty();
    }

    private static OpenLease opening(int nid) {
        HostAddress address = LoneNode.address("p" + nid);
        return new OpenLease(nid, new UUID(1, nid), 7, "p", address, address, 4096, "", "", 0, null);
    }

    private static ChangeName naming(long sequence, String name) {
        return new ChangeName(5, sequence, 0, false, name, Cid.of(A, 1), NameCondition.ALWAYS, 0);
    }

    @Test
    void begin_allOfThemAnswer() {
        begin();
        assertThat(services.peers().isServing()).isTrue();
        assertThat(arc.lone.reply(MessageType.OPEN_LEASE, opening(A)).epoch()).isEqualTo(1);
        arc.lone.reply(MessageType.CHANGE_NAME, naming(1, "a"));
        assertThat(arc.lone.reply(MessageType.GET_NAME, new GetName("a")).cid()).isEqualTo(Cid.of(A, 1));
        long token = arc.lone
                .reply(MessageType.ACQUIRE_LOCK, new AcquireLock(Cid.of(A, 1), 1, SECOND, 0))
                .token();
        assertThat(token).isPositive();
        assertThat(arc.lone
                        .reply(MessageType.SHOW_LOCK, new ShowLock(Cid.of(A, 1)))
                        .token())
                .isEqualTo(token);
        assertThat(arc.lone
                        .reply(MessageType.LIST_ZONES, new ListZones(A, A, 0))
                        .zones())
                .isNotEmpty();
    }

    /** What only a leader knows ends with its leadership: nobody may be served by services that have ended. */
    @Test
    void end_thenRequests_noneIsAnsweredForTheArc() {
        begin();
        arc.lone.reply(MessageType.OPEN_LEASE, opening(A));
        arc.lone.run(services::end);
        assertThat(arc.lone.refusal(MessageType.OPEN_LEASE, opening(B)).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.lone.refusal(MessageType.CHANGE_NAME, naming(2, "b")).code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.lone
                        .refusal(MessageType.ACQUIRE_LOCK, new AcquireLock(Cid.of(A, 2), 2, SECOND, 0))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.lone
                        .refusal(MessageType.LIST_ZONES, new ListZones(A, A, 0))
                        .code())
                .isEqualTo(ErrorCode.RETRY_LATER);
        int committed = arc.committed.size();
        arc.lone.runFor(3 * SimulatedRing.LEASE_NANOS);
        assertThat(arc.committed)
                .as("nobody is declared dead, nothing is recovered")
                .hasSize(committed);
        int seen = looks;
        arc.lone.runFor(3 * SimulatedRing.LEASE_NANOS);
        assertThat(looks).isEqualTo(seen);
    }

    @Test
    void begin_nextLeadership_leasesCountAsGrantedNowAndLoadsAreForgotten() {
        begin();
        arc.lone.reply(MessageType.OPEN_LEASE, opening(A));
        arc.lone.reply(MessageType.REPORT_LOAD, new ReportLoad(A, 700, List.of(), List.of()));
        assertThat(services.peers().peerInfo(A)).isNotNull().satisfies(info -> assertThat(info.usesPerSecond())
                .isEqualTo(700));
        arc.lone.runFor(SimulatedRing.LEASE_NANOS * 3 / 4);
        arc.lone.run(services::end);
        services = made();
        begin();
        arc.lone.runFor(SimulatedRing.LEASE_NANOS * 3 / 4);
        assertThat(services.peers().isLive(A)).isTrue();
        assertThat(services.peers().peerInfo(A)).isNotNull().satisfies(info -> assertThat(info.usesPerSecond())
                .isZero());
    }

    /** A peer that holds no lease any more has told of a load that nobody bears now. */
    @Test
    void hottestRanges_reportsOfPeers_theHottestFirstUntilTheirLeasesEnd() {
        begin();
        for (int nid : List.of(A, B)) {
            arc.lone.reply(MessageType.OPEN_LEASE, opening(nid));
        }
        HotRange slow = new HotRange(BackupZone.id(A, 1), Cid.of(A, 1), Cid.of(A, 9), 5);
        HotRange fast = new HotRange(BackupZone.id(A, 2), Cid.of(A, 10), Cid.of(A, 19), 50);
        HotRange others = new HotRange(0, Cid.firstOf(B), Cid.lastOf(B), 20);
        arc.lone.reply(MessageType.REPORT_LOAD, new ReportLoad(A, 55, List.of(), List.of(slow, fast)));
        arc.lone.reply(MessageType.REPORT_LOAD, new ReportLoad(B, 20, List.of(), List.of(others)));
        assertThat(services.loads().hottestRanges(services.peers().peersUncounted()))
                .containsExactly(new OwnedRange(A, fast), new OwnedRange(B, others), new OwnedRange(A, slow));
        arc.lone.runFor(3 * SimulatedRing.LEASE_NANOS);
        assertThat(services.loads().hottestRanges(services.peers().peersUncounted()))
                .isEmpty();
    }

    @Test
    void begin_leasesAreLookedAt_isToldEachTime() {
        begin();
        int before = looks;
        arc.lone.runFor(SimulatedRing.LEASE_NANOS);
        assertThat(looks - before).isGreaterThanOrEqualTo(7);
    }

    @Test
    void begin_ownerOfAZoneWithACopyDies_itsRecoveryBegins() {
        begin();
        arc.lone.reply(MessageType.OPEN_LEASE, opening(A));
        int zone = arc.state.zones().iterator().next().id();
        assertThat(arc.zone(zone).placement().backups()).containsExactly(B);
        arc.report(A, 1, false, PeerInfo.Drain.NONE);
        arc.lone.runFor(2 * SimulatedRing.LEASE_NANOS);
        assertThat(arc.state.zones()).allMatch(ZoneRecord::isRecovering);
        assertThat(services.zones().recoveries().recoveredCount()).isZero();
    }

    @Test
    void room_thereIsNone_whatMakesTheStateLargerIsRefusedAndWhatLeavesIsNot() {
        begin();
        arc.lone.reply(MessageType.CHANGE_NAME, naming(1, "a"));
        room = false;
        assertThat(arc.lone.refusal(MessageType.CHANGE_NAME, naming(2, "b")).code())
                .isNotEqualTo(ErrorCode.INTERNAL);
        assertThat(arc.state.nameCount()).isEqualTo(1);
        arc.lone.reply(MessageType.CHANGE_NAME, new ChangeName(5, 3, 0, true, "a", 0, NameCondition.ALWAYS, 0));
        assertThat(arc.state.nameCount()).isZero();
    }

    @Test
    void confirm_theGroupConfirms_ends() {
        begin();
        List<CompletableFuture<Void>> confirmed = new ArrayList<>();
        arc.lone.run(() -> confirmed.add(services.confirm()));
        arc.lone.runFor(SECOND);
        assertThat(confirmed.getFirst()).isCompleted();
    }
}
