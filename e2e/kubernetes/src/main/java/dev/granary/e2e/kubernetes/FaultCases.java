package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Faults that nobody plans: processes are killed, nodes lose their power, and many of these happen one after the other.
 * Clients may wait, but nothing acknowledged may be lost. A case ends when all pods, peers and copies are there again.
 */
final class FaultCases {
    private static final int SUPER_PEERS = 3;
    private static final int STORAGE_PEERS = 3;

    /** The number of chunks beside those of the load. */
    private static final int CHUNKS = 1_000_000;

    /** The length of leases while these chunks are created. */
    private static final int FORMER_LEASE_SECONDS = 10;

    private static final int LEASE_SLACK_SECONDS = 5;

    /** How long the API server answers nobody: longer than nodes may be silent before they count as lost. */
    private static final int SILENCE_SECONDS = 60;

    private final Target target;
    private final SocialCluster social;
    private final Machines machines;
    private final DataSteps data;
    private boolean filled;

    FaultCases(Target target, DataSteps data) {
        this.target = target;
        this.social = new SocialCluster(target);
        this.machines = new Machines(target.options().nodeScripts());
        this.data = data;
    }

    /**
     * Prepares a cluster that can do without any one of its processes: three super-peers, short leases, a million
     * chunks. It creates the chunks before leases are short, because a crowded machine that creates a million chunks at
     * once stands still for more than a second now and then.
     */
    void prepare() throws Exception {
        machines.require();
        if (!filled) {
            social.patch("{\"spec\":{\"superPeers\":{\"min\":3},\"storagePeers\":{\"leaseSeconds\":%d}}}"
                    .formatted(FORMER_LEASE_SECONDS));
            social.whole(STORAGE_PEERS, SUPER_PEERS);
            data.create("million", CHUNKS);
            // Null takes the field away.
            social.patch("{\"spec\":{\"storagePeers\":{\"leaseSeconds\":%s}}}"
                    .formatted(target.options().leaseSeconds()));
            social.whole(STORAGE_PEERS, SUPER_PEERS);
            // A super-peer that has come to lead an arc waits for leases of the former length before it takes a peer
            // for dead.
            TimeUnit.SECONDS.sleep(FORMER_LEASE_SECONDS + LEASE_SLACK_SECONDS);
            filled = true;
        }
        social.whole(STORAGE_PEERS, SUPER_PEERS);
    }

    /**
     * Ends a storage peer of a cluster without preparation, with the chunks that it has: the shortest case whose
     * history is worth judging. Kills the process with {@code kill -9} where nodes are in reach, otherwise deletes the
     * pod.
     */
    String peerLost() throws Exception {
        JsonNode victim = social.running("storage").getLast();
        String name = SocialCluster.name(victim);
        int superPeers = social.resource().at("/status/ring/size").asInt();
        String how;
        if (machines.areInReach()) {
            long before = social.starts(name);
            machines.killProcess(victim);
            awaitRestart(victim);
            Target.await(name + " joins again", SocialCluster.LIMIT, () -> social.starts(name) > before);
            how = name + " was killed";
        } else {
            String uid = victim.at("/metadata/uid").asText();
            target.kubectl().run("delete", "pod", name, "-n", Target.NAMESPACE, "--wait=false");
            Target.await(name + " has a successor", SocialCluster.LIMIT, () -> social.running("storage").stream()
                    .anyMatch(pod -> SocialCluster.name(pod).equals(name)
                            && !pod.at("/metadata/uid").asText().equals(uid)));
            how = name + " was deleted";
        }
        social.whole(STORAGE_PEERS, superPeers);
        return how + ", and has come back";
    }

    /** Waits until the cluster is as wanted, without what {@link #prepare} adds. */
    void awaitStable() throws Exception {
        social.settled(STORAGE_PEERS);
    }

    /** {@code kill -9} of a storage peer. */
    String podKill() throws Exception {
        JsonNode victim = social.running("storage").getLast();
        String name = SocialCluster.name(victim);
        long before = social.starts(name);
        machines.killProcess(victim);
        awaitRestart(victim);
        Target.await(name + " joins again", SocialCluster.LIMIT, () -> social.starts(name) > before);
        awaitWhole();
        return name + " was killed, and has come back";
    }

    /** Waits until everything is there again, including the operator and the chunks that nobody changes. */
    private void awaitWhole() throws Exception {
        social.operated();
        social.whole(STORAGE_PEERS, SUPER_PEERS);
        JsonNode view = social.view();
        Check.that(view.at("/zones/lost").asInt() == 0, "zones are lost: %s", view.path("zones"));
        // Storage peers report their counts with their heartbeats.
        Target.await(
                CHUNKS + " chunks are there",
                Duration.ofSeconds(30),
                () -> social.view().at("/totals/chunks").asLong() >= CHUNKS);
    }

    /** Cuts a node's power, and boots it again when others have taken over what it had. */
    String nodeLoss() throws Exception {
        String node = loseNode();
        machines.powerOn(node);
        awaitWhole();
        return node + " lost its power, and has come back";
    }

    /** Kills a storage peer while there is no operator: its zones are still recovered, and it joins again. */
    String operatorAway() throws Exception {
        social.operators(0);
        String seen;
        try {
            JsonNode victim = social.running("storage").getFirst();
            machines.killProcess(victim);
            awaitRestart(victim);
            Target.await(
                    "all storage peers and copies are there again",
                    SocialCluster.LIMIT,
                    () -> SocialCluster.isWhole(social.view(), STORAGE_PEERS, SUPER_PEERS));
            seen = SocialCluster.name(victim) + " was killed, and was back before there was an operator";
        } finally {
            social.operators(1);
        }
        awaitWhole();
        return seen;
    }

