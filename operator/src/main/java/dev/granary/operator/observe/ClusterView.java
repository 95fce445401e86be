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
 * @param storagePeers every storage peer that was ever admitted
 * @param totals sums over the cluster
 * @param zones how well chunks are backed up, {@code null} when an older super-peer does not tell
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ClusterView(
        @Nullable String clusterId,
        Ring ring,
        List<StoragePeer> storagePeers,
        Totals totals,
        @Nullable Zones zones) {
    /** A super-peer that has no cluster yet says so with an empty id. */
    public ClusterView {
        if (clusterId != null && clusterId.isBlank()) {
            clusterId = null;
        }
    }

    /** The storage peer of a pod. */
    public Optional<StoragePeer> storagePeer(String pod) {
        return storagePeers.stream().filter(peer -> peer.name().equals(pod)).findFirst();
    }

    /**
     * The ring of super-peers.
     *
     * @param recommendedSize what the ring would choose itself
     * @param votersKnown whether the leaders of all groups have told who votes
     * @param superPeers its members
     * @param candidates super-peers that wait outside
     * @param operation what is under way
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
        /** What an older super-peer leaves out is empty. */
        public Ring {
            superPeers = superPeers == null ? List.of() : List.copyOf(superPeers);
            candidates = candidates == null ? List.of() : List.copyOf(candidates);
        }

        /** Those on the ring. */
        public List<SuperPeer> members() {
            return superPeers == null ? List.of() : superPeers;
        }

        /** Those on the ring and those that wait. */
        public List<SuperPeer> all() {
            return Stream.concat(members().stream(), candidates == null ? Stream.empty() : candidates.stream())
                    .toList();
        }

        /** Whether somebody is just being promoted or demoted. */
        public boolean isChanging() {
            return operation != null && operation.kind() != null;
        }

        /** Whether every arc is answered for. */
        public boolean isServed() {
            return !members().isEmpty() && unanswered().isEmpty();
        }

        /** Members for whose arcs nobody answers, by name; what their storage peers have is not in the view. */
        public List<String> unanswered() {
            return members().stream()
                    .filter(member ->
                            member.arcServedBy() == null || member.arcServedBy().isEmpty())
                    .map(SuperPeer::name)
                    .sorted()
                    .toList();
        }

        /** Whether nothing moves, and all members are there and answer for their arcs. */
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
     * @param votes groups in which it votes
     * @param arcServedBy who answers for its arc; empty when nobody does, {@code null} for a candidate
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
     * @param lostLidsBelow chunks with a LID below it were of an earlier start; 1 when there was none
     * @param drain {@code none}, {@code running} or {@code done}
     * @param usesPerSecond how often its chunks are used
     * @param copies copies of others' zones of which it is a member, as committed
     * @param zones zones that it owns, as committed; {@code null} when the super-peers do not tell
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
            @Nullable Long zones) {
        /** Whether it holds a lease. */
        public boolean live() {
            return state.equals("live");
        }

        /** Whether its memory is on its disk, and its place is kept until its process comes back. */
        public boolean parked() {
            return state.equals("parked");
        }

        /** Whether everything is leaving it or has left it. */
        public boolean leaving() {
            return drain != null && !drain.equals("none");
        }

        /**
         * Whether it is gone and missed no more: its lease has ended, and by what all arcs have committed it owns no
         * zone and is a member of none. True only of a view in which all arcs have told.
         */
        public boolean isReplaced() {
            return !live() && zones != null && zones == 0 && copies == 0;
        }

        /**
         * Whether it owns nothing, backs up nothing and takes nothing: by the committed plan of its arc, by the
         * committed members of all zones, and by its own last report.
         */
        public boolean isEmpty() {
            return "done".equals(drain) && copies == 0 && (!live() || chunks == 0);
        }
    }

    /**
     * Zones, the units of copying and recovery, by state.
     *
     * @param inSync have as many copies as they should
     * @param degraded have fewer
     * @param recovering are without an owner until a copy of theirs has been replayed
     * @param lost had no copy left
     * @param recoveries those that have not ended
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Zones(
            int inSync,
            int degraded,
            int recovering,
            int lost,
            @Nullable List<Recovery> recoveries) {
        /** What is left out is empty. */
        public Zones {
            recoveries = recoveries == null ? List.of() : List.copyOf(recoveries);
        }

        /** NIDs of storage peers that must answer before a recovery can go on, ascending. */
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
        /** What is left out is empty. */
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
