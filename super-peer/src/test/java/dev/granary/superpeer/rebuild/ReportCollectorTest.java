package dev.granary.superpeer.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.RecoveryMessages.ReportHoldings;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.state.arc.PeerReport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class ReportCollectorTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final HostAddress SELF = LoneNode.address("s0");
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneNode lone = new LoneNode();
    private final ReportCollector collector = new ReportCollector(lone.node(), SELF);
    private final List<ReportHoldings> asked = new ArrayList<>();

    private static CidRange range(int nid, long lid) {
        return new CidRange(Cid.of(nid, lid), Cid.of(nid, lid + 9), Placement.unreplicated(nid, 1));
    }

    private static Holdings holdings(int nid, long epoch, long nextCid, CidRange... ranges) {
        return Reports.holdings(nid, LoneNode.address("p"), epoch, nextCid, ranges);
    }

    private static CopyList.Held copy(int number) {
        return new CopyList.Held(BackupZone.id(A, number), 1, 1, List.of(B), 5, true, true, 10);
    }

    private Answers reporting(int nid, long epoch) {
        return new Answers()
                .to(MessageType.REPORT_HOLDINGS, ask -> {
                    asked.add(ask);
                    return holdings(nid, epoch, 0, range(nid, 1));
                })
                .to(MessageType.LIST_COPIES, ask -> new CopyList(epoch, 0, List.of()));
    }

    private void ask(Predicate<PeerReport> usable, HostAddress... addresses) {
        lone.run(() -> collector.ask(List.of(addresses), usable));
        lone.runFor(SECOND);
    }

    @Test
    void ask_reportOfManyPages_isPutTogetherInOrder() {
        Answers answers = new Answers()
                .to(
                        MessageType.REPORT_HOLDINGS,
                        ask -> ask.fromCid() == 0
                                ? holdings(A, 3, Cid.of(A, 50), range(A, 1))
                                : holdings(A, 3, 0, range(A, ask.fromCid() == Cid.of(A, 50) ? 50 : 90)))
                .to(
                        MessageType.LIST_COPIES,
                        ask -> ask.afterZone() == 0
                                ? new CopyList(3, BackupZone.id(A, 1), List.of(copy(1)))
                                : new CopyList(3, 0, List.of(copy(ask.afterZone() == BackupZone.id(A, 1) ? 2 : 3))));
        HostAddress p = lone.serve("p", A, answers);

        ask(any -> true, p);

        assertThat(collector.reports())
                .containsExactly(new PeerReport(
                        holdings(A, 3, 0, range(A, 50)),
                        List.of(range(A, 1), range(A, 50)),
                        List.of(copy(1), copy(2))));
        assertThat(collector.silent()).isEmpty();
    }

    @Test
    void ask_storagePeer_isToldWhereThisSuperPeerIs() {
        ask(any -> true, lone.serve("p", A, reporting(A, 1)));
        assertThat(asked).containsExactly(new ReportHoldings(SELF, 0));
    }

    @Test
    void ask_againWithAUsableReport_isNotAskedAgain() {
        HostAddress p = lone.serve("p", A, reporting(A, 1));
        ask(any -> true, p);
        ask(any -> true, p);
        ask(any -> true);
        assertThat(asked).hasSize(1);
        ask(any -> false);
        assertThat(asked).as("what cannot be used is asked for again").hasSize(2);
    }

    @Test
    void ask_whileTheAnswerIsComing_isNotAskedTwice() {
        HostAddress p = lone.serve("p", A, reporting(A, 1));
        lone.run(() -> {
            collector.ask(List.of(p), any -> true);
            collector.ask(List.of(p), any -> true);
        });
        lone.runFor(SECOND);
        assertThat(asked).hasSize(1);
        assertThat(collector.reports()).hasSize(1);
    }

    @Test
    void silent_whoRefusesOrIsNotThere_isNamedWithTheReason() {
        HostAddress p = lone.serve(
                "p", A, new Answers().refuse(MessageType.REPORT_HOLDINGS, ErrorCode.SHUTTING_DOWN, "it is stopping"));
        lone.run(() -> collector.ask(List.of(p, LoneNode.address("q")), any -> true));
        assertThat(collector.silent()).contains("q:7400 (it has not answered yet)");
        lone.runFor(20 * SECOND);
        assertThat(collector.reports()).isEmpty();
        assertThat(collector.silent())
                .hasSize(2)
                .anySatisfy(text -> assertThat(text).startsWith("p:7400 (").contains("it is stopping"))
                .anySatisfy(text -> assertThat(text).startsWith("q:7400 (").doesNotContain("not answered yet"));
    }

    @Test
    void ask_whoTellsItsRangesButNotItsCopies_hasNoReport() {
        Answers answers = reporting(A, 1).refuse(MessageType.LIST_COPIES, ErrorCode.INTERNAL, "broken disk");
        ask(any -> true, lone.serve("p", A, answers));
        assertThat(collector.reports()).isEmpty();
        assertThat(collector.silent()).singleElement().asString().contains("broken disk");

        answers.to(MessageType.LIST_COPIES, ask -> new CopyList(1, 0, List.of()));
        ask(any -> true);

        assertThat(collector.reports()).hasSize(1);
    }

    @Test
    void ask_unusableReportThatFailsTheNextTime_isGone() {
        Answers answers = reporting(A, 1);
        ask(any -> true, lone.serve("p", A, answers));
        answers.refuse(MessageType.REPORT_HOLDINGS, ErrorCode.INTERNAL, "broken");
        ask(any -> false);
        assertThat(collector.reports()).isEmpty();
        assertThat(collector.silent()).hasSize(1);
    }

    @Test
    void reports_oneStoragePeerAtTwoAddresses_countsOnce() {
        ask(
                any -> true,
                lone.serve("p", A, reporting(A, 1)),
                lone.serve("q", A, reporting(A, 2)),
                lone.serve("r", B, reporting(B, 1)));
        assertThat(collector.reports()).extracting(PeerReport::nid).containsExactly(B, A);
        assertThat(collector.ageNanos()).isGreaterThanOrEqualTo(SECOND);
    }
}
