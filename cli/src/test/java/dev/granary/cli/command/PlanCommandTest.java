package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.KeepingCluster;
import dev.granary.cli.base.Json;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.StatusText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link PlanCommand} against a super-peer with a few plans. */
class PlanCommandTest {

    private static final String PLANS = """
            {"plans": [
              {"plan": "0x8000/1", "kind": "drain", "nid": "0x8000", "state": "STATE", "moves": 4000, "movesDone": 1,
               "movesFailed": 2, "bytes": 2097152, "bytesDone": 1048576, "note": "no room",
               "list": [{"from": "0x8000000000000001", "to": "0x8000000000000009", "target": "0x4000",
                         "chunks": 5, "bytes": 100, "state": "running"}]}],
             "proposals": [{"cid": "0x8000000000000005", "source": "0x8000", "target": "0x4000", "perSecond": 1500,
               "sourcePerSecond": 9000, "targetPerSecond": 10}]}
            """;

    private final KeepingCluster cluster = new KeepingCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run plan(String... arguments) {
        List<String> all = new ArrayList<>(List.of("plan"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--seeds", cluster.seed()));
        return Run.of(all.toArray(String[]::new));
    }

    private void tell(String state) {
        cluster.answer(MessageType.LIST_PLANS, asks -> new StatusText(PLANS.replace("STATE", state)));
    }

    @Test
    void show_plans_areALineEachAndProposalsAreCommands() {
        tell("running");
        Run run = plan("show");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output().lines())
                .containsExactly(
                        "plan 0x8000/1: drain 0x8000 is running, 1 of 4,000 moves and 1.0 MiB of 2.0 MiB done, 2 failed"
                                + " (no room)",
                        "proposed: granary migrate 0x8000000000000005 --to 0x4000   (used 1,500 times a second,"
                                + " 9,000 of 0x8000, 10 of 0x4000)");
    }

    @Test
    void show_moves_areListedBelowTheirPlan() {
        tell("running");
        assertThat(plan("show", "--moves").output())
                .contains("  0x8000000000000001..0x8000000000000009 to 0x4000", "5 chunks", "100 B", "running");
    }

    @Test
    void show_nothing_saysSo() {
        cluster.answer(MessageType.LIST_PLANS, asks -> new StatusText("{}"));
        assertThat(plan("show").output().strip()).isEqualTo("no plans");
        assertThat(plan("show", "--json").output().strip()).isEqualTo("[]");
    }

    @Test
    void show_forPrograms_hasPlansAndProposals() {
        tell("running");
        JsonNode all = Json.parse("plans", plan("show", "-o", "json").output());
        assertThat(all.path("plans")).hasSize(1);
        assertThat(all.path("proposals")).hasSize(1);
    }

    @Test
    void abort_plan_isAskedOfItsHome() {
        cluster.answer(MessageType.ABORT_PLAN, asks -> new Empty());
        Run run = plan("abort", "0x4000/12");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output()).contains("plan 0x4000/12 is aborted");
        assertThat(cluster.asked).containsExactly(new AbortPlan(0x4000, 12));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0x4000", "12", "0x4000/", "/1", "0x4000/x", "0x4000/1/2", "peer/1", "0x4000/0x1"})
    void abort_noNameOfAPlan_isRefusedBeforeAnythingIsAsked(String name) {
        cluster.answer(MessageType.ABORT_PLAN, asks -> new Empty());
        Run run = plan("abort", name);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("'" + name + "' is not the name of a plan, such as 0x4000/1");
        assertThat(cluster.asked).isEmpty();
    }

    @Test
    void abort_superPeerDoesNotKnowIt_fails() {
        cluster.refuse(MessageType.ABORT_PLAN, ErrorCode.NOT_FOUND, "there is no plan 0x4000/12");
        Run run = plan("abort", "0x4000/12");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).isEmpty();
        assertThat(run.error()).contains("there is no plan 0x4000/12");
    }

    @Test
    void spread_untilItHasEnded_endsWithItsOutcome() {
        cluster.answer(MessageType.START_PLAN, asks -> new PlanReply(0x8000, 1, 4, 100));
        AtomicInteger looks = new AtomicInteger();
        cluster.answer(
                MessageType.LIST_PLANS,
                asks -> new StatusText(PLANS.replace("STATE", looks.incrementAndGet() < 3 ? "running" : "done")));
        Run done = plan("spread", "0x8000");
        assertThat(done.code()).as(done.error()).isZero();
        assertThat(done.output()).contains("plan 0x8000/1: 4 moves, 100 B", "is done");
        assertThat(looks).hasValue(3);
        assertThat(cluster.asked(StartPlan.class)).containsExactly(new StartPlan(PlanKind.SPREAD, 0x8000, 0, 0));

        tell("aborted");
        assertThat(plan("spread", "0x8000").code()).isEqualTo(1);
    }

    @Test
    void spread_withoutAWait_saysHowToGoOn() {
        cluster.answer(MessageType.START_PLAN, asks -> new PlanReply(0x8000, 1, 4, 100));
        Run run = plan("spread", "0x8000", "--no-wait");
        assertThat(run.code()).as(run.error()).isZero();
        assertThat(run.output()).contains("granary plan abort 0x8000/1");
    }

    @Test
    void spread_superPeersForgetThePlan_saysSoInsteadOfWaiting() {
        cluster.answer(MessageType.START_PLAN, asks -> new PlanReply(0x8000, 99, 4, 100));
        tell("running");
        Run run = plan("spread", "0x8000");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains("no record of plan 0x8000/99");
    }
}