    /** Kills a storage peer while the API server answers nobody: its zones are still recovered. */
    String apiServerAway() throws Exception {
        JsonNode victim = social.running("storage").getLast();
        String name = SocialCluster.name(victim);
        long before = social.starts(name);
        machines.stopApiServer();
        try {
            TimeUnit.SECONDS.sleep(SILENCE_SECONDS / 2);
            machines.killProcess(victim);
            TimeUnit.SECONDS.sleep(SILENCE_SECONDS / 2);
        } finally {
            machines.continueApiServer();
        }
        Target.await(name + " joins again", SocialCluster.LIMIT, () -> social.starts(name) > before);
        awaitWhole();
        return "nobody had an answer from the API server for " + SILENCE_SECONDS + " s, in which " + name
                + " was killed";
    }

    /** Scales the StatefulSet by hand, past the operator. */
    String handEdit() throws Exception {
        target.kubectl().run("scale", "statefulset/social-storage", "-n", Target.NAMESPACE, "--replicas=1");
        Target.await(
                "the operator has taken it back",
                SocialCluster.LIMIT,
                () -> target.get(Target.NAMESPACE, "statefulsets", "social-storage")
                                .at("/spec/replicas")
                                .asInt()
                        == STORAGE_PEERS);
        awaitWhole();
        return "the StatefulSet was scaled to one by hand, and the operator took it back";
    }

    /**
     * Powers a node off, then waits until the status says that something is missing, and after that that nothing is
     * unreachable any more.
     */
    private String loseNode() throws Exception {
        String node = expendableNode();
        machines.powerOff(node);
        Target.await(
                "the loss of " + node + " is seen",
                SocialCluster.LIMIT,
                () -> social.resource().at("/status/storagePeers/live").asInt() < STORAGE_PEERS);
        Target.await("others serve what was on " + node, SocialCluster.LIMIT, () -> {
            String reason = SocialCluster.condition(social.resource(), "Replicated", "reason");
            return !reason.isEmpty() && !reason.equals("Recovering");
        });
        return node;
    }

    /**
     * Returns the Kubernetes node that no case switches off: that of the cluster's DNS. A killed operator may start
     * again on any other node.
     */
    String steadyNode() throws Exception {
        return social.nodesOfDns().first();
    }

    /** Returns a node that has a storage peer and neither the operator, nor the load, nor the cluster's DNS. */
    private String expendableNode() throws Exception {
        SortedSet<String> nodes = new TreeSet<>();
        social.running("storage").forEach(pod -> nodes.add(SocialCluster.node(pod)));
        nodes.remove(SocialCluster.node(social.operatorPod()));
        nodes.removeAll(social.nodesOfDns());
        if (nodes.isEmpty()) {
            throw new Step.StepSkipped("every node with a storage peer runs the operator or the cluster's DNS");
        }
        return nodes.first();
    }

    private void awaitRestart(JsonNode pod) throws Exception {
        String name = SocialCluster.name(pod);
        int before = pod.at("/status/containerStatuses/0/restartCount").asInt();
        Target.await(
                name + " is restarted",
                SocialCluster.LIMIT,
                () -> target.get(Target.NAMESPACE, "pods", name)
                                .at("/status/containerStatuses/0/restartCount")
                                .asInt()
                        > before);
    }

    /** Makes one fault after the other, chosen by a seed; each begins when the cluster is whole again. */
    String chaos() throws Exception {
        long seed = target.options().seed();
        int cycles = target.options().cycles();
        SplittableRandom random = new SplittableRandom(seed);
        List<String> done = new ArrayList<>();
        for (int cycle = 1; cycle <= cycles; cycle++) {
            Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
            System.out.printf("cycle %d of %d, seed %d: %s%n", cycle, cycles, seed, fault);
            try {
                cause(fault, random);
                awaitWhole();
            } catch (AssertionError e) {
                throw new AssertionError("seed %d, cycle %d, %s after %s".formatted(seed, cycle, fault, done), e);
            }
            done.add(fault.toString());
        }
        return "seed %d, %d cycles: %s".formatted(seed, cycles, done);
    }

    private enum Fault {
        STORAGE_KILLED,
        SUPER_PEER_KILLED,
        OPERATOR_KILLED,
        POD_DELETED,
        NODE_LOST,
        SCALED,
        SCALED_AND_OPERATOR_KILLED
    }

    private void cause(Fault fault, SplittableRandom random) throws Exception {
        switch (fault) {
            case STORAGE_KILLED -> kill(any("storage", random));
            case SUPER_PEER_KILLED -> kill(any("super-peer", random));
            case OPERATOR_KILLED -> social.killOperator();
            case POD_DELETED ->
                target.kubectl()
                        .run("delete", "pod", SocialCluster.name(any("storage", random)), "-n", Target.NAMESPACE);
            case NODE_LOST -> machines.powerOn(loseNode());
            case SCALED -> {
                social.scale(STORAGE_PEERS + 1);
                social.settled(STORAGE_PEERS + 1);
                social.scale(STORAGE_PEERS);
            }
            case SCALED_AND_OPERATOR_KILLED -> {
                social.scale(STORAGE_PEERS + 1);
                social.settled(STORAGE_PEERS + 1);
                social.scale(STORAGE_PEERS);
                social.killOperator();
            }
        }
    }

    private JsonNode any(String role, SplittableRandom random) throws Exception {
        List<JsonNode> pods = social.running(role);
        return pods.get(random.nextInt(pods.size()));
    }

    private void kill(JsonNode pod) throws Exception {
        machines.killProcess(pod);
        awaitRestart(pod);
    }
}
