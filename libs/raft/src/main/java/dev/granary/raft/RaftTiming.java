package dev.granary.raft;

/**
 * How fast a group notices that its leader is gone. A leader shows itself every heartbeat. A member looks once a
 * heartbeat, and asks for an election when it has not heard of the leader for {@value #SILENT_HEARTBEATS} of them. A
 * failed election is repeated after {@value #ELECTION_HEARTBEATS} heartbeats and up to
 * {@value #ELECTION_SPREAD_HEARTBEATS} more, by chance. A leader that no majority answers steps down after
 * {@value #QUORUM_HEARTBEATS} heartbeats (ADR 0372).
 *
 * @param heartbeatNanos 1 ms to 10 s
 */
public record RaftTiming(long heartbeatNanos) {

    static final int SILENT_HEARTBEATS = 5;
    static final int QUORUM_HEARTBEATS = 20;
    static final int ELECTION_HEARTBEATS = 2;
    static final int ELECTION_SPREAD_HEARTBEATS = 4;

    /** How many heartbeats fit into a lease: six until followers notice the silence, and an election or two. */
    private static final int HEARTBEATS_PER_LEASE = 20;

    private static final long MIN_NANOS = 1_000_000;
    private static final long MAX_NANOS = 10_000_000_000L;

    public RaftTiming {
        if (heartbeatNanos < MIN_NANOS || heartbeatNanos > MAX_NANOS) {
            throw new IllegalArgumentException("a heartbeat of " + heartbeatNanos + " ns is not in 1 ms to 10 s");
        }
    }

    /** The timing for groups that grant leases of this length: a change of leader takes less than half of it. */
    public static RaftTiming forLease(long leaseNanos) {
        return new RaftTiming(Math.clamp(leaseNanos / HEARTBEATS_PER_LEASE, MIN_NANOS, MAX_NANOS));
    }
}
