package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus.AutoscalerStatus;
import dev.granary.operator.api.GranaryStatus.HibernationStatus;
import dev.granary.operator.api.GranaryStatus.TlsStatus;
import dev.granary.operator.control.DrainView;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.observe.UnusedVolumes;
import dev.granary.operator.observe.VolumesView;
import dev.granary.operator.steer.Stop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the operator sees of a cluster at one moment.
 *
 * @param superPeers pods of the super-peers
 * @param storage pods of the storage peers
 * @param cluster the answer of the super-peers
 * @param stops pods that go or are replaced
 * @param drains the drains that the super-peers report, if the operator has asked
 * @param autoscaler the answer of the autoscaler, {@code null} without one
 * @param hibernation the progress of the cluster's hibernation, {@code null} when the cluster works
 * @param podMonitor whether the wanted PodMonitor exists, {@code null} when none is wanted
 * @param tls the certificates, {@code null} without TLS
 * @param volumes the volumes that may have to grow, {@code null} when all have the size that they were made with
 * @param addresses the cluster addresses of the Services for clients
 * @param unused the volumes that no pod needs any more
 */
public record Observation(
        PodsView superPeers,
        PodsView storage,
        ClusterObserver.Answer cluster,
        List<Stop> stops,
        List<DrainView> drains,
        @Nullable AutoscalerStatus autoscaler,
        @Nullable HibernationStatus hibernation,
        @Nullable Boolean podMonitor,
        @Nullable TlsStatus tls,
        @Nullable VolumesView volumes,
        Addresses addresses,
        UnusedVolumes unused) {

    /**
     * The cluster addresses of the Services for clients, each {@code null} where there is none.
     *
     * @param client that of the super-peers
     * @param redis that of the doors
     */
    public record Addresses(
            @Nullable String client, @Nullable String redis) {
        /** No Service has been seen. */
        public static final Addresses NONE = new Addresses(null, null);
    }

    /** Makes an observation of a cluster without TLS whose volumes have the size that they were made with. */
    public Observation(
            PodsView superPeers,
            PodsView storage,
            ClusterObserver.Answer cluster,
            List<Stop> stops,
            List<DrainView> drains,
            @Nullable AutoscalerStatus autoscaler,
            @Nullable HibernationStatus hibernation,
            @Nullable Boolean podMonitor) {
        this(
                superPeers,
                storage,
                cluster,
                stops,
                drains,
                autoscaler,
                hibernation,
                podMonitor,
                null,
                null,
                Addresses.NONE,
                UnusedVolumes.NONE);
    }
}
