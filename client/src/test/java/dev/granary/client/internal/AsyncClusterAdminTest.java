package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.DeadlineExceededException;
import dev.granary.client.Durability;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.HibernationMessages.UnparkPeer;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.RecoveryMessages.RecoverZone;
import dev.granary.net.message.RingMessages.ResizeRing;
import dev.granary.net.message.StatusText;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Placement;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What {@link AsyncClusterAdmin} asks of a cluster, and what its caller hears when that is refused or unanswered. */
class AsyncClusterAdminTest {

    private static final int PEER = ScriptedCluster.STORAGE_NID;
    private static final int ZONE = 0x4000 << 15 | 3;

    private final ScriptedCluster cluster = new ScriptedCluster(3);
    private final AsyncGranaryClient client = cluster.client(ScriptedCluster.options());
    private final AsyncClusterAdmin admin = AsyncClusterAdmin.of(client);
    private final List<Message> asked = new ArrayList<>();

    /** The refusals of the next requests. */
    private final ArrayDeque<ErrorReply> refusals = new ArrayDeque<>();

    /** Lets the super-peers answer a type of requests. */
    private <Q extends Message, R extends Message> void superPeersAnswer(MessageType<Q, R> type, R answer) {
        cluster.superPeer = request -> {
            if (request.type() != type.code()) {
                return false;
            }
            asked.add(request.read(type));
            ErrorReply refusal = refusals.poll();
            if (refusal == null) {
                request.reply(answer);
            } else {
                request.fail(refusal);
            }
            return true;
        };
    }

    private void assertFails(CompletableFuture<?> future, Class<? extends Throwable> type, String... words) {
        assertThatThrownBy(() -> cluster.await(future))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOf(type)
                .hasMessageContainingAll(words);
    }

