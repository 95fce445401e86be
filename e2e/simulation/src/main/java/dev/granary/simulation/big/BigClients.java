package dev.granary.simulation.big;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.tree.RangeCache;
import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Clients that look up who owns chunks. Their caches and rings may be old; every answer is checked. */
final class BigClients {

    static final long ELECTION_NANOS = 500_000_000;

    private static final long TIMEOUT_NANOS = 500_000_000;
    private static final long RETRY_NANOS = 5_000_000;
    private static final long SHORTEST_WAY_NANOS = 100_000;
    private static final long MORE_NANOS = 200_000;
    private static final long CACHE_RANGES = 100_000;

    private final Simulation simulation;
    private final BigWorld world;
    private final RandomGenerator random;
    private final MessageSizes sizes;
    private final List<Client> clients;
    private long lookups;
    private long inCache;
    private long oneRoundTrip;
    private long redirects;
    private long retries;
    private long timeouts;
    private long moved;
    private long unanswered;
    private long longestNanos;

    /** A client: its cache and the ring that it knows. */
    private static final class Client {
        private final RangeCache cache = new RangeCache(CACHE_RANGES);
        private RingView ring;

        Client(RingView ring) {
            this.ring = ring;
        }
    }

    /** A lookup in progress. */
    private static final class Ask {
        private final Client client;
        private final long cid;
        private final long beganNanos;
        private int holder;
        private int tries;

        Ask(Client client, long cid, long beganNanos) {
            this.client = client;
            this.cid = cid;
            this.beganNanos = beganNanos;
        }
    }

    BigClients(Simulation simulation, BigWorld world, MessageSizes sizes, int count) {
        this.simulation = simulation;
        this.world = world;
        this.sizes = sizes;
        this.random = simulation.random("clients");
        this.clients =
                Stream.generate(() -> new Client(world.ring())).limit(count).toList();
    }

    /** Lets a random client look up a random chunk. The client goes where its cache says. */
    void lookUp() {
        Client client = clients.get(random.nextInt(clients.size()));
        long cid = world.randomCid(random);
        lookups++;
        int cached = client.cache.ownerOf(cid);
        if (cached == world.ownerOf(cid)) {
            inCache++;
            return;
        }
        if (cached != Nid.NONE) {
            // The old owner answers that it is not the owner any more.
            moved++;
            client.cache.invalidate(cid);
        }
        unanswered++;
        ask(new Ask(client, cid, simulation.nowNanos()));
    }

    private void ask(Ask ask) {
        ask.tries++;
        int nid = Cid.nid(ask.cid);
        BigSuperPeer asked = world.superPeer(ask.client.ring.holder(nid, ask.holder));
        simulation.after(wayNanos(), "lookup", () -> arrive(ask, asked));
    }

    private void arrive(Ask ask, BigSuperPeer asked) {
        int nid = Cid.nid(ask.cid);
        if (!asked.isAlive()) {
            timeouts++;
            askNext(ask, TIMEOUT_NANOS);
            return;
        }
        asked.traffic.add(MessageKind.LOOKUP, 2, sizes.lookupBytes);
        BigSuperPeer servant = world.servant(nid, simulation.nowNanos(), ELECTION_NANOS);
        if (servant != asked) {
            redirect(ask, asked, servant == null);
            return;
        }
        if (world.superPeer(world.ring().ownerOf(nid)).isSealed(nid)) {
            retries++;
            simulation.after(RETRY_NANOS, "retry", () -> ask(ask));
            return;
        }
        Optional<CidRange> range = world.treeOf(nid).find(ask.cid);
        if (range.isEmpty() || range.get().placement().owner() != world.ownerOf(ask.cid)) {
            throw new BigViolation("super-peer " + Nid.toHex(asked.nid) + " says for " + Cid.toHex(ask.cid) + ": "
                    + range + ", its owner is " + Nid.toHex(world.ownerOf(ask.cid)));
        }
        simulation.after(wayNanos(), "answer", () -> answered(ask, range.get()));
    }

    /**
     * The asked super-peer does not answer for the arc. It sends a newer ring if there is one; otherwise the next
     * holder is asked, after a wait if nobody answers for the arc at present.
     */
    private void redirect(Ask ask, BigSuperPeer asked, boolean nobody) {
        boolean older = ask.client.ring.epoch() < world.ring().epoch();
        if (older) {
            redirects++;
            asked.traffic.add(
                    MessageKind.RING, 1, MessageSizes.ringBytes(world.ring().size()));
            ask.client.ring = world.ring();
            ask.holder = 0;
            simulation.after(wayNanos(), "redirect", () -> ask(ask));
        } else {
            askNext(ask, nobody ? RETRY_NANOS : 0);
        }
    }

    private void askNext(Ask ask, long waitNanos) {
        ask.holder = (ask.holder + 1) % RingView.HOLDERS;
        simulation.after(waitNanos, "next holder", () -> ask(ask));
    }

    private void answered(Ask ask, CidRange range) {
        unanswered--;
        ask.client.cache.put(range);
        oneRoundTrip += ask.tries == 1 ? 1 : 0;
        longestNanos = Math.max(longestNanos, simulation.nowNanos() - ask.beganNanos);
    }

    private long wayNanos() {
        return SHORTEST_WAY_NANOS + random.nextLong(MORE_NANOS);
    }

    long lookups() {
        return lookups;
    }

    long inCache() {
        return inCache;
    }

    /** Returns how many of the lookups that super-peers answered took one round trip. */
    long oneRoundTrip() {
        return oneRoundTrip;
    }

    long redirects() {
        return redirects;
    }

    /** Returns how often a super-peer answered "not now, the part is being moved". */
    long retries() {
        return retries;
    }

    /** Returns how many requests went to dead super-peers. */
    long timeouts() {
        return timeouts;
    }

    /** Returns how often a cache named a former owner. */
    long moved() {
        return moved;
    }

    long unanswered() {
        return unanswered;
    }

    long longestNanos() {
        return longestNanos;
    }
}
