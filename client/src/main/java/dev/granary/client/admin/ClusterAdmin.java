package dev.granary.client.admin;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.view.ClusterView;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.PlanMessages.PlanReply;
import java.util.Collection;
import java.util.List;

/**
 * Administers a cluster: its ring, moves of chunks, hibernation, cluster backups. The methods wait for each answer.
 * {@link #of} shares the connections of a client; {@link #connect} opens its own client, which {@link #close} closes.
 * Thread-safe.
 *
 * <pre>{@code
 * ClusterAdmin admin = ClusterAdmin.of(granary);
 * admin.resizeRing(3);
 * }</pre>
 */
public final class ClusterAdmin implements AutoCloseable {

    private final AsyncClusterAdmin async;
    private final Runnable close;

    private ClusterAdmin(GranaryClient client, Runnable close) {
        this.async = AsyncClusterAdmin.of(client.async());
        this.close = close;
    }

    /** Administers the cluster of a client, over its connections. The administration ends with the client. */
    public static ClusterAdmin of(GranaryClient client) {
        return new ClusterAdmin(client, () -> {});
    }

    /**
     * Opens a client for the administration and finds the cluster.
     *
     * @throws dev.granary.client.DeadlineExceededException when none of the addresses answers before the deadline
     */
    public static ClusterAdmin connect(ClientOptions options) {
        GranaryClient client = GranaryClient.connect(options);
        return new ClusterAdmin(client, client::close);
    }

    /** Returns the same administration with futures. */
    public AsyncClusterAdmin async() {
        return async;
    }

    /** See {@link AsyncClusterAdmin#backups}. */
    public BackupCalls backups() {
        return async.backups();
    }

    /** See {@link AsyncClusterAdmin#keyCommands}. */
    public KeyCommands keyCommands() {
        return async.keyCommands();
    }

    /** See {@link AsyncClusterAdmin#keyBackups}. */
    public KeyBackups keyBackups() {
        return async.keyBackups();
    }

    /** Fetches the ring and the storage peers. */
    public ClusterView view() {
        return GranaryClient.await(async.view());
    }

    /** Fetches the status of the whole cluster as JSON, see docs/formats/status.md. */
    public String statusJson() {
        return GranaryClient.await(async.statusJson());
    }

    /** See {@link AsyncClusterAdmin#startMove}. */
    public PlanReply startMove(long startCid, long endCidInclusive, int targetNid) {
        return GranaryClient.await(async.startMove(startCid, endCidInclusive, targetNid));
    }

    /** See {@link AsyncClusterAdmin#startDrain}. */
    public PlanReply startDrain(int nid) {
        return GranaryClient.await(async.startDrain(nid));
    }

    /** See {@link AsyncClusterAdmin#startSpread}. */
    public PlanReply startSpread(int nid) {
        return GranaryClient.await(async.startSpread(nid));
    }

    /** See {@link AsyncClusterAdmin#abortPlan}. */
    public void abortPlan(int homeNid, long number) {
        GranaryClient.await(async.abortPlan(homeNid, number));
    }

    /** See {@link AsyncClusterAdmin#recoverZone}. */
    public void recoverZone(int zone) {
        GranaryClient.await(async.recoverZone(zone));
    }

    /** See {@link AsyncClusterAdmin#hibernate}. */
    public HibernateReply hibernate(int nid, Hibernate.Step step) {
        return GranaryClient.await(async.hibernate(nid, step));
    }

    /** See {@link AsyncClusterAdmin#unpark}. */
    public void unpark(int nid) {
        GranaryClient.await(async.unpark(nid));
    }

    /** See {@link AsyncClusterAdmin#plansJson}. */
    public List<String> plansJson() {
        return GranaryClient.await(async.plansJson());
    }

    /** See {@link AsyncClusterAdmin#hotKeys}. */
    public HotKeys hotKeys(Collection<Integer> nids, int most) {
        return GranaryClient.await(async.hotKeys(nids, most));
    }

    /** Sets the number of super-peers on the ring; see {@link AsyncClusterAdmin#resizeRing}. */
    public void resizeRing(int size) {
        GranaryClient.await(async.resizeRing(size));
    }

    /** Closes the connections that {@link #connect} has opened; leaves those of a client alone. */
    @Override
    public void close() {
        close.run();
    }
}