    @Test
    void of_clientWithoutConnections_isRefused() {
        AsyncGranaryClient foreign = (AsyncGranaryClient) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {AsyncGranaryClient.class}, (proxy, method, args) -> null);
        assertThatThrownBy(() -> AsyncClusterAdmin.of(foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("GranaryClient.connect");
    }

    @Test
    void of_clientWithAnotherDurability_administersTheSameCluster() {
        superPeersAnswer(MessageType.CLUSTER_STATUS, new StatusText("{}"));
        AsyncClusterAdmin other = AsyncClusterAdmin.of(client.withDurability(Durability.ASYNC));
        assertThat(cluster.await(other.statusJson())).isEqualTo("{}");
    }

    @Test
    void plans_eachKind_asksForItsPeerAndRange() {
        superPeersAnswer(MessageType.START_PLAN, new PlanReply(PEER, 1, 4, 100));
        assertThat(cluster.await(admin.startMove(Cid.of(0x4000, 1), Cid.of(0x4000, 9), PEER)))
                .isEqualTo(new PlanReply(PEER, 1, 4, 100));
        cluster.await(admin.startDrain(PEER));
        cluster.await(admin.startSpread(PEER));

        assertThat(asked)
                .containsExactly(
                        new StartPlan(PlanKind.MOVE, PEER, Cid.of(0x4000, 1), Cid.of(0x4000, 9)),
                        new StartPlan(PlanKind.DRAIN, PEER, 0, 0),
                        new StartPlan(PlanKind.SPREAD, PEER, 0, 0));
    }

    @Test
    void startDrain_superPeerRefuses_failsWithItsWordsAndIsNotRepeated() {
        superPeersAnswer(MessageType.START_PLAN, new PlanReply(PEER, 1, 4, 100));
        refusals.add(ErrorReply.of(ErrorCode.BAD_REQUEST, "too little room"));
        assertFails(admin.startDrain(PEER), InvalidRequestException.class, "too little room", "DRAIN", "8000");
        assertThat(asked).hasSize(1);
    }

    @Test
    void abortPlan_superPeerIsBusy_isAskedAgain() {
        superPeersAnswer(MessageType.ABORT_PLAN, new Empty());
        refusals.add(ErrorReply.retryLater(1_000_000, "an election is under way"));
        cluster.await(admin.abortPlan(0x4000, 12));
        assertThat(asked).hasSize(2).containsOnly(new AbortPlan(0x4000, 12));
    }

    private static MigrationReply migration(MigrationState state, String note) {
        return new MigrationReply(0x4000, 3, state, 7, note);
    }

    @Test
    void awaitMigration_isUnderWay_asksUntilItHasEnded() {
        ArrayDeque<MigrationReply> answers = new ArrayDeque<>(List.of(
                migration(MigrationState.RUNNING, ""),
                migration(MigrationState.RUNNING, ""),
                migration(MigrationState.ABORTED, "the target is full")));
        cluster.superPeer = request -> {
            boolean asks = request.type() == MessageType.ASK_MIGRATION.code();
            if (asks) {
                request.reply(answers.remove());
            }
            return asks;
        };
        MigrationReply end = cluster.await(admin.awaitMigration(migration(MigrationState.RUNNING, "")));

        assertThat(end).isEqualTo(migration(MigrationState.ABORTED, "the target is full"));
        assertThat(answers).isEmpty();
    }

    @Test
    void awaitMigration_hasEndedAlready_asksNobody() {
        MigrationReply ended = migration(MigrationState.COMMITTED, "");
        assertThat(cluster.await(admin.awaitMigration(ended))).isEqualTo(ended);
        assertThat(cluster.asked(MessageType.ASK_MIGRATION)).isZero();
    }

    @Test
    void awaitMigration_neverEnds_saysWhichOne() {
        superPeersAnswer(MessageType.ASK_MIGRATION, migration(MigrationState.RUNNING, ""));
        assertFails(
                admin.awaitMigration(migration(MigrationState.RUNNING, "")),
                DeadlineExceededException.class,
                "migration 0x4000/3",
                "still under way");
    }

    @Test
    void plansJson_oneSuperPeerIsSilent_hasThePlansOfTheOthers() {
        superPeersAnswer(MessageType.LIST_PLANS, new StatusText("{\"plans\":[1]}"));
        cluster.loseSuperPeer(cluster.superPeerNids().getLast());
        List<String> plans = cluster.await(admin.plansJson());

        assertThat(plans).containsExactlyInAnyOrder("{\"plans\":[1]}", "{\"plans\":[1]}", "{}");
    }

    @Test
    void statusJson_oneSuperPeerRefuses_anotherAnswers() {
        superPeersAnswer(MessageType.CLUSTER_STATUS, new StatusText("{\"state\":\"OK\"}"));
        refusals.add(ErrorReply.of(ErrorCode.SHUTTING_DOWN, "this super-peer is stopping"));
        assertThat(cluster.await(admin.statusJson())).isEqualTo("{\"state\":\"OK\"}");
        assertThat(asked).hasSize(2);
    }

    @Test
    void resizeRing_size_isWhatTheRingIsAskedFor() {
        superPeersAnswer(MessageType.RESIZE_RING, new Empty());
        cluster.await(admin.resizeRing(5));
        assertThat(asked).containsExactly(new ResizeRing(5));
    }

    @Test
    void resizeRing_refused_saysWhatAndWhy() {
        superPeersAnswer(MessageType.RESIZE_RING, new Empty());
        refusals.add(ErrorReply.of(ErrorCode.BAD_REQUEST, "there are 3 super-peers only"));
        assertFails(
                admin.resizeRing(9),
                InvalidRequestException.class,
                "resizing the ring to 9 super-peers",
                "there are 3 super-peers only");
    }

    @Test
    void recoverZone_zone_isAskedFor() {
        superPeersAnswer(MessageType.RECOVER_ZONE, new ZonePlacement(Placement.unreplicated(PEER, 1)));
        cluster.await(admin.recoverZone(ZONE));
        assertThat(asked).containsExactly(new RecoverZone(ZONE));
    }

    @Test
    void unpark_peerIsNotParked_failsWithItsNid() {
        superPeersAnswer(MessageType.UNPARK_PEER, new Empty());
        refusals.add(ErrorReply.of(ErrorCode.BAD_REQUEST, "it is not parked"));
        assertFails(admin.unpark(PEER), InvalidRequestException.class, "8000", "it is not parked");
        cluster.await(admin.unpark(PEER));
        assertThat(asked).containsOnly(new UnparkPeer(PEER));
    }

    @Test
    void hibernate_step_isAskedOfThePeerItself() {
        HibernateReply half = new HibernateReply(false, 50, 100, "");
        cluster.storage = request -> {
            if (request.type() != MessageType.HIBERNATE.code()) {
                return false;
            }
            asked.add(request.read(MessageType.HIBERNATE));
            if (asked.size() == 1) {
                request.fail(ErrorReply.retryLater(1_000_000, "it is just starting"));
            } else {
                request.reply(half);
            }
            return true;
        };
        assertThat(cluster.await(admin.hibernate(PEER, Hibernate.Step.PARK))).isEqualTo(half);
        assertThat(asked).hasSize(2).containsOnly(new Hibernate(Hibernate.Step.PARK));
    }
}
