package dev.granary.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What can break. "Effect" in a comment says when a fault of this kind has taken effect; many take effect if the node
 * ran when the fault came.
 */
public enum FaultKind {
    /**
     * Frames of all links are lost and sent again, which holds up the frames behind them. Effect: a frame was lost.
     */
    LOSS,
    /** All links are slow. Effect: a frame took longer than any frame on a good network. */
    DELAY,
    /**
     * The latency of links differs so much from frame to frame that connections overtake each other. Effect: one did.
     */
    REORDER,
    /**
     * A node takes a request of another one, and their connection ends before the answer, so the request is sent again.
     * Effect: the request was taken.
     */
    DUPLICATE,
    /** Connections between two nodes end. Effect: there were connections. */
    RESET,
    /** Two nodes do not reach each other. Effect: a frame was held up. */
    PARTITION,
    /** One node does not reach the other, which reaches it. Effect: a frame was held up. */
    ONE_WAY_PARTITION,
    /** A storage peer is killed and comes back. Effect: the peer ran. */
    CRASH_PEER,
    /** A super-peer is killed and comes back. Effect: the super-peer ran. */
    CRASH_SUPER_PEER,
    /** A storage peer's machine loses its power and comes back. Effect: the peer ran. */
    POWER_OFF_PEER,
    /** A super-peer's machine loses its power and comes back. Effect: the super-peer ran. */
    POWER_OFF_SUPER_PEER,
    /** A storage peer is killed and comes back long before its lease ends. Effect: it held one. */
    RESTART_IN_LEASE,
    /** A node stands still for a while. Effect: the node ran. */
    PAUSE,
    /**
     * A node stands still between two steps of a task, after it has looked at its clock. Effect: the node stood still.
     */
    PAUSE_IN_TASK,
    /** A node's clock runs faster or slower, within what leases allow for. Effect: the node ran. */
    CLOCK_DRIFT,
    /**
     * A super-peer loses its power in the middle of a sync, which the restart of a storage peer causes: the disk
     * forgets or tears. Effect: the disk had bytes to lose.
     */
    TORN_WRITE,
    /** A sync of a super-peer's disk fails, which the restart of a storage peer causes. Effect: the sync failed. */
    FAILED_SYNC,
    /** A storage peer comes back with an empty disk, and its chunks are gone for good. Effect: the peer ran. */
    LOST_DISK,
    /**
     * A storage peer is cut off from the super-peers while a machine with a copy of its disk starts in its place, as
     * when a volume is taken away from a node that is not reachable. Effect: the peer ran.
     */
    TWIN,
    /** Many chunks are migrated to another storage peer. Effect: the migration was committed. */
    MIGRATE_RANGE,
    /** One chunk is migrated to another storage peer. Effect: the migration was committed. */
    MIGRATE_CHUNK,
    /** Chunks are migrated and their source is killed meanwhile. Effect: the source ran. */
    CRASH_MIGRATION_SOURCE,
    /** Chunks are migrated and their target is killed meanwhile. Effect: the target ran. */
    CRASH_MIGRATION_TARGET,
    /** Chunks are migrated and the super-peer of their arc is killed meanwhile. Effect: the super-peer ran. */
    CRASH_MIGRATION_SUPER_PEER,
    /** The ring of super-peers is asked to have another size. Effect: the ring got the size. */
    RESIZE_RING,
    /**
     * A super-peer of the ring dies with its disk, and a new one takes its place; once a seed. Effect: the super-peer
     * ran.
     */
    LOST_SUPER_PEER,
    /**
     * A rebalance plan takes all chunks from a storage peer, and may be aborted. Effect: there was something to move.
     */
    DRAIN,
    /**
     * A rebalance plan gives a storage peer its share of the chunks, and may be aborted. Effect: there was something to
     * move.
     */
    SPREAD,
    /** Two storage peers are killed at the same moment and come back. Effect: both ran. */
    CRASH_TWO_PEERS,
    /** A storage peer is killed, and another one while it may be recovering the first. Effect: both ran. */
    CRASH_RECOVERER,
    /** A storage peer is killed, and the super-peer that coordinates its recovery. Effect: both ran. */
    CRASH_COORDINATOR,
    /**
     * All super-peers and storage peers lose their power; storage peers come back under other addresses. Effect:
     * it was lost.
     */
    POWER_LOSS,
    /** A storage peer's disk is full for a while. Effect: a write was refused. */
    FULL_DISK,
    /** A sync of a storage peer's disk fails, which the restart of another one causes. Effect: the sync failed. */
    FAILED_SYNC_PEER,
    /**
     * All storage peers are killed, or lose their power, one after the other and faster than copies are made again,
     * while the super-peers live. Effect: all ran.
     */
    CRASH_ALL_PEERS,
    /**
     * All super-peers lose their disks at once, and a person asks to rebuild the ring from the reports of storage
     * peers; once a seed, with a ring of three. Effect: the ring was rebuilt and has its size again.
     */
    LOST_RING,
    /**
     * Two super-peers that follow each other on a ring of five lose their disks at once, so that arcs have no majority,
     * and a person asks to rebuild these arcs from the reports of storage peers; once a seed. Effect: the arcs were
     * rebuilt, and the ring has its size again.
     */
    LOST_ARC,
    /**
     * Many chunks are migrated to another storage peer while no answer of their creator reaches clients. So clients ask
     * the new owner about requests that the former one has carried out. Effect: the migration was committed, and an
     * answer was held up.
     */
    MUTE_MIGRATION,
    /**
     * Answers to a storage peer come late, those of each other node by another time, and meanwhile the peer is killed.
     * Effect: an answer was held up, and the peer ran.
     */
    LATE_ANSWERS,
    /** Two storage peers do not reach each other, or one does not reach the other. Effect: a frame was held up. */
    PEER_PARTITION,
    /** Two super-peers do not reach each other, or one does not reach the other. Effect: a frame was held up. */
    SUPER_PEER_PARTITION,
    /**
     * A storage peer's disk takes long to sync, from 10 ms to 5 s each time, for a while. Effect: a sync took long.
     */
    SLOW_DISK,
    /** A super-peer's disk takes long to sync, from 10 ms to 5 s each time, for a while. Effect: a sync took long. */
    SLOW_DISK_SUPER_PEER,
    /** Some reads of a storage peer's disk fail for a while, in which another one restarts. Effect: a read failed. */
    FAILED_READ,
    /** Some reads of a super-peer's disk fail for a while, in which the super-peer restarts. Effect: a read failed. */
    FAILED_READ_SUPER_PEER,
    /** A super-peer's disk is full for a while, in which a storage peer restarts. Effect: a write was refused. */
    FULL_DISK_SUPER_PEER,
    /**
     * What goes one way, or both, on one connection between two nodes is held up; others go on. Effect: a frame waited.
     */
    STALLED_CONNECTION,
    /**
     * Two nodes do not reach each other, or one does not reach the other, and afterwards what was sent on the
     * connections of that time comes late, after what was sent again on others. Effect: a frame was held up.
     */
    LATE_RETRANSMISSION,
    /** One end of a connection is gone, and the other one does not hear of it. Effect: there was one. */
    HALF_OPEN_CONNECTION,
    /** Clients ask for all levels of durability for a while. Effect: one asked for another one than the usual. */
    DURABILITIES,
    /** A storage peer is killed while copies are missing after another fault. Effect: the peer ran. */
    CRASH_WHILE_DEGRADED,
    /** A machine is suspended for a while: its clock counts that time, its timers do not. Effect: the node ran. */
    SUSPEND,
    /**
     * Some rounds of loops of a storage peer or a super-peer throw instead of doing their work. Effect: a round threw.
     */
    FAILED_ROUNDS,
    /**
     * All storage peers are parked while clients work, lose their power, and resume. Some are given up meanwhile, and
     * start with a new incarnation epoch. Effect: all were parked.
     */
    PARK,
    /**
     * A bit flips in a log that a storage peer keeps for others. Then this peer restarts, or one whose chunks it keeps;
     * once a seed. Effect: the file was read.
     */
    FLIPPED_BIT,
    /** Clients write large chunks, and read, write and delete in large batches, for a while. Effect: one did. */
    LARGE_WORK,
    /**
     * A storage peer finds no room in its chunk memory, or none at the moment, for some allocations. Effect: an
     * allocation was refused.
     */
    FAILED_ALLOCATION,
    /** Everything is read for a cluster backup while clients work. Effect: it was read to the end. */
    BACKUP,
    /**
     * Chunks of a cluster backup are laid down while clients work, which ask for them at once; once a seed. Effect: the
     * chunks were laid down.
     */
    RESTORE,
    /**
     * For a while some requests of a storage peer or a super-peer for network buffers fail. Code that does not deal
     * with this ends the process. Effect: a buffer was refused.
     */
    FAILED_BUFFERS,
    /**
     * Some steps of one-time work of a storage peer or a super-peer throw instead of doing their work. Effect: a step
     * threw.
     */
    FAILED_STEPS,
    /**
     * A node that does not belong to the cluster, or does in another role, asks nodes for what would end leases,
     * copies, votes or the cluster. Effect: something was refused.
     */
    IMPOSTOR;

