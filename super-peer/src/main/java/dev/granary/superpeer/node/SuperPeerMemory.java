package dev.granary.superpeer.node;

import dev.granary.overlay.Ring;
import dev.granary.process.MemoryPlan;
import dev.granary.process.MemoryPlan.Area;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.process.MemoryPlan.Need;
import dev.granary.raft.RaftGroup;
import java.util.List;

/**
 * How much memory the parts of a super-peer may take that grow with what others send (SAFETY rule "budgets", ADR 0169,
 * ADR 0206).
 *
 * @param plan of the process
 */
public record SuperPeerMemory(MemoryPlan plan) {

    static final String INBOUND = "inbound-frames";
    static final String OUTBOUND = "outbound-frames";
    public static final String OWNER_WAITERS = "owner-waiters";
    static final String LOCK_WAITERS = "lock-waiters";
    public static final String COMMANDS = "commands";
    static final String RAFT_MESSAGES = "raft-messages";
    static final String ARC_STATE = "arc-state";
    static final String ARC_PARTS = "arc-parts";

    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;

    /** Bytes of one request whose answer is held back: the request, its places in tables, and a timer. */
    public static final long WAITER_BYTES = KIB;

    /** The most requests that wait for the next owner of a chunk, however much memory there is. */
    public static final int MAX_OWNER_WAITERS = 1 << 14;

    /** The most lock requests that wait. */
    static final int MAX_LOCK_WAITERS = 1 << 16;

    /** Bytes of one command that is under way, beside its encoding: an entry of a log and futures. */
    public static final long COMMAND_BYTES = KIB / 2;

    /** The most other super-peers, as a ring has at most nine. */
    public static final int OTHER_SUPER_PEERS = 8;

    /** The most bytes on their way to one super-peer. More would not make it faster. */
    public static final long MAX_BYTES_TO_ONE = 8 * MIB;

    /** How often a state is in memory: once itself, and once as the snapshot that its Raft group keeps. */
    public static final int STATE_AND_SNAPSHOT = 2;

    private static final long STATE_BYTES = 12 * MIB;
    private static final long MAX_STATE_BYTES = 48 * KIB * MIB;

    /**
     * A frame may be 16 MiB. Of the state's share an arc has a third, and so has what moves of one: hence their
     * weights.
     */
    private static final List<Need> NEEDS = List.of(
            new Need(INBOUND, Area.DIRECT, 1, 18 * MIB, 256 * MIB),
            new Need(OUTBOUND, Area.DIRECT, 1, 18 * MIB, 256 * MIB),
            new Need(OWNER_WAITERS, Area.HEAP, 1, MIB, MAX_OWNER_WAITERS * WAITER_BYTES),
            new Need(LOCK_WAITERS, Area.HEAP, 2, MIB, MAX_LOCK_WAITERS * WAITER_BYTES),
            new Need(COMMANDS, Area.HEAP, 2, MIB, 64 * MIB),
            new Need(
                    RAFT_MESSAGES,
                    Area.HEAP,
                    2,
                    (long) OTHER_SUPER_PEERS * RaftGroup.MAX_MESSAGE_BYTES,
                    OTHER_SUPER_PEERS * MAX_BYTES_TO_ONE),
            new Need(ARC_STATE, Area.HEAP, 3 * Ring.HOLDERS_PER_ARC, STATE_BYTES, MAX_STATE_BYTES),
            new Need(
                    ARC_PARTS,
                    Area.HEAP,
                    3,
                    STATE_BYTES / Ring.HOLDERS_PER_ARC,
                    MAX_STATE_BYTES / Ring.HOLDERS_PER_ARC));

    /**
     * Returns the plan of a process with this much memory.
     *
     * @throws dev.granary.process.MemoryPlanException when the memory is too small; says what to change
     */
    public static SuperPeerMemory of(Limits limits) {
        return new SuperPeerMemory(MemoryPlan.of(limits, NEEDS));
    }

    /** Returns a plan with all the memory that the parts ever need. */
    public static SuperPeerMemory ample() {
        return of(new Limits(1024 * MIB, 4096 * MIB));
    }

    /** Returns the bytes for all frames that are being received. */
    public long inboundBytes() {
        return plan.bytes(INBOUND);
    }

    /** Returns the bytes for all frames that are written and not sent. */
    public long outboundBytes() {
        return plan.bytes(OUTBOUND);
    }

    /**
     * Returns the bytes for one arc with its snapshot. The leader of the arc keeps to this limit for all super-peers
     * with a replica, each of which has this number of arcs at most.
     *
     * @param superPeers on the ring
     */
    public long arcBytes(int superPeers) {
        return plan.bytes(ARC_STATE) / Math.clamp(superPeers, 1, Ring.HOLDERS_PER_ARC);
    }
}
