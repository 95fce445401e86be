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
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Administers a cluster, over the connections and with the deadlines of a client. The methods return futures; those of
 * {@link ClusterAdmin} wait. Operations retry and fail as those of the client do. Thread-safe.
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
     * Administers the cluster of a client, over its connections. The administration ends with the client.
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

    /** Fetches the ring and the storage peers. */
    public CompletableFuture<ClusterView> view() {
        return client.view();
    }

    /** Fetches the status of the whole cluster as JSON, see docs/formats/status.md. */
    public CompletableFuture<String> statusJson() {
        return Retry.run(
                context.retry(), () -> "a look at the cluster's status", deadline(), timeout -> ring.status(timeout)
                        .thenApply(StatusText::json));
    }

    /**
     * Begins to move consecutive chunks of one creator and one owner to another storage peer. Clients read and write
     * the chunks meanwhile. The future completes once the migration is committed to begin; {@link #awaitMigration}
     * waits for its end.
     *
     * @param targetNid the storage peer that is to own the chunks
     */
    public CompletableFuture<MigrationReply> beginMigration(long startCid, long endCidInclusive, int targetNid) {
        return migrations.begin(startCid, endCidInclusive, targetNid, deadline());
    }

    /** Waits until a migration has ended. The future gives its final state. */
    public CompletableFuture<MigrationReply> awaitMigration(MigrationReply begun) {
        return migrations.await(begun, batchDeadline());
    }

    /**
     * Starts a rebalance plan that moves chunks of one creator to a storage peer, in as many migrations as needed.
     * Chunks that it owns already stay.
     *
     * @param startCid the first chunk
     * @param endCidInclusive the last chunk
     */
    public CompletableFuture<PlanReply> startMove(long startCid, long endCidInclusive, int targetNid) {
        return migrations.startPlan(
                new StartPlan(PlanKind.MOVE, targetNid, startCid, endCidInclusive), batchDeadline());
    }

    /** Starts to drain a storage peer, which takes no new chunks from then on. */
    public CompletableFuture<PlanReply> startDrain(int nid) {
        return migrations.startPlan(new StartPlan(PlanKind.DRAIN, nid, 0, 0), batchDeadline());
    }

    /** Starts a rebalance plan that gives a storage peer its share of the chunks of the others. */
    public CompletableFuture<PlanReply> startSpread(int nid) {
        return migrations.startPlan(new StartPlan(PlanKind.SPREAD, nid, 0, 0), batchDeadline());
    }

    /** Aborts a rebalance plan: no more moves begin, moves under way are given up, and chunks that have moved stay. */
    public CompletableFuture<Void> abortPlan(int homeNid, long number) {
        return migrations.abortPlan(homeNid, number, deadline());
    }

    /**
     * Ends the wait for the members of a zone that hold no lease. The zone is recovered from the copies of the other
     * members, and what only the missing members have is lost.
     *
     * @param zone the id of the zone
     */
    public CompletableFuture<Void> recoverZone(int zone) {
        return migrations.recoverZone(zone, deadline());
    }

    /**
     * Takes a storage peer one step through hibernation (ADR 0120). The future gives the progress of the peer.
     *
     * @param nid the storage peer
     * @param step the wanted step; all storage peers must refuse changes before the first one is parked
     */
    public CompletableFuture<HibernateReply> hibernate(int nid, Hibernate.Step step) {
        return Retry.run(
                context.retry(),
                () -> "a planned stop of storage peer " + Nid.toHex(nid),
                deadline(),
                timeout ->
                        context.directory().askStoragePeer(nid, MessageType.HIBERNATE, new Hibernate(step), timeout));
    }

    /**
     * Gives up a parked storage peer. Zones with copies are recovered from these; all other chunks that the peer had
     * are lost.
     */
    public CompletableFuture<Void> unpark(int nid) {
        return Retry.run(
                        context.retry(),
                        () -> "giving up parked storage peer " + Nid.toHex(nid),
                        deadline(),
                        timeout -> context.directory()
                                .askSuperPeer(nid, MessageType.UNPARK_PEER, new UnparkPeer(nid), timeout))
                .thenAccept(done -> {});
    }

    /** Returns the calls of cluster backups and restores. */
    public BackupCalls backups() {
        return new BackupCalls(context);
    }

    /** Returns what carries out any commands on keys. */
    public KeyCommands keyCommands() {
        return new KeyCommands(context);
    }

    /** Returns the calls of cluster backups and restores that read and write keys. */
    public KeyBackups keyBackups() {
        return new KeyBackups(context);
    }

    /** Fetches the rebalance plans as JSON, one text from each super-peer that answers (docs/guides/migration.md). */
    public CompletableFuture<List<String>> plansJson() {
        return Retry.run(context.retry(), () -> "a look at the plans", deadline(), ring::plans);
    }

    /**
     * Asks storage peers for their keys that are asked for most. Needs the right to see the status and to read all
     * keys. The future does not fail: {@link HotKeys#missing} has those that told none.
     *
     * @param nids the storage peers
     * @param most how many keys are wanted in all, at most 64
     */
    public CompletableFuture<HotKeys> hotKeys(Collection<Integer> nids, int most) {
        return HotKeys.ask(context, nids, most);
    }

    /**
     * Sets the number of super-peers on the ring. Ring candidates join it, or super-peers leave it, one after the
     * other; the status shows the progress.
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
