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
 * How LIDs that are reserved are cut into zones, and how many copies these get and where (ADR 0103). Asks what is
 * known, changes nothing. Runs as tasks of the node's scheduler.
 */
public final class ZonePlanner {

    /** A peer's zones grow so that there are about as many of them each time its LIDs double. */
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
     * Whether it is known which storage peers every arc has: before that nothing may be planned that says how many
     * copies are enough (SAFETY rule "acknowledgement", ADR 0160).
     */
    boolean isReady() {
        return node.config().backups() == 0 || catalog.knowsEveryArc();
    }

    /** Whether that is not known yet; then the request is answered. */
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

    /** The same for an answer that may say that it is not known yet. */
    public int wantedIfKnown(int ownerNid) {
        return isReady() ? wanted(ownerNid) : WantedCopies.UNKNOWN;
    }

    /**
     * The same as far as is known: not more than should be,
     * and less as long as an arc has not told of its storage peers.
     */
    public int atLeastWanted(int ownerNid) {
        int backups = node.config().backups();
        // Without backups nobody is looked at: this is asked for with each change of an arc.
        return backups == 0 ? 0 : Math.min(backups, catalog.stayingBeside(ownerNid));
    }

    /** Whether {@code zones} more zones of a creator can be made, or none are needed as there are to be no copies. */
    public boolean hasNumbersFor(int creatorNid, long zones) {
        return node.config().backups() == 0 || state.zoneNumbersLeft(creatorNid) >= zones;
    }

    /** Whether a storage peer could log there what it takes over of a creator's chunks. */
    public boolean canTakeOver(int creatorNid, int ownerNid) {
        return node.config().backups() == 0 || state.canOpenZone(creatorNid, ownerNid);
    }

    /** How many LIDs the next zones of a peer have. */
    public long blockOf(@Nullable PeerRecord peer) {
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

    /** Whom to have as members of a zone, beside those who have it. */
    public List<ZoneMember> members(int zone, int count, Collection<Integer> holding) {
        return BackupChoice.choose(zone, count, holding, catalog.all()).stream()
                .map(ZonePlanner::memberOf)
                .toList();
    }

    public static ZoneMember memberOf(PeerInfo peer) {
        return new ZoneMember(peer.nid(), peer.epoch());
    }
}