    /**
     * Whether this kind is used only where chunks have copies. Most such kinds are about what storage peers write or
     * tell each other for copies, or about the copies that are left. {@link #PARK} must wait for its turn, which faults
     * take only where chunks have copies: nobody hibernates a cluster twice at once.
     */
    boolean needsCopies() {
        return switch (this) {
            case FULL_DISK,
                    FAILED_SYNC_PEER,
                    CRASH_ALL_PEERS,
                    LATE_ANSWERS,
                    PEER_PARTITION,
                    SLOW_DISK,
                    FAILED_READ,
                    PARK,
                    FLIPPED_BIT -> true;
            default -> false;
        };
    }

    /** Whether other faults wait long for the end of this one. Of the seeds whose faults wait, few have such a kind. */
    boolean takesLong() {
        return this == LOST_RING || this == LOST_ARC;
    }

    /** Whether faults of this kind make sense with a ring of {@code superPeers} super-peers. */
    boolean fits(int superPeers) {
        return switch (this) {
            case LOST_RING -> superPeers < RingLosses.LEAST_TO_LOSE_AN_ARC;
            case LOST_ARC -> superPeers >= RingLosses.LEAST_TO_LOSE_AN_ARC;
            default -> true;
        };
    }

    /**
     * Whether a storage peer is killed, loses its disk, or may lose its lease or the copies that it keeps. Such a fault
     * does not begin while chunks have fewer copies than wanted.
     */
    boolean mayEndStoragePeer() {
        return switch (this) {
            case PARTITION,
                    ONE_WAY_PARTITION,
                    PAUSE,
                    PAUSE_IN_TASK,
                    CRASH_PEER,
                    POWER_OFF_PEER,
                    RESTART_IN_LEASE,
                    TORN_WRITE,
                    FAILED_SYNC,
                    LOST_DISK,
                    TWIN,
                    CRASH_MIGRATION_SOURCE,
                    CRASH_MIGRATION_TARGET,
                    CRASH_TWO_PEERS,
                    CRASH_RECOVERER,
                    CRASH_COORDINATOR,
                    POWER_LOSS,
                    FAILED_SYNC_PEER,
                    CRASH_ALL_PEERS,
                    LATE_ANSWERS,
                    PEER_PARTITION,
                    SLOW_DISK,
                    FAILED_READ,
                    FULL_DISK_SUPER_PEER,
                    STALLED_CONNECTION,
                    LATE_RETRANSMISSION,
                    HALF_OPEN_CONNECTION,
                    CRASH_WHILE_DEGRADED,
                    SUSPEND,
                    FAILED_ROUNDS,
                    PARK,
                    FLIPPED_BIT,
                    FAILED_BUFFERS,
                    LOST_RING,
                    LOST_ARC -> true;
            default -> false;
        };
    }

