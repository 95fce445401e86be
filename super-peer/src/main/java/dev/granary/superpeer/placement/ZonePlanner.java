package dev.granary.superpeer.placement;

import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.BackupZone;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerRecord;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Plans how reserved LIDs are cut into zones, how many copies these get, and on which storage peers (ADR 0103). Changes
 * nothing. Runs as tasks of the node's scheduler.
 */
public final class ZonePlanner {

    /** About how many zones a storage peer gets each time that its LIDs double. Its zones grow accordingly. */
    private static final int ZONES_PER_DOUBLING = 16;

    /** The most zones that are made at once. */
    public static final int MAX_ZONES = 1024;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Node node;
    private final ArcState state;
    private final PeerCatalog catalog;

    public ZonePlanner(Node node, ArcState state, PeerCatalog catalog) {
        this.node = node;
        this.state = state;
        this.catalog = catalog;
    }

    /**
     * Whether the storage peers of every arc are known. Before that nothing may be planned that says how many copies
     * are enough (SAFETY rule "acknowledgement", ADR 0160).
     */
    boolean isReady() {
        return node.config().backups() == 0 || catalog.knowsEveryArc();
    }

    /** Returns whether the planner is not {@linkplain #isReady ready}. If so, refuses the request. */
    public boolean isNotReady(RpcRequest request) {
        boolean ready = isReady();
        if (!ready) {
            request.fail(ErrorReply.retryLater(
                    RETRY_NANOS, "this super-peer does not know yet which storage peers the other arcs have"));
        }
        return !ready;
    }

    /**
     * Returns how many members a zone of this owner should have: as many as are configured, or all other peers if these
     * are fewer. A peer that is being drained does not count: otherwise it could never leave a cluster that has just
     * enough peers.
     *
     * @throws IllegalStateException while not {@linkplain #isReady ready}
     */
    public int wanted(int ownerNid) {
        if (!isReady()) {
            throw new IllegalStateException("the storage peers of some arc are not known yet");
        }
        return atLeastWanted(ownerNid);
    }

    /** Returns the same, or {@link WantedCopies#UNKNOWN} while not {@linkplain #isReady ready}. */
    public int wantedIfKnown(int ownerNid) {
        return isReady() ? wanted(ownerNid) : WantedCopies.UNKNOWN;
    }

    /**
     * Returns the same as far as is known: never too many, but too few while some arc has not reported its storage
     * peers.
     */
    public int atLeastWanted(int ownerNid) {
        int backups = node.config().backups();
        // Without backups do not look at storage peers, as this is called with each change of an arc.
        return backups == 0 ? 0 : Math.min(backups, catalog.stayingBeside(ownerNid));
    }

    /** Whether {@code zones} more zones of a creator can be made, or none are needed as there are to be no copies. */
    public boolean hasNumbersFor(int creatorNid, long zones) {
        return node.config().backups() == 0 || state.zoneNumbersLeft(creatorNid) >= zones;
    }

    /** Whether a storage peer has, or can get, a zone in which it logs chunks of a creator that it takes over. */
    public boolean canTakeOver(int creatorNid, int ownerNid) {
        return node.config().backups() == 0 || state.canOpenZone(creatorNid, ownerNid);
    }

    /** Returns how many LIDs the next zones of a storage peer have. */
    public long blockOf(@Nullable PeerRecord peer) {
        long smallest = node.config().lidBlock();
        long used = peer == null ? 0 : peer.lidLimit() - peer.firstLid();
        return Math.clamp(
                Long.highestOneBit(used / ZONES_PER_DOUBLING), smallest, Math.max(smallest, BackupZone.MAX_CHUNKS));
    }

    /**
     * Returns one zone for each block of the LIDs that are to be reserved for a storage peer.
     *
     * @param lids how many, at most {@link #MAX_ZONES} blocks
     */
    public List<NewZone> plan(int nid, long lids, long block) {
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

    /**
     * Returns at most {@code count} storage peers that should become members of a zone, without those that have it.
     */
    public List<ZoneMember> members(int zone, int count, Collection<Integer> holding) {
        return BackupChoice.choose(zone, count, holding, catalog.all()).stream()
                .map(ZonePlanner::memberOf)
                .toList();
    }

    /**
     * Returns the storage peer that should open a slot group, so that groups are spread evenly; null when none can.
     */
    public @Nullable PeerInfo ownerOf(int groupNid) {
        return BackupChoice.ownerOf(groupNid, catalog.all());
    }

    public static ZoneMember memberOf(PeerInfo peer) {
        return new ZoneMember(peer.nid(), peer.epoch());
    }
}
