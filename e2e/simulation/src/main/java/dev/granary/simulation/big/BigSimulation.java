package dev.granary.simulation.big;

import dev.granary.overlay.Nid;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Runs a big cluster on virtual time. In the first half three super-peers and a few storage peers grow to the sizes of
 * the plan: the ring promotes super-peers one by one as storage peers join. In the third quarter super-peers die and
 * come back; in the last quarter a tenth of them is demoted. All the time clients look up chunks, and zones change
 * owners. Every answer is checked, and in the end every range.
 */
public final class BigSimulation {

    private static final long SECOND = 1_000_000_000;
    private static final int FIRST_SUPER_PEERS = 3;
    private static final int SAMPLES = 16;
    private static final long RENEWAL_NANOS = SECOND / 3;
    private static final int HEARTBEATS_PER_SECOND = 10;
    private static final long LOOKUP_NANOS = SECOND / 5_000;
    private static final long MIGRATION_NANOS = SECOND / 100;
    private static final long DEATH_NANOS = 2 * SECOND;
    private static final long DEAD_NANOS = 3 * SECOND;
    private static final long CONTROL_NANOS = SECOND / 100;
    private static final double DEMOTED_SHARE = 0.1;

    private final BigPlan plan;
    private final Simulation simulation;
    private final RandomGenerator random;
    private final BigWorld world;
    private final RingOperations operations;
    private final MessageSizes sizes = new MessageSizes();
    private final BigClients clients;
    private final Consumer<BigSample> progress;
    private final long[] ringEpochOfPeer;
    private final List<BigSample> samples = new ArrayList<>();
    private final Map<Integer, Long> messagesBefore = new LinkedHashMap<>();
    private long sampledNanos;
    private long deaths;

    private BigSimulation(BigPlan plan, Consumer<BigSample> progress) {
        this.plan = plan;
        this.progress = progress;
        simulation = new Simulation(plan.seed());
        random = simulation.random("cluster");
        world = new BigWorld(
                plan,
                simulation.random("zones"),
                IntStream.range(0, FIRST_SUPER_PEERS)
                        .mapToObj(Nid::superPeerNid)
                        .toList());
        operations = new RingOperations(simulation, world, FIRST_SUPER_PEERS);
        clients = new BigClients(simulation, world, sizes, plan.clients());
        ringEpochOfPeer = new long[plan.storagePeers() + 1];
    }

    /**
     * Runs a plan. The same plan has the same result.
     *
     * @param progress gets each sample as it is taken
     */
    public static BigResult run(BigPlan plan, Consumer<BigSample> progress) {
        BigSimulation run = new BigSimulation(plan, progress);
        Optional<String> violation = Optional.empty();
        try {
            run.run();
        } catch (RuntimeException problem) {
            violation = Optional.of(String.valueOf(problem.getMessage()));
        }
        return run.result(violation);
    }

    private void run() {
        long endNanos = plan.virtualSeconds() * SECOND;
        for (int i = 0; i < FIRST_SUPER_PEERS; i++) {
            join();
        }
        every(CONTROL_NANOS, "control", this::control);
        every(LOOKUP_NANOS, "lookup begins", clients::lookUp);
        every(MIGRATION_NANOS, "migration", () -> world.migrate(world.randomZone(random)));
        every(SECOND, "heartbeats", this::heartbeats);
        every(DEATH_NANOS, "death", this::killOne);
        for (int i = 0; i < SAMPLES; i++) {
            simulation.runFor(endNanos / SAMPLES);
            sample();
        }
        requireAll();
    }

    private void requireAll() {
        world.verify();
        require(world.peers() == plan.storagePeers(), "only " + world.peers() + " storage peers have joined");
        require(
                operations.promotions() >= plan.superPeers() - FIRST_SUPER_PEERS,
                "only " + operations.promotions() + " super-peers were promoted: the ring is too slow to promote all");
        require(
                world.ring().size() == plan.superPeers() - toDemote(),
                "the ring has " + world.ring().size() + " members in the end");
        require(clients.longestNanos() < 2 * SECOND, "a lookup took " + clients.longestNanos() / 1e9 + " s");
        require(clients.unanswered() <= plan.clients(), clients.unanswered() + " lookups were not answered");
    }

    private static void require(boolean condition, String problem) {
        if (!condition) {
            throw new BigViolation(problem);
        }
    }

    /** Lets storage peers join as time goes on; the ring follows with super-peers. */
    private void control() {
        double passed = passed();
        int peersWanted = (int) Math.min(plan.storagePeers(), plan.storagePeers() * passed / 0.45);
        while (world.peers() < peersWanted && join()) {
            // Storage peers join one after the other; join() is false when it has to wait.
        }
        if (operations.isBusy()) {
            return;
        }
        int full = (int) Math.ceil((double) world.peers() * plan.superPeers() / plan.storagePeers());
        int superPeersWanted = passed < 0.75 ? Math.min(full, plan.superPeers()) : plan.superPeers() - toDemote();
        if (world.ring().size() < superPeersWanted) {
            operations.promote();
        } else if (passed >= 0.75 && world.ring().size() > superPeersWanted) {
            operations.demote();
        }
    }

    private int toDemote() {
        return Math.min((int) (plan.superPeers() * DEMOTED_SHARE), plan.superPeers() - FIRST_SUPER_PEERS);
    }

