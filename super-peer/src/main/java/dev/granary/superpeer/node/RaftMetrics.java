package dev.granary.superpeer.node;

import dev.granary.process.DurationHistogram;
import dev.granary.process.EnumCounters;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import java.util.function.ToLongFunction;

/** What a super-peer measures of the Raft groups in which it takes part. Thread-safe. */
public final class RaftMetrics extends Collector {

    /** From 100 microseconds to 26 seconds. */
    private static final long FIRST_NANOS = 100_000;

    private static final int BOUNDS = 10;

    private final EnumCounters<Group> elections;
    private final EnumCounters<Group> commands;
    private final EnumCounters<Group> taken;
    private final EnumCounters<Group> installed;
    private final DurationHistogram commitSeconds;
    private volatile List<Look> looks = List.of();

    /** What a group replicates. */
    public enum Group {
        RING,
        ARC;

        /** Returns what the group with this number replicates. */
        public static Group of(long group) {
            return group == GroupId.RING ? RING : ARC;
        }
    }

    /** What this super-peer is in a group. */
    public enum Role {
        /** It leads, and has the whole state. */
        LEADER,
        /** Another super-peer leads. */
        FOLLOWER,
        /** Nobody leads yet, as far as is known here. */
        LEADERLESS
    }

    /** A group at a moment. */
    public record Look(Group group, Role role, long logBytes, long snapshotBytes) {}

    RaftMetrics(CollectorRegistry registry) {
        elections = counters(
                registry,
                "granary_superpeer_raft_leader_changes",
                "Times that a Raft group had a leader in a new term, as this super-peer saw it.");
        commands = counters(
                registry,
                "granary_superpeer_raft_commands",
                "Commands that this super-peer has applied to replicated states.");
        taken = counters(
                registry,
                "granary_superpeer_raft_snapshots",
                "Snapshots that this super-peer has taken of replicated states.");
        installed = counters(
                registry,
                "granary_superpeer_raft_snapshots_installed",
                "Snapshots that became replicated states here: this super-peer's own at a start, and those of leaders.");
        commitSeconds = DurationHistogram.register(
                registry,
                "granary_superpeer_raft_commit_seconds",
                "Time from when this super-peer, as a leader, proposed a command until it was committed and applied.",
                FIRST_NANOS,
                BOUNDS);
        register(registry);
    }

    private static EnumCounters<Group> counters(CollectorRegistry registry, String name, String help) {
        return EnumCounters.register(registry, name, help, "group", Group.class);
    }

    /** A group had a leader in a new term. */
    public void hasLeader(Group group) {
        elections.add(group, 1);
    }

    public void applied(Group group) {
        commands.add(group, 1);
    }

    public void tookSnapshot(Group group) {
        taken.add(group, 1);
    }

    public void installedSnapshot(Group group) {
        installed.add(group, 1);
    }

    /** A command was committed and applied this long after it was proposed. */
    public void committed(long nanos) {
        commitSeconds.record(nanos);
    }

    /** Shows the groups as they are now. */
    public void show(List<Look> now) {
        looks = now;
    }

    @Override
    public List<MetricFamilySamples> collect() {
        List<Look> now = looks;
        GaugeMetricFamily groups = new GaugeMetricFamily(
                "granary_superpeer_raft_groups",
                "Raft groups in which this super-peer takes part, by what it is in them; nobody leads leaderless ones.",
                List.of("group", "role"));
        for (Group group : Group.values()) {
            for (Role role : Role.values()) {
                long count = now.stream()
                        .filter(look -> look.group == group && look.role == role)
                        .count();
                groups.addMetric(List.of(EnumCounters.labelOf(group), EnumCounters.labelOf(role)), (double) count);
            }
        }
        return List.of(
                groups,
                bytes(
                        now,
                        "granary_superpeer_raft_log_bytes",
                        "Bytes of Raft logs on the disk of this super-peer, beside snapshots.",
                        Look::logBytes),
                bytes(
                        now,
                        "granary_superpeer_raft_snapshot_bytes",
                        "Bytes of the last snapshots of this super-peer's replicated states.",
                        Look::snapshotBytes));
    }

    private static MetricFamilySamples bytes(List<Look> now, String name, String help, ToLongFunction<Look> value) {
        GaugeMetricFamily family = new GaugeMetricFamily(name, help, List.of("group"));
        for (Group group : Group.values()) {
            long bytes = now.stream()
                    .filter(look -> look.group == group)
                    .mapToLong(value)
                    .sum();
            family.addMetric(List.of(EnumCounters.labelOf(group)), (double) bytes);
        }
        return family;
    }
}
