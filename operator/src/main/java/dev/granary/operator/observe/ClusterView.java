package dev.granary.operator.observe;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The part of a super-peer's {@code /status} that the operator uses (docs/formats/status.md).
 * It describes the whole cluster.
 *
 * @param clusterId the cluster's id, {@code null} while there is no cluster yet
 * @param ring the ring
 * @param storagePeers all storage peers that were ever admitted
 * @param totals sums over the cluster
 * @param zones zones by the state of their copies, {@code null} when an older super-peer does not report them
 * @param version the version of the super-peer, {@code null} when it does not report it
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ClusterView(
        @Nullable String clusterId,
        Ring ring,
        List<StoragePeer> storagePeers,
        Totals totals,
        @Nullable Zones zones,
        @Nullable String version) {
    /** Makes a view without a version. */
    public ClusterView(
            @Nullable String clusterId,
            Ring ring,
            List<StoragePeer> storagePeers,
            Totals totals,
            @Nullable Zones zones) {
        this(clusterId, ring, storagePeers, totals, zones, null);
    }

    /** Replaces an empty id, which a super-peer without a cluster reports, by {@code null}. */
    public ClusterView {
        if (clusterId != null && clusterId.isBlank()) {
            clusterId = null;
        }
    }

    /** Returns the storage peer of a pod. */
    public Optional<StoragePeer> storagePeer(String pod) {
        return storagePeers.stream().filter(peer -> peer.name().equals(pod)).findFirst();
    }

    /**
     * The ring of super-peers.
     *
     * @param recommendedSize the size that the ring would choose itself
     * @param votersKnown whether the leaders of all Raft groups have reported their voters
     * @param superPeers the super-peers on the ring
     * @param candidates the ring candidates
     * @param operation the operation that is under way
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Ring(
            long epoch,
            int size,
            int expectedSize,
            boolean complete,
            int recommendedSize,
            boolean votersKnown,
            @Nullable List<SuperPeer> superPeers,
            @Nullable List<SuperPeer> candidates,
            @Nullable Operation operation) {
        /** Replaces what an older super-peer leaves out by empty values. */
        public Ring {
            superPeers = superPeers == null ? List.of() : List.copyOf(superPeers);
            candidates = candidates == null ? List.of() : List.copyOf(candidates);
        }

        /** Returns the super-peers on the ring. */
        public List<SuperPeer> members() {
            return superPeers == null ? List.of() : superPeers;
        }

        /** Returns the super-peers on the ring and the ring candidates. */
        public List<SuperPeer> all() {
            return Stream.concat(members().stream(), candidates == null ? Stream.empty() : candidates.stream())
                    .toList();
        }

        /** Whether a super-peer is being promoted or demoted. */
        public boolean isChanging() {
            return operation != null && operation.kind() != null;
        }

        /** Whether every arc is served. */
        public boolean isServed() {
            return !members().isEmpty() && unanswered().isEmpty();
        }

        /**
         * Returns the names of the super-peers whose arcs nobody serves. The view does not have the storage peers of
         * these arcs.
         */
        public List<String> unanswered() {
            return members().stream()
                    .filter(member ->
                            member.arcServedBy() == null || member.arcServedBy().isEmpty())
                    .map(SuperPeer::name)
                    .sorted()
                    .toList();
        }

        /** Whether no part of an arc moves, and all super-peers on the ring live and serve their arcs. */
        public boolean isSettled() {
            return complete
                    && !isChanging()
                    && votersKnown
                    && isServed()
                    && members().stream().allMatch(SuperPeer::reachable);
        }
    }

    /**
     * A super-peer.
     *
     * @param votes the number of Raft groups in which it votes
     * @param arcServedBy the super-peer that serves its arc; empty when none does, {@code null} for a ring candidate
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record SuperPeer(
            String nid,
            String name,
            boolean reachable,
            int votes,
            @Nullable String arcServedBy) {}

    /** A promotion or demotion that is under way; all {@code null} for none. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Operation(@Nullable String kind, @Nullable String nid) {}

    /**
     * One storage peer.
     *
     * @param state {@code live}, {@code parked} or {@code expired}
     * @param epoch one more with each start of its process
     * @param lostLidsBelow chunks with a LID below this belonged to an earlier start; 1 when there was none
     * @param drain {@code none}, {@code running} or {@code done}
     * @param usesPerSecond how often its chunks are used
     * @param copies copies of others' zones of which it is a member, as committed
     * @param zones zones that it owns, as committed; {@code null} when the super-peers do not report it
     * @param logBytes what the copies take on its disk
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record StoragePeer(
            String nid,
            String name,
            String state,
            long epoch,
            long chunks,
            long payloadBytes,
            long usedBytes,
            long capacityBytes,
            long lostLidsBelow,
            @Nullable String drain,
            long usesPerSecond,
            long copies,
            @Nullable Long zones,
            long logBytes) {
        /** Whether this peer holds a lease. */
        public boolean live() {
            return state.equals("live");
        }

        /**
         * Whether this peer is parked: its memory is on its disk, and nobody takes its place until its process comes
         * back.
         */
        public boolean parked() {
            return state.equals("parked");
        }

        /** Whether this peer is being drained or was drained. */
        public boolean leaving() {
            return drain != null && !drain.equals("none");
        }

        /**
         * Whether other storage peers have taken this peer's place: its lease has ended, and by what all arcs have
         * committed it owns no zone and is a member of none. True only in a view to which all arcs have reported.
         */
        public boolean isReplaced() {
            return !live() && zones != null && zones == 0 && copies == 0;
        }

        /**
         * Whether this peer owns nothing, keeps no copy and takes nothing: by the committed plan of its arc, by the
         * committed members of all zones, and by its own last report.
         */
        public boolean isEmpty() {
            return "done".equals(drain) && copies == 0 && (!live() || chunks == 0);
        }
    }

    /**
     * Zones, the units of copying and recovery, by state.
     *
     * @param inSync zones that have as many copies as they should
     * @param degraded zones that have fewer
     * @param recovering zones without an owner until one of their copies is replayed
     * @param lost zones of which no copy was left
     * @param recoveries the recoveries that have not ended
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Zones(
            int inSync,
            int degraded,
            int recovering,
            int lost,
            @Nullable List<Recovery> recoveries) {
        /** Replaces what is left out by empty values. */
        public Zones {
            recoveries = recoveries == null ? List.of() : List.copyOf(recoveries);
        }

        /** Returns the NIDs of the storage peers that must answer before a recovery can go on, ascending. */
        public List<String> waitsFor() {
            return recoveries == null
                    ? List.of()
                    : recoveries.stream()
                            .map(Recovery::waitingFor)
                            .flatMap(nids -> Stream.of(nids.split(" ")))
                            .filter(nid -> !nid.isEmpty())
                            .distinct()
                            .sorted()
                            .toList();
        }
    }

    /**
     * The recovery of a zone.
     *
     * @param waitingFor NIDs of members that must answer first, separated by blanks
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Recovery(String zone, String waitingFor) {
        /** Replaces what is left out by empty values. */
        public Recovery {
            waitingFor = waitingFor == null ? "" : waitingFor;
        }
    }

    /** Sums over the cluster. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Totals(
            int superPeers,
            int storagePeers,
            int livePeers,
            long ranges,
            long chunks,
            long payloadBytes,
            long bookkeepingBytes,
            long usedBytes,
            long capacityBytes) {}
}