    /** Returns the share of the time that has passed. */
    private double passed() {
        return simulation.nowNanos() / (plan.virtualSeconds() * 1e9);
    }

    /** Lets the next storage peer join, unless its part of the ring is being moved. */
    private boolean join() {
        int peer = world.peers() + 1;
        int nid = Nid.storageNid(peer);
        if (world.superPeer(world.ring().ownerOf(nid)).isSealed(nid)) {
            return false;
        }
        world.join();
        ringEpochOfPeer[peer] = world.ring().epoch();
        simulation.after(random.nextLong(RENEWAL_NANOS), "first renewal", () -> renew(peer));
        return true;
    }

    private void renew(int peer) {
        BigSuperPeer servant = world.servant(Nid.storageNid(peer), simulation.nowNanos(), BigClients.ELECTION_NANOS);
        if (servant != null) {
            servant.traffic.add(MessageKind.RENEWAL, 2, sizes.renewalBytes);
            if (ringEpochOfPeer[peer] < world.ring().epoch()) {
                ringEpochOfPeer[peer] = world.ring().epoch();
                servant.traffic.add(
                        MessageKind.RING, 2, MessageSizes.ringBytes(world.ring().size()));
            }
        }
        simulation.after(RENEWAL_NANOS, "renewal", () -> renew(peer));
    }

    /** Counts the heartbeats from the leader of each arc to its two followers. */
    private void heartbeats() {
        for (BigSuperPeer member : world.members()) {
            for (int i = 1; i < RingView.HOLDERS; i++) {
                BigSuperPeer follower = world.superPeer(world.ring().holder(member.nid, i));
                long bytes = (long) HEARTBEATS_PER_SECOND * MessageSizes.RAFT_HEARTBEAT_BYTES;
                member.traffic.add(MessageKind.RAFT, 2 * HEARTBEATS_PER_SECOND, bytes);
                follower.traffic.add(MessageKind.RAFT, 2 * HEARTBEATS_PER_SECOND, bytes);
            }
        }
    }

    /** In the third quarter kills a super-peer, which comes back. */
    private void killOne() {
        if (passed() < 0.5 || passed() >= 0.75) {
            return;
        }
        List<BigSuperPeer> members = world.members();
        BigSuperPeer victim = members.get(random.nextInt(members.size()));
        if (members.stream().allMatch(BigSuperPeer::isAlive)) {
            deaths++;
            victim.die(simulation.nowNanos());
            simulation.after(DEAD_NANOS, "back", victim::comeBack);
        }
    }

    private void every(long nanos, String what, Runnable action) {
        simulation.after(nanos, what, () -> {
            action.run();
            every(nanos, what, action);
        });
    }

    private void sample() {
        double seconds = (simulation.nowNanos() - sampledNanos) / 1e9;
        sampledNanos = simulation.nowNanos();
        List<Long> rates = new ArrayList<>();
        for (BigSuperPeer member : world.members()) {
            long messages = member.traffic.messages();
            Long before = messagesBefore.put(member.nid, messages);
            rates.add(Math.round((messages - (before == null ? 0 : before)) / seconds));
        }
        BigSample sample = new BigSample(
                simulation.nowNanos() / 1e9,
                world.ring().size(),
                world.peers(),
                world.ring().imbalance(),
                BigSample.Spread.of(world.members().stream()
                        .map(member -> member.tree().rangeCount())
                        .toList()),
                BigSample.Spread.of(world.metadataBytes().values()),
                BigSample.Spread.of(rates));
        samples.add(sample);
        progress.accept(sample);
    }

    private BigResult result(Optional<String> violation) {
        Traffic all = new Traffic();
        world.members().forEach(member -> all.add(member.traffic));
        Map<String, Long> messages = new LinkedHashMap<>();
        Map<String, Long> bytes = new LinkedHashMap<>();
        for (MessageKind kind : MessageKind.values()) {
            messages.put(kind.label(), all.messages(kind));
            bytes.put(kind.label(), all.bytes(kind));
        }
        return new BigResult(
                plan,
                List.copyOf(samples),
                counts(),
                messages,
                bytes,
                simulation.events(),
                simulation.traceHash(),
                violation);
    }

    private Map<String, Long> counts() {
        Map<String, LongSupplier> sources = new LinkedHashMap<>();
        sources.put("lookups", clients::lookups);
        sources.put("answeredByCache", clients::inCache);
        sources.put("answeredInOneRoundTrip", clients::oneRoundTrip);
        sources.put("redirects", clients::redirects);
        sources.put("retriesWhileSealed", clients::retries);
        sources.put("askedTheDead", clients::timeouts);
        sources.put("cachedOwnerHadChanged", clients::moved);
        sources.put("longestLookupMicros", () -> clients.longestNanos() / 1_000);
        sources.put("promotions", operations::promotions);
        sources.put("demotions", operations::demotions);
        sources.put("movedRanges", operations::movedRanges);
        sources.put("longestRingOperationMicros", () -> operations.longestNanos() / 1_000);
        sources.put("deaths", () -> deaths);
        Map<String, Long> counts = new LinkedHashMap<>();
        sources.forEach((name, source) -> counts.put(name, source.getAsLong()));
        return counts;
    }
}
