package dev.granary.operator;

import dev.granary.operator.api.Granary;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.OperatorDefaults;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.plan.TemplateHistory;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Resources and plans that several tests start from. */
public final class Samples {
    /** Settings of an operator. */
    public static final OperatorDefaults DEFAULTS =
            new OperatorDefaults("example.org/granary:1", "IfNotPresent", "granary-system", false);

    private Samples() {}

    /** A resource with the given spec in YAML flow style, for instance {@code {storagePeers: {replicas: 3}}}. */
    public static Granary granary(String name, String spec) {
        return Serialization.unmarshal("""
                apiVersion: granary.dev/v1alpha1
                kind: Granary
                metadata: {name: %s, namespace: shop, uid: 11111111-2222-3333-4444-555555555555, generation: 1}
                spec: %s
                """.formatted(name, spec), Granary.class);
    }

    /** The same resource with another spec. */
    public static Granary granary(Granary old, String spec) {
        Granary changed = granary(old.getMetadata().getName(), spec);
        changed.setMetadata(old.getMetadata());
        return changed;
    }

    /** A cluster that exists; volume sizes and id may be {@code null}. */
    public static Existing existing(
            int superPeers,
            int storagePeers,
            @Nullable String superPeerVolume,
            @Nullable String storageVolume,
            @Nullable String clusterId) {
        return new Existing(
                new Existing.Role(superPeers, superPeerVolume, TemplateHistory.NONE),
                new Existing.Role(storagePeers, storageVolume, TemplateHistory.NONE),
                null,
                Existing.Devices.UNKNOWN,
                clusterId);
    }

    /** A storage peer with a lease, of which nothing else is known. */
    public static ClusterView.StoragePeer storagePeer(int ordinal, String state, long lostBelow, String drain) {
        return new ClusterView.StoragePeer(
                "0x" + (8000 + 2 * ordinal),
                "social-storage-" + ordinal,
                state,
                1,
                drain.equals("done") ? 0 : 10,
                1000,
                4096,
                1 << 30,
                lostBelow,
                drain,
                0,
                drain.equals("done") ? 0 : 6,
                drain.equals("done") ? 0L : 1L,
                0);
    }

    /** Zones that have all their copies. */
    public static ClusterView.Zones zonesInSync() {
        return new ClusterView.Zones(9, 0, 0, 0, List.of());
    }

    /** A ring of one super-peer, as a super-peer reports it. */
    public static ClusterView.Ring ring(boolean complete) {
        List<ClusterView.SuperPeer> members = complete
                ? List.of(new ClusterView.SuperPeer("0x0001", "social-super-peer-0", true, 2, "0x0001"))
                : List.of();
        return new ClusterView.Ring(7, members.size(), 1, complete, 1, complete, members, List.of(), null);
    }

    /** The plan of a resource when nothing exists yet. */
    public static ClusterPlan plan(String spec) {
        return plan(spec, Existing.NOTHING);
    }

    /** The plan of a resource. */
    public static ClusterPlan plan(String spec, Existing existing) {
        return new Planner(DEFAULTS).plan(granary("social", spec), existing);
    }
}
