package dev.granary.superpeer;

import dev.granary.net.message.PeerInfo;
import dev.granary.overlay.BackupZone;
import dev.granary.superpeer.state.ArcState;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.ZoneMember;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How LIDs that are reserved are cut into zones, and how many copies these get and where (ADR 0103). Asks what is known,
 * changes nothing. Runs as tasks of the node's scheduler.
 */
final class ZonePlanner {

    /** A peer's zones grow so that there are about as many of them each time its LIDs double. */
    private static final int ZONES_PER_DOUBLING = 16;

    /** At most so many zones are made at once. */
    static final int MAX_ZONES = 1024;

    private final Node node;
    private final ArcState state;
    private final PeerCatalog catalog;

    ZonePlanner(Node node, ArcState state, PeerCatalog catalog) {
        this.node = node;
        this.state = state;
        this.catalog = catalog;
    }

    /** Whether it is known which storage peers there are. */
    boolean isReady() {
        return node.config().backups() == 0 || catalog.isComplete();
    }

    /**
     * How many members a zone of this owner should have: as many as are configured, if there are so many other peers. One from
     * which everything is leaving does not count: it could never go otherwise where there are just enough.
     */
    int wanted(int ownerNid) {
        if (node.config().backups() == 0) {
            return 0; // without a look at all storage peers, which is asked for with each change of an arc
        }
        long others = catalog.everKnown().stream()
                .filter(peer -> peer.nid() != ownerNid && !peer.draining())
                .count();
        return (int) Math.min(node.config().backups(), others);
    }

    /** How many LIDs the next zones of a peer have. */
    long blockOf(@Nullable PeerRecord peer) {
        long smallest = node.config().lidBlock();
        long used = peer == null ? 0 : peer.lidLimit() - peer.firstLid();
        return Math.clamp(
                Long.highestOneBit(used / ZONES_PER_DOUBLING), smallest, Math.max(smallest, BackupZone.MAX_CHUNKS));
    }

    /**
     * Zones of a block each for LIDs that are to be reserved for a peer.
     *
     * @param lids how many, at most {@link #MAX_ZONES} blocks
     */
    List<NewZone> plan(int nid, long lids, long block) {
        int wanted = wanted(nid);
        int number = BackupZone.MAX_NUMBER - state.zoneNumbersLeft(nid);
        List<NewZone> zones = new ArrayList<>();
        for (long rest = lids; rest > 0; rest -= block) {
            number++;
            if (number > BackupZone.MAX_NUMBER) {
                break;
            }
            List<ZoneMember> members = members(BackupZone.id(nid, number), wanted, Set.of(nid));
            zones.add(new NewZone(Math.min(rest, block), members, wanted));
        }
        return zones;
    }

    /** Whom to have as members of a zone, beside those who have it. */
    List<ZoneMember> members(int zone, int count, Collection<Integer> holding) {
        return BackupChoice.choose(zone, count, holding, catalog.all()).stream()
                .map(ZonePlanner::memberOf)
                .toList();
    }

    static ZoneMember memberOf(PeerInfo peer) {
        return new ZoneMember(peer.nid(), peer.epoch());
    }
}
