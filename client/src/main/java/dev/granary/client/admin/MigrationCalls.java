package dev.granary.client.admin;

import dev.granary.client.internal.ClusterDirectory;
import dev.granary.client.internal.Retry;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.Migrate;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.net.message.PlanMessages.AbortPlan;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.RecoveryMessages.RecoverZone;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.util.concurrent.CompletableFuture;

/** Moves chunks between storage peers, by asking the super-peers of their creators' arcs. Thread-safe. */
final class MigrationCalls {

    private final ClusterDirectory directory;

    MigrationCalls(ClusterDirectory directory) {
        this.directory = directory;
    }

    /** Begins a migration. The future gives its number once its arc has committed it. */
    CompletableFuture<MigrationReply> begin(long startCid, long endCidInclusive, int targetNid, long deadlineNanos) {
        Migrate request = new Migrate(startCid, endCidInclusive, targetNid);
        return Retry.run(
                directory.context(),
                () -> "the start of a migration of " + Cid.toHex(startCid) + ".." + Cid.toHex(endCidInclusive) + " to "
                        + Nid.toHex(targetNid),
                deadlineNanos,
                timeout -> directory.askSuperPeer(Cid.nid(startCid), MessageType.MIGRATE, request, timeout));
    }

    /** Returns a future that completes when a migration has ended. */
    CompletableFuture<MigrationReply> await(MigrationReply begun, long deadlineNanos) {
        if (begun.state() != MigrationState.RUNNING) {
            return CompletableFuture.completedFuture(begun);
        }
        AskMigration request = new AskMigration(begun.creatorNid(), begun.number());
        return Retry.run(
                directory.context(),
                () -> "migration " + Nid.toHex(begun.creatorNid()) + "/" + begun.number(),
                deadlineNanos,
                timeout -> directory
                        .askSuperPeer(begun.creatorNid(), MessageType.ASK_MIGRATION, request, timeout)
                        .thenApply(reply -> {
                            if (reply.state() == MigrationState.RUNNING) {
                                throw new Retry.AgainException("it is still under way");
                            }
                            return reply;
                        }));
    }

    /** Asks a super-peer to make a rebalance plan and to carry it out. */
    CompletableFuture<PlanReply> startPlan(StartPlan plan, long deadlineNanos) {
        int home = plan.kind() == PlanKind.MOVE ? Cid.nid(plan.startCid()) : plan.nid();
        return Retry.run(
                directory.context(),
                () -> "the start of a plan (" + plan.kind() + ") for storage peer " + Nid.toHex(plan.nid()),
                deadlineNanos,
                timeout -> directory.askSuperPeer(home, MessageType.START_PLAN, plan, timeout));
    }

    /** Aborts a rebalance plan. */
    CompletableFuture<Void> abortPlan(int homeNid, long number, long deadlineNanos) {
        return Retry.run(
                        directory.context(),
                        () -> "the end of plan " + Nid.toHex(homeNid) + "/" + number,
                        deadlineNanos,
                        timeout -> directory.askSuperPeer(
                                homeNid, MessageType.ABORT_PLAN, new AbortPlan(homeNid, number), timeout))
                .thenApply(done -> null);
    }

    /** Asks a super-peer to recover a zone without its missing members. */
    CompletableFuture<Void> recoverZone(int zone, long deadlineNanos) {
        return Retry.run(
                        directory.context(),
                        () -> "the recovery of zone " + zone,
                        deadlineNanos,
                        timeout -> directory.askSuperPeer(
                                BackupZone.creatorOf(zone), MessageType.RECOVER_ZONE, new RecoverZone(zone), timeout))
                .thenApply(done -> null);
    }
}
