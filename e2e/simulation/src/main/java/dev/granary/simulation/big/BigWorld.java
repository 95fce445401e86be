package dev.granary.simulation.big;

import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.tree.CidTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All super-peers, the ring, and the truth: which storage peer owns which zone at which epoch.
 *
 * <p>Invariants, checked by {@link #verify}: every zone of every storage peer that has joined lies in the CID-tree of
 * the super-peer whose arc holds its creator, with the true owner and epoch, and in no other;
 * the largest arc is at most twice the smallest.
 */
final class BigWorld {

    private static final double MOST_IMBALANCE = 2;

    private final BigPlan plan;
    private final RandomGenerator random;
    private final TreeMap<Integer, BigSuperPeer> superPeers = new TreeMap<>();
    private final int[] ownerOfZone;
    private final int[] epochOfZone;
    private RingView ring;
    private int peers;

    BigWorld(BigPlan plan, RandomGenerator random, List<Integer> firstSuperPeers) {
        this.plan = plan;
        this.random = random;
        ring = new RingView(1, firstSuperPeers);
        firstSuperPeers.forEach(nid -> superPeers.put(nid, new BigSuperPeer(nid)));
        ownerOfZone = new int[plan.storagePeers() * plan.zonesPerPeer()];
        epochOfZone = new int[ownerOfZone.length];
    }

    RingView ring() {
        return ring;
    }

    void setRing(RingView next) {
        ring = next;
        if (ring.imbalance() > MOST_IMBALANCE) {
            throw new BigViolation("the largest of " + ring.size() + " arcs is " + ring.imbalance()
                    + " times as large as the smallest");
        }
    }

    /** Returns how many storage peers have joined: those with the lowest numbers. */
    int peers() {
        return peers;
    }

    BigSuperPeer superPeer(int nid) {
        return Objects.requireNonNull(superPeers.get(nid), () -> "no super-peer " + Nid.toHex(nid));
    }

    /** Adds a super-peer process outside the ring. */
    BigSuperPeer addCandidate(int nid) {
        return superPeers.computeIfAbsent(nid, BigSuperPeer::new);
    }

    /** Returns all super-peers on the ring. */
    List<BigSuperPeer> members() {
        return ring.nids().stream().map(this::superPeer).toList();
    }

    /**
     * Returns the super-peer that answers for the arc of a NID: the owner of the arc, or after an election the next one
     * that lives; null when none does.
     */
    @Nullable
    BigSuperPeer servant(int nid, long nowNanos, long electionNanos) {
        BigSuperPeer owner = superPeer(ring.ownerOf(nid));
        if (owner.isAlive()) {
            return owner;
        }
        if (!owner.isReplaced(nowNanos, electionNanos)) {
            return null;
        }
        for (int i = 1; i < RingView.HOLDERS; i++) {
            BigSuperPeer next = superPeer(ring.holder(nid, i));
            if (next.isAlive()) {
                return next;
            }
        }
        return null;
    }

    /** Returns the ranges of the arc of a NID, whichever super-peer answers for it. */
    CidTree treeOf(int creatorNid) {
        return superPeer(ring.ownerOf(creatorNid)).tree();
    }

    /** Lets the next storage peer join with all its zones. */
    void join() {
        peers++;
        CidTree tree = treeOf(Nid.storageNid(peers));
        for (int i = 0; i < plan.zonesPerPeer(); i++) {
            int zone = (peers - 1) * plan.zonesPerPeer() + i;
            ownerOfZone[zone] = Nid.storageNid(peers);
            epochOfZone[zone] = 1;
            tree.insert(startOf(zone), endOf(zone), placement(zone));
        }
    }

    /** Returns a zone of a storage peer that has joined. */
    int randomZone(RandomGenerator from) {
        return from.nextInt(peers * plan.zonesPerPeer());
    }

    long randomCid(RandomGenerator from) {
        return startOf(randomZone(from)) + from.nextLong(BackupZone.MAX_CHUNKS);
    }

    /** Makes another storage peer the owner of a zone, unless the zone's arc is being moved. */
    void migrate(int zone) {
        int creator = Cid.nid(startOf(zone));
        if (!superPeer(ring.ownerOf(creator)).isSealed(creator)) {
            ownerOfZone[zone] = Nid.storageNid(1 + random.nextInt(peers));
            epochOfZone[zone]++;
            treeOf(creator).migrate(startOf(zone), endOf(zone), placement(zone));
        }
    }

    /** Returns the owner of a chunk. */
    int ownerOf(long cid) {
        return ownerOfZone[zoneOf(cid)];
    }

    /** Returns the ranges of a tree whose creators lie in an arc. */
    List<CidRange> rangesIn(CidTree tree, Arc arc) {
        List<CidRange> found = new ArrayList<>();
        tree.forEachRange((start, end, placement) -> {
            if (arc.contains(Cid.nid(start))) {
                found.add(new CidRange(start, end, placement));
            }
        });
        return found;
    }

    /** Returns the heap bytes of the ranges that each super-peer holds: its own and those of the two before it. */
    Map<Integer, Long> metadataBytes() {
        Map<Integer, Long> own = new TreeMap<>();
        members().forEach(member -> own.put(member.nid, member.tree().footprintBytes()));
        Map<Integer, Long> all = new TreeMap<>();
        own.forEach((nid, bytes) -> all.put(
                nid, bytes + ring.predecessors(nid).stream().mapToLong(own::get).sum()));
        return all;
    }

    /**
     * Compares every range with the truth.
     *
     * @return the number of ranges
     * @throws BigViolation when a range is not where it belongs
     */
    long verify() {
        long ranges = members().stream()
                .mapToLong(member -> member.tree().rangeCount())
                .sum();
        int zones = peers * plan.zonesPerPeer();
        if (ranges != zones) {
            throw new BigViolation("the super-peers hold " + ranges + " ranges, expected " + zones);
        }
        for (int zone = 0; zone < zones; zone++) {
            long answer = treeOf(Cid.nid(startOf(zone))).lookup(startOf(zone));
            if (CidTree.owner(answer) != ownerOfZone[zone] || CidTree.epoch(answer) != epochOfZone[zone]) {
                throw new BigViolation("zone " + zone + " belongs to " + Nid.toHex(ownerOfZone[zone]) + " at epoch "
                        + epochOfZone[zone] + ", its super-peer says " + Nid.toHex(CidTree.owner(answer)) + " at epoch "
                        + CidTree.epoch(answer));
            }
        }
        return ranges;
    }

    private long startOf(int zone) {
        int creator = Nid.storageNid(1 + zone / plan.zonesPerPeer());
        return Cid.of(creator, Cid.MIN_LID + zone % plan.zonesPerPeer() * BackupZone.MAX_CHUNKS);
    }

    private long endOf(int zone) {
        return startOf(zone) + BackupZone.MAX_CHUNKS - 1;
    }

    private int zoneOf(long cid) {
        int creator = Nid.reverse16(Cid.nid(cid));
        return (creator - 1) * plan.zonesPerPeer() + (int) ((Cid.lid(cid) - Cid.MIN_LID) / BackupZone.MAX_CHUNKS);
    }

    /** Returns the placement of a zone: the true owner and epoch, and three storage peers as backups. */
    private Placement placement(int zone) {
        int[] backups = random.ints(1, Math.max(peers, Placement.MAX_BACKUPS + 1) + 1)
                .map(Nid::storageNid)
                .filter(nid -> nid != ownerOfZone[zone])
                .distinct()
                .limit(Placement.MAX_BACKUPS)
                .toArray();
        return new Placement(ownerOfZone[zone], backups, epochOfZone[zone], zone + 1, PlacementState.IN_SYNC);
    }
}
