package dev.granary.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The faults of a seed: one or two of each kind at random moments of the first {@value #BUSY_SECONDS} seconds, and a
 * reserve for each kind. Faults of the reserve are used afterwards one by one, as long as no fault of that kind has
 * taken effect.
 *
 * @param faults ordered by their moments
 * @param reserve ordered by their moments, which are later than those of all {@code faults}
 */
public record FaultSchedule(List<Fault> faults, List<Fault> reserve) {

    static final int BUSY_SECONDS = 16;
    static final long BUSY_NANOS = BUSY_SECONDS * 1_000_000_000L;
    static final int RESERVE_PER_KIND = 30;
    static final int MOST_PER_KIND = 4;
    static final long RESERVE_STEP_NANOS = 2_000_000_000L;

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    /**
     * Leases allow clocks to differ by one percent; two clocks that drift by this in opposite directions stay within
     * it.
     */
    private static final long MAX_DRIFT_PPM = 4_000;

    /** Returns as many faults of each kind as wanted, at most {@value #MOST_PER_KIND}, and no reserve. */
    static FaultSchedule of(long seed, Map<FaultKind, Integer> counts, ClusterShape shape) {
        List<Fault> faults = new ArrayList<>();
        int id = 1;
        for (FaultKind kind : FaultKind.values()) {
            RandomGenerator random = randomOf(seed, kind);
            for (int i = 0; i < MOST_PER_KIND; i++, id++) {
                long atNanos = random.nextLong(200 * MILLI, BUSY_NANOS);
                String superPeer = "super-" + random.nextInt(shape.superPeers());
                String peer = "storage-" + random.nextInt(shape.storagePeers());
                Fault fault = make(id, kind, atNanos, superPeer, peer, random, shape);
                if (i < counts.getOrDefault(kind, 0)) {
                    faults.add(fault);
                }
            }
        }
        faults.sort(Comparator.comparingLong(Fault::atNanos).thenComparingInt(Fault::id));
        return new FaultSchedule(List.copyOf(faults), List.of());
    }

    /** Each kind has random numbers of its own, so that leaving one kind out does not change the others. */
    private static RandomGenerator randomOf(long seed, FaultKind kind) {
        return new SplittableRandom(
                seed * 0x9E3779B97F4A7C15L + List.of(FaultKind.values()).indexOf(kind));
    }

    /** Returns the schedule of a seed, for a cluster of this shape. */
    public static FaultSchedule of(long seed, Set<FaultKind> kinds, ClusterShape shape) {
        List<Fault> faults = new ArrayList<>();
        List<Fault> reserve = new ArrayList<>();
        int id = 1;
        for (FaultKind kind : FaultKind.values()) {
            RandomGenerator random = randomOf(seed, kind);
            for (int i = 0; i < 2 + RESERVE_PER_KIND; i++, id++) {
                boolean second = i == 1;
                long atNanos = i < 2
                        ? random.nextLong(200 * MILLI, BUSY_NANOS)
                        : BUSY_NANOS + (i - 2) * RESERVE_STEP_NANOS + random.nextLong(SECOND);
                // Not every super-peer has something to write: the reserve tries one after the other.
                String superPeer = "super-" + (i < 2 ? random.nextInt(shape.superPeers()) : i % shape.superPeers());
                String peer = "storage-" + (i < 2 ? random.nextInt(shape.storagePeers()) : i % shape.storagePeers());
                Fault fault = make(id, kind, atNanos, superPeer, peer, random, shape);
                boolean wanted = kinds.contains(kind) && !(second && (kind.isSingle() || random.nextBoolean()));
                if (wanted) {
                    (i < 2 ? faults : reserve).add(fault);
                }
            }
        }
        faults.sort(Comparator.comparingLong(Fault::atNanos).thenComparingInt(Fault::id));
        reserve.sort(Comparator.comparingLong(Fault::atNanos).thenComparingInt(Fault::id));
        return new FaultSchedule(List.copyOf(faults), List.copyOf(reserve));
    }

    private static Fault make(
            int id,
            FaultKind kind,
            long atNanos,
            String superPeer,
            String peer,
            RandomGenerator random,
            ClusterShape shape) {
        String client = "client-" + random.nextInt(shape.clients());
        String any =
                switch (random.nextInt(5)) {
                    case 0, 1 -> peer;
                    case 2, 3 -> superPeer;
                    default -> client;
                };
        long downNanos = random.nextBoolean() ? random.nextLong(20 * MILLI) : random.nextLong(2 * SECOND);
        long whileNanos = random.nextLong(100 * MILLI, 3 * SECOND);
        return switch (kind) {
            case LOSS, DELAY, REORDER -> new Fault(id, kind, atNanos, whileNanos, "all", "", 0);
            case PARTITION, ONE_WAY_PARTITION ->
                link(id, kind, atNanos, whileNanos, random, List.of(peer, superPeer, client));
            case CRASH_PEER, POWER_OFF_PEER, LOST_DISK -> new Fault(id, kind, atNanos, downNanos, peer, "", 0);
            case CRASH_SUPER_PEER, POWER_OFF_SUPER_PEER -> new Fault(id, kind, atNanos, downNanos, superPeer, "", 0);
            // Super-peers write when a storage peer restarts, so the fault restarts one.
            case TORN_WRITE -> new Fault(id, kind, atNanos, downNanos, superPeer, peer, 0);
            case RESTART_IN_LEASE -> new Fault(id, kind, atNanos, random.nextLong(20 * MILLI), peer, "", 0);
            case PAUSE -> new Fault(id, kind, atNanos, random.nextLong(5 * MILLI, 3 * SECOND), any, "", 0);
            case PAUSE_IN_TASK ->
                new Fault(id, kind, atNanos, random.nextLong(5 * MILLI, 3 * SECOND), any, "", random.nextInt(1, 6));
            case CLOCK_DRIFT ->
                new Fault(id, kind, atNanos, 0, any, "", random.nextLong(-MAX_DRIFT_PPM, MAX_DRIFT_PPM + 1));
            case FAILED_SYNC -> new Fault(id, kind, atNanos, 0, superPeer, peer, random.nextInt(2));
            case MIGRATE_RANGE, MIGRATE_CHUNK -> new Fault(id, kind, atNanos, 0, "", peer, random.nextInt(1 << 20));
            case MUTE_MIGRATION -> new Fault(id, kind, atNanos, whileNanos, "", peer, random.nextInt(1 << 20));
            case CRASH_MIGRATION_SOURCE, CRASH_MIGRATION_TARGET, CRASH_MIGRATION_SUPER_PEER ->
                new Fault(id, kind, atNanos, random.nextLong(30 * MILLI), "", peer, random.nextInt(1 << 20));
            case RESIZE_RING -> new Fault(id, kind, atNanos, whileNanos, "", "", random.nextInt(1 << 20));
            case LOST_SUPER_PEER -> new Fault(id, kind, atNanos, 0, superPeer, "", 0);
            case PARK -> new Fault(id, kind, atNanos, downNanos, "all", "", random.nextInt(1 << 20));
            case FAILED_ROUNDS ->
                new Fault(id, kind, atNanos, 0, random.nextBoolean() ? peer : superPeer, "", random.nextInt(1, 30));
            case SUSPEND ->
                new Fault(
                        id,
                        kind,
                        atNanos,
                        random.nextLong(100 * MILLI, 5 * SECOND),
                        random.nextBoolean() ? peer : superPeer,
                        "",
                        0);
            case CRASH_WHILE_DEGRADED ->
                new Fault(id, kind, atNanos, downNanos, peer, another(peer, shape), random.nextLong(2 * SECOND));
            case CRASH_TWO_PEERS, CRASH_RECOVERER ->
                new Fault(id, kind, atNanos, downNanos, peer, another(peer, shape), random.nextLong(2 * SECOND));
            case CRASH_COORDINATOR -> new Fault(id, kind, atNanos, downNanos, peer, "", random.nextLong(2 * SECOND));
            case POWER_LOSS -> new Fault(id, kind, atNanos, downNanos, "all", "", 0);
            case FULL_DISK -> new Fault(id, kind, atNanos, whileNanos, peer, "", random.nextInt(4_096));
            // Backups write when an owner is replaced, so the fault replaces one.
            case FAILED_SYNC_PEER ->
                new Fault(id, kind, atNanos, whileNanos, peer, another(peer, shape), random.nextInt(3));
            case CRASH_ALL_PEERS -> new Fault(id, kind, atNanos, downNanos, "all", "", random.nextLong(3 * SECOND));
            case LATE_ANSWERS -> new Fault(id, kind, atNanos, downNanos, peer, "", random.nextInt(1 << 20));
            case PEER_PARTITION, SUPER_PEER_PARTITION -> {
                boolean storage = kind == FaultKind.PEER_PARTITION;
                String one = storage ? peer : superPeer;
                String other = anyOther(one, storage ? shape.storagePeers() : shape.superPeers(), random);
                yield new Fault(
                        id, kind, atNanos, random.nextLong(100 * MILLI, 5 * SECOND), one, other, random.nextInt(2));
            }
            case SLOW_DISK, SLOW_DISK_SUPER_PEER -> {
                String slow = kind == FaultKind.SLOW_DISK ? peer : superPeer;
                // Logarithmic: delays of tens of milliseconds are as likely as delays of seconds.
                long syncNanos = (long) (10 * MILLI * Math.pow(500, random.nextDouble()));
                yield new Fault(id, kind, atNanos, random.nextLong(SECOND, 6 * SECOND), slow, "", syncNanos);
            }
            case FAILED_READ ->
                new Fault(id, kind, atNanos, whileNanos, peer, another(peer, shape), random.nextInt(1, 100));
            case FLIPPED_BIT -> new Fault(id, kind, atNanos, 0, peer, another(peer, shape), random.nextInt(1 << 30));
            case FAILED_READ_SUPER_PEER ->
                new Fault(id, kind, atNanos, whileNanos, superPeer, "", random.nextInt(1, 100));
            case FULL_DISK_SUPER_PEER ->
                new Fault(id, kind, atNanos, whileNanos, superPeer, peer, random.nextInt(1_024));
            case DURABILITIES, LARGE_WORK ->
                new Fault(id, kind, atNanos, random.nextLong(2 * SECOND, 10 * SECOND), "all", "", 0);
            case FAILED_ALLOCATION ->
                new Fault(id, kind, atNanos, random.nextLong(SECOND, 6 * SECOND), peer, "", random.nextInt(1 << 20));
            case FAILED_BUFFERS ->
                new Fault(
                        id,
                        kind,
                        atNanos,
                        random.nextLong(100 * MILLI, 4 * SECOND),
                        random.nextBoolean() ? peer : superPeer,
                        "",
                        random.nextInt(1 << 20));
            case FAILED_STEPS ->
                new Fault(id, kind, atNanos, 0, random.nextBoolean() ? peer : superPeer, "", random.nextInt(1 << 20));
            case IMPOSTOR ->
                new Fault(id, kind, atNanos, random.nextLong(SECOND, 6 * SECOND), "all", "", random.nextInt(1 << 20));
            case BACKUP, RESTORE -> new Fault(id, kind, atNanos, 0, "all", "", random.nextInt(1 << 20));
            case DUPLICATE, RESET, STALLED_CONNECTION, LATE_RETRANSMISSION, HALF_OPEN_CONNECTION ->
                anyLink(
                        id,
                        kind,
                        atNanos,
                        random,
                        new ArrayList<>(List.of(
                                peer,
                                another(peer, shape),
                                superPeer,
                                following(superPeer, 1, shape.superPeers()),
                                client)));
            case LOST_RING, LOST_ARC -> new Fault(id, kind, atNanos, whileNanos, "all", "", random.nextInt(1 << 20));
            case DRAIN, SPREAD -> new Fault(id, kind, atNanos, whileNanos, peer, "", 0);
            case TWIN -> new Fault(id, kind, atNanos, random.nextLong(1_500 * MILLI, 4 * SECOND), peer, "", 0);
        };
    }

    private static String another(String peer, ClusterShape shape) {
        return following(peer, 1, shape.storagePeers());
    }

    /**
     * Returns another node of the same role; the same node if it is the only one. The role has {@code count} nodes.
     */
    private static String anyOther(String name, int count, RandomGenerator random) {
        return following(name, count == 1 ? 0 : random.nextInt(1, count), count);
    }

    private static String following(String name, int steps, int count) {
        int dash = name.indexOf('-');
        return name.substring(0, dash + 1) + (Integer.parseInt(name.substring(dash + 1)) + steps) % count;
    }

    /** Draws a link that is in use: every node talks to super-peers, and clients talk to storage peers. */
    private static Fault link(
            int id, FaultKind kind, long atNanos, long whileNanos, RandomGenerator random, List<String> ends) {
        int without = random.nextInt(3);
        List<String> pair = new ArrayList<>(ends);
        pair.remove(without);
        boolean turned = random.nextBoolean();
        return new Fault(id, kind, atNanos, whileNanos, pair.get(turned ? 1 : 0), pair.get(turned ? 0 : 1), 0);
    }

    /** Draws a link between any two of these nodes. The bits of its amount hold what each kind draws. */
    private static Fault anyLink(int id, FaultKind kind, long atNanos, RandomGenerator random, List<String> ends) {
        String one = ends.remove(random.nextInt(ends.size()));
        String other = ends.get(random.nextInt(ends.size()));
        return new Fault(
                id, kind, atNanos, random.nextLong(100 * MILLI, 5 * SECOND), one, other, random.nextInt(1 << 20));
    }
}
