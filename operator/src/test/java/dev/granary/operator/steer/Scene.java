package dev.granary.operator.steer;

import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.observe.ClusterView.SuperPeer;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A cluster for decisions. Storage peer {@code i} has the NID {@code 0x10i0}, capacity 1000 and, unless changed, 10
 * chunks.
 */
final class Scene {
    static final Instant NOW = Instant.parse("2026-01-01T01:00:00Z");

    private final List<PodView> storagePods = new ArrayList<>();
    private final List<StoragePeer> peers = new ArrayList<>();
    private final List<PodView> superPods = new ArrayList<>();
    private final List<SuperPeer> members = new ArrayList<>();
    private final List<SuperPeer> candidates = new ArrayList<>();
    private int expectedSize = -1;
    private ClusterView.@Nullable Operation operation;

    static Scene of(int superPeers, int storagePeers) {
        Scene scene = new Scene();
        for (int i = 0; i < superPeers; i++) {
            scene.superPods.add(pod("social-super-peer-" + i, i));
            scene.members.add(superPeer(i, true, 2));
        }
        for (int i = 0; i < storagePeers; i++) {
            scene.storagePods.add(pod("social-storage-" + i, i));
            scene.peers.add(peer(i, "live", 10, 100, 200, "none"));
        }
        return scene;
    }

    static PodView pod(String name, int ordinal) {
        return new PodView(
                name,
                ordinal,
                "uid-" + name,
                true,
                NOW.minusSeconds(600),
                null,
                false,
                false,
                null,
                true,
                null,
                true,
                null);
    }

    static StoragePeer peer(int i, String state, long chunks, long payload, long used, String drain) {
        return new StoragePeer(
                nid(i),
                "social-storage-" + i,
                state,
                1,
                chunks,
                payload,
                used,
                1000,
                1,
                drain,
                0,
                0,
                chunks == 0 ? 0L : 1L);
    }

    /** A storage peer whose drain is done, with {@code copies} copies. */
    static StoragePeer emptied(int i, long copies) {
        return new StoragePeer(nid(i), "social-storage-" + i, "live", 1, 0, 0, 5, 1000, 1, "done", 0, copies, 0L);
    }

    /** A dead peer, with the committed numbers of zones that it owns and copies that it keeps. */
    static StoragePeer dead(int i, String drain, @Nullable Long zones, long copies) {
        return new StoragePeer(
                nid(i), "social-storage-" + i, "expired", 1, 9, 900, 950, 1000, 1, drain, 0, copies, zones);
    }

    static String nid(int i) {
        return "0x10" + i + "0";
    }

    static int nidNumber(int i) {
        return Integer.decode(nid(i));
    }

    static SuperPeer superPeer(int i, boolean reachable, int votes) {
        return new SuperPeer("0x00" + i + "1", "social-super-peer-" + i, reachable, votes, "0x00" + i + "1");
    }

    /** Sets the state of a storage peer's pod. */
    Scene storagePod(int i, Pod how) {
        storagePods.set(i, how.applyTo(storagePods.get(i)));
        return this;
    }

    Scene superPod(int i, Pod how) {
        superPods.set(i, how.applyTo(superPods.get(i)));
        return this;
    }

    Scene withoutStoragePod(int i) {
        storagePods.removeIf(pod -> pod.ordinal() == i);
        return this;
    }

    Scene withoutSuperPod(int i) {
        superPods.removeIf(pod -> pod.ordinal() == i);
        return this;
    }

    Scene withoutPeer(int i) {
        peers.removeIf(peer -> peer.nid().equals(nid(i)));
        return this;
    }

    Scene storagePeer(StoragePeer peer) {
        peers.replaceAll(old -> old.nid().equals(peer.nid()) ? peer : old);
        return this;
    }

    /** Makes a super-peer on the ring a ring candidate that votes in {@code votes} Raft groups. */
    Scene demoted(int i, int votes) {
        members.removeIf(member -> member.name().endsWith("-" + i));
        candidates.add(superPeer(i, true, votes));
        return this;
    }

    Scene unreachable(int i) {
        members.replaceAll(member -> member.name().endsWith("-" + i) ? superPeer(i, false, 2) : member);
        return this;
    }

    Scene expects(int size) {
        expectedSize = size;
        return this;
    }

    Scene changing() {
        operation = new ClusterView.Operation("promote", "0x0011");
        return this;
    }

    PodsView storagePods() {
        return new PodsView(List.copyOf(storagePods), List.of(), List.of(), false, true);
    }

    PodsView superPods() {
        return new PodsView(List.copyOf(superPods), List.of("10.0.0.1"), List.of(), false, true);
    }

    ClusterView view() {
        int expected = expectedSize < 0 ? members.size() : expectedSize;
        return new ClusterView(
                "id",
                new ClusterView.Ring(
                        7,
                        members.size(),
                        expected,
                        members.size() == expected,
                        1,
                        true,
                        members,
                        candidates,
                        operation),
                List.copyOf(peers),
                new ClusterView.Totals(members.size(), peers.size(), peers.size(), 9, 10, 100, 20, 120, 1000),
                new ClusterView.Zones(9, 0, 0, 0, List.of()));
    }

    /** The state of a pod. */
    enum Pod {
        OUTDATED,
        CORDONED,
        RELEASED,
        TERMINATING,
        FRESH,
        NOT_READY,
        NOT_READY_FOR_A_MOMENT,
        DEAD,
        PENDING,
        CAN_GROW,
        GROWS,
        GROWS_FOR_LONG;

        private PodView.@Nullable Growth growth() {
            return switch (this) {
                case CAN_GROW -> new PodView.Growth("3Gi", null);
                case GROWS -> new PodView.Growth("3Gi", NOW.minusSeconds(5));
                case GROWS_FOR_LONG -> new PodView.Growth("3Gi", NOW.minusSeconds(1000));
                default -> null;
            };
        }

        private PodView applyTo(PodView old) {
            boolean ready = old.ready()
                    && !Set.of(NOT_READY, NOT_READY_FOR_A_MOMENT, DEAD, PENDING).contains(this);
            Instant unreadySince =
                    switch (this) {
                        case NOT_READY_FOR_A_MOMENT -> NOW.minusSeconds(2);
                        case PENDING -> NOW.minusSeconds(100);
                        default -> old.readySince() == null ? old.unreadySince() : old.readySince();
                    };
            return new PodView(
                    old.name(),
                    old.ordinal(),
                    old.uid(),
                    ready,
                    !ready ? null : this == FRESH ? NOW.minusSeconds(1) : old.readySince(),
                    ready ? null : unreadySince,
                    old.terminating() || this == TERMINATING,
                    old.outdated() || this == OUTDATED || growth() != null,
                    growth() == null ? old.growth() : growth(),
                    old.guarded() && this != RELEASED,
                    this == CORDONED ? PodView.Leave.NODE_CORDONED : old.leave(),
                    old.running() && this != DEAD && this != PENDING,
                    switch (this) {
                        case DEAD -> new PodView.Problem("CrashLoopBackOff", false);
                        case PENDING -> new PodView.Problem("finds no node: Insufficient memory", true);
                        default -> old.problem();
                    });
        }
    }
}
