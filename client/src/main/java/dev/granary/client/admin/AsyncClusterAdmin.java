package dev.granary.client.admin;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.internal.BatchContext;
import dev.granary.client.internal.ConnectedClient;
import dev.granary.client.internal.Retry;
import dev.granary.client.view.ClusterView;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.HibernationMessages.UnparkPeer;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.StatusText;
import dev.granary.overlay.Nid;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Administers a cluster, by futures, over the connections and with the deadlines of a client; {@link ClusterAdmin}
 * waits. Operations retry and fail as those of the client do. Thread-safe.
 */
public final class AsyncClusterAdmin {

    private final ConnectedClient client;
    private final BatchContext context;
    private final MigrationCalls migrations;
    private final RingCalls ring;

    private AsyncClusterAdmin(ConnectedClient client) {
        this.client = client;
        this.context = client.context();
        this.migrations = new MigrationCalls(context.directory());
        this.ring = new RingCalls(context);
    }

    /**
     * Administers the cluster of a client, over its connections: it ends with the client.
     *
     * @throws IllegalArgumentException when the client is not one that this library has connected
     */
    public static AsyncClusterAdmin of(AsyncGranaryClient client) {
        if (client instanceof ConnectedClient connected) {
            return new AsyncClusterAdmin(connected);
        }
        throw new IllegalArgumentException("a " + client.getClass().getName()
                + " has no connections to a cluster; use a client that GranaryClient.connect has opened");
    }

    /** The ring and the storage peers, fetched now. */
    public CompletableFuture<ClusterView> view() {
        return client.view();
    }

    /** The status of the whole cluster as JSON, see docs/formats/status.md. */
    public CompletableFuture<String> statusJson() {
        return Retry.run(
                context.retry(), () -> "a look at the cluster's status", deadline(), timeout -> ring.status(timeout)
                        .thenApply(StatusText::json));
    }

    /**
     * Begins to move consecutive chunks of one creator and one owner to another storage peer. They are read and written
     * meanwhile. Completes once that is recorded; {@link #awaitMigration} waits for the end.
     *
     * @param targetNid who shall own them
     */
    public CompletableFuture<MigrationReply> beginMigration(long startCid, long endCidInclusive, int targetNid) {
        return migrations.begin(startCid, endCidInclusive, targetNid, deadline());
    }

    /** Completes when a migration has ended, with how. */
    public CompletableFuture<MigrationReply> awaitMigration(MigrationReply begun) {
        return migrations.await(begun, batchDeadline());
    }

    /**
     * Has chunks of one creator moved to a storage peer, in as many migrations as it takes;
     * those that it owns already stay.
     *
     * @param startCid the first
     * @param endCidInclusive the last
     */
    public CompletableFuture<PlanReply> startMove(long startCid, long endCidInclusive, int targetNid) {
        return migrations.startPlan(
                new StartPlan(PlanKind.MOVE, targetNid, startCid, endCidInclusive), batchDeadline());
    }

    /** Has everything leave a storage peer, which takes no new chunks from then on. */
    public CompletableFuture<PlanReply> startDrain(int nid) {
        return migrations.startPlan(new StartPlan(PlanKind.DRAIN, nid, 0, 0), batchDeadline());
    }

    /** Has a storage peer take its share of what the others have. */
    public CompletableFuture<PlanReply> startSpread(int nid) {
        return migrations.startPlan(new StartPlan(PlanKind.SPREAD, nid, 0, 0), batchDeadline());
    }

    /** Ends a plan of moves: none begins any more, those under way are given up, what has moved stays. */
    public CompletableFuture<Void> abortPlan(int homeNid, long number) {
        return migrations.abortPlan(homeNid, number, deadline());
    }

    /**
     * Ends the wait for those members of a zone that hold no lease: it is recovered from the copies that there are, and
     * what only the missing ones have is lost.
     *
     * @param zone its identifier
     */
    public CompletableFuture<Void> recoverZone(int zone) {
        return migrations.recoverZone(zone, deadline());
    }

    /**
     * Takes a storage peer a step through a planned stop, and tells how far it is (ADR 0120).
     *
     * @param nid the storage peer
     * @param step what is wanted; all storage peers are to refuse changes before the first one is parked
     */
    public CompletableFuture<HibernateReply> hibernate(int nid, Hibernate.Step step) {
        return Retry.run(
                context.retry(),
                () -> "a planned stop of storage peer " + Nid.toHex(nid),
                deadline(),
                timeout ->
                        context.directory().askStoragePeer(nid, MessageType.HIBERNATE, new Hibernate(step), timeout));
    }

    /** Gives up a storage peer that is parked: what has copies is recovered from them, all else that it had is lost. */
    public CompletableFuture<Void> unpark(int nid) {
        return Retry.run(
                        context.retry(),
                        () -> "giving up parked storage peer " + Nid.toHex(nid),
                        deadline(),
                        timeout -> context.directory()
                                .askSuperPeer(nid, MessageType.UNPARK_PEER, new UnparkPeer(nid), timeout))
                .thenAccept(done -> {});
    }

    /** What backups and their restoration ask beside reading chunks. */
    public BackupCalls backups() {
        return new BackupCalls(context);
    }

    /** The plans of moves as JSON, one text of each super-peer that answers (docs/guides/migration.md). */
    public CompletableFuture<List<String>> plansJson() {
        return Retry.run(context.retry(), () -> "a look at the plans", deadline(), ring::plans);
    }

    /**
     * Says how many super-peers the ring is to have. Candidates come onto it and members leave it one after the other;
     * the status tells how far that is.
     *
     * @param size at least 1
     */
    public CompletableFuture<Void> resizeRing(int size) {
        return Retry.run(
                        context.retry(),
                        () -> "resizing the ring to " + size + " super-peers",
                        deadline(),
                        timeout -> ring.resizeRing(size, timeout))
                .thenAccept(done -> {});
    }

    private long deadline() {
        return context.retry().deadlineAfter(context.options().deadline().toNanos());
    }

    private long batchDeadline() {
        return context.retry().deadlineAfter(context.options().batchDeadline().toNanos());
    }
}
