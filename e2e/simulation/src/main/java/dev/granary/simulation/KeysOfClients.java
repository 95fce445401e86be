package dev.granary.simulation;

import dev.granary.overlay.Cid;
import dev.granary.overlay.SlotGroup;
import dev.granary.simulation.KeyedPeer.Answer;
import dev.granary.testkit.KeyHistory.Call;
import dev.granary.testkit.Simulation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/**
 * What clients of the Redis protocol do in a run beside the others, and the check of what they saw: some clients, and
 * the keys of a few slot groups. About half of all seeds have them. The choices come from streams of their own, so that
 * the other choices of a seed are the same with and without them.
 */
final class KeysOfClients {

    private static final long LIMIT_NANOS = 60_000_000_000L;
    private static final int MOST_CLIENTS = 4;
    private static final int LEAST_GROUPS = 3;
    private static final int MOST_GROUPS = 6;
    private static final int LEAST_TAGS = 10;
    private static final int MOST_TAGS = 25;

    // Where keys are busy.
    private static final int FEW_TAGS = 4;
    private static final long SHORT_THINK_NANOS = 50_000_000;

    /** How often a read that was refused is sent again at the end. */
    private static final int TRIES = 3;

    private static final int SHOWN = 5;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final List<String> tags;
    private final List<KeyWorkload> workloads = new ArrayList<>();
    private final List<Call> reads = new ArrayList<>();

    /** Why nobody answers reads at the end. */
    private final Set<String> refusals = new TreeSet<>();

    /** Makes workloads that have not begun; none in a seed without them. */
    KeysOfClients(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        RandomGenerator random = simulation.random("keys");
        boolean chosen = random.nextBoolean();
        boolean wanted = cluster.shape().keys().orElse(chosen);
        boolean busy = cluster.shape().areKeysBusy();
        List<String> many = wanted ? tags(random) : List.of();
        this.tags = busy ? many.subList(0, FEW_TAGS) : many;
        int some = wanted ? 2 + random.nextInt(MOST_CLIENTS - 1) : 0;
        int clients = busy ? MOST_CLIENTS : some;
        long maxThinkNanos = busy ? SHORT_THINK_NANOS : KeyWorkload.USUAL_THINK_NANOS;
        for (int i = 0; i < clients; i++) {
            workloads.add(new KeyWorkload(cluster, "redis-" + i, tags, maxThinkNanos));
        }
    }

    /** Returns tags of as many slot groups as there are to be. */
    private static List<String> tags(RandomGenerator random) {
        int groups = random.nextInt(LEAST_GROUPS, MOST_GROUPS + 1);
        int count = random.nextInt(LEAST_TAGS, MOST_TAGS + 1);
        Set<Integer> chosen = new HashSet<>();
        List<String> tags = new ArrayList<>();
        for (int i = random.nextInt(1_000); tags.size() < count; i++) {
            int group = SlotGroup.ofKey(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
            if (chosen.size() < groups) {
                chosen.add(group);
            }
            if (chosen.contains(group)) {
                tags.add(Integer.toString(i));
            }
        }
        return tags;
    }

    /** Whether this seed has such clients. */
    boolean isWanted() {
        return !workloads.isEmpty();
    }

    void start() {
        workloads.forEach(KeyWorkload::start);
    }

    void stop() {
        workloads.forEach(KeyWorkload::stop);
    }

    boolean isIdle() {
        return workloads.stream().allMatch(KeyWorkload::isIdle);
    }

    /** Reads every key once nothing is broken any more, and checks everything that clients saw. */
    void readAndCheck(long driftPpm) {
        int[] left = new int[1];
        for (String tag : tags) {
            // The peer that owned the group is gone for ever, and nobody has a copy.
            if (cluster.isGone(Cid.firstOf(SlotGroup.nid(SlotGroup.ofKey(tag.getBytes(StandardCharsets.UTF_8)))))) {
                continue;
            }
            for (String key : KeyWorkload.keysOf(tag)) {
                left[0] += 2;
                read(tag, List.of("GET", key), TRIES, left);
                read(tag, List.of("HGET", key, "f0"), TRIES, left);
            }
        }
        if (!simulation.runUntil(() -> left[0] == 0, LIMIT_NANOS)) {
            throw new IllegalStateException("keys cannot be read although nothing is broken: " + left[0]
                    + " answers are missing, of " + reads.subList(0, Math.min(reads.size(), SHOWN))
                    + ", refused are " + refusals);
        }
        cluster.keyHistory().check(driftPpm);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows an answer does not fail
    private void read(String tag, List<String> command, int tries, int[] left) {
        List<StorageMachine> peers = cluster.storagePeers();
        StorageMachine peer = peers.get((tries + left[0]) % peers.size());
        Call call = cluster.keyHistory().begin("reader", tag, List.of(command));
        reads.add(call);
        CompletableFuture<Answer> sent = new KeyedPeer(peer).send(List.of(), List.of(command));
        sent.thenAccept(answer -> {
            if (answer.isDone()) {
                call.done(KeyReplies.of(answer.text()));
                reads.remove(call);
                left[0]--;
            } else if (tries > 1) {
                call.refused();
                reads.remove(call);
                read(tag, command, tries - 1, left);
            } else {
                refusals.add(answer.outcome() + " " + answer.text());
            }
        });
    }

    /** Returns counts of outcomes, so that a test sees that it tested something. */
    Map<String, Integer> outcomes() {
        Map<String, Integer> counts = new TreeMap<>();
        cluster.keyHistory().outcomes().forEach((name, count) -> counts.put("KEY " + name, count));
        return counts;
    }
}