    /**
     * Whether it comes at most once a seed, because its damage may be found much later or a cluster bears it only once.
     */
    boolean isSingle() {
        return this == FLIPPED_BIT || this == RESTORE;
    }

    /**
     * Returns how many copies of one chunk it may take, for the kinds that {@linkplain #mayEndStoragePeer take turns}.
     */
    int copiesTaken() {
        return switch (this) {
            case CRASH_TWO_PEERS, CRASH_RECOVERER, FAILED_SYNC_PEER, FAILED_READ, FLIPPED_BIT -> 2;
            case POWER_LOSS, CRASH_ALL_PEERS, PARK, LATE_ANSWERS, LOST_RING, LOST_ARC -> SimulatedCluster.COPIES;
            default -> 1;
        };
    }

    /** The name on the command line. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Reads names separated by commas; {@code all} stands for all kinds but those that lose the metadata (ADR 0133).
     *
     * @throws IllegalArgumentException when a name is unknown; the message lists the known names
     */
    public static Set<FaultKind> parse(String list) {
        List<FaultKind> kinds = new ArrayList<>();
        for (String name : list.split(",", -1)) {
            if (name.strip().equals("all")) {
                Arrays.stream(values()).filter(kind -> !kind.takesLong()).forEach(kinds::add);
                continue;
            }
            kinds.add(Arrays.stream(values())
                    .filter(kind -> kind.optionName().equals(name.strip()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "unknown fault '" + name.strip() + "'; there are: all, " + names())));
        }
        return Collections.unmodifiableSet(EnumSet.copyOf(kinds));
    }

    private static String names() {
        return Arrays.stream(values()).map(FaultKind::optionName).collect(Collectors.joining(", "));
    }
}
