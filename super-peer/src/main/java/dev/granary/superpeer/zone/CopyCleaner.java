package dev.granary.superpeer.zone;

import dev.granary.env.Loop;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.net.message.ReplicationMessages.DropCopies;
import dev.granary.net.message.ReplicationMessages.ListCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees the disks of storage peers from copies that nobody needs. These are copies of zones that do not exist any more,
 * and of zones that have dropped the peer as a member while it was away. Looks at one peer after the other. Runs as
 * tasks of the node's scheduler.
 *
 * <p>What this super-peer knows may be old. So a copy goes only when its zone epoch is lower than one in which the peer
 * is no member. The peer checks that, too.
 */
final class CopyCleaner {

    private static final Logger LOG = LoggerFactory.getLogger(CopyCleaner.class);

    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int PAGE = 4096;

    private final Node node;
    private final ArcState state;
    private final ArcCaller arcs;
    private final PeerCatalog catalog;
    private int lastNid;
    private final Loop loop;
    private boolean stopped;

    CopyCleaner(Node node, ArcState state, ArcCaller arcs, PeerCatalog catalog) {
        this.node = node;
        this.state = state;
        this.arcs = arcs;
        this.catalog = catalog;
        this.loop = Loop.every(node.environment().scheduler(), "needless-copies", PERIOD_NANOS, this::look);
    }

    void begin() {
        loop.beginAfter(PERIOD_NANOS);
    }

    void stop() {
        stopped = true;
        loop.stop();
    }

    private void look() {
        PeerInfo peer = next();
        if (peer != null) {
            look(peer, 0);
        }
    }

    private @Nullable PeerInfo next() {
        PeerInfo first = null;
        for (PeerInfo peer : catalog.all()) {
            if (peer.live() && peer.nid() > lastNid) {
                lastNid = peer.nid();
                return peer;
            }
            first = first == null && peer.live() ? peer : first;
        }
        lastNid = first == null ? 0 : first.nid();
        return first;
    }

    private void look(PeerInfo peer, int afterZone) {
        ListCopies request = new ListCopies(afterZone, PAGE);
        arcs.callNode(peer.address(), peer.nid(), MessageType.LIST_COPIES, request, (list, failure) -> {
            if (list != null && !stopped) {
                drop(peer, list);
                if (list.nextZone() > afterZone) {
                    look(peer, list.nextZone());
                }
            }
        });
    }

    private void drop(PeerInfo peer, CopyList list) {
        List<ZoneEpoch> needless = new ArrayList<>();
        for (CopyList.Held copy : list.copies()) {
            long epoch = neededFrom(peer.nid(), copy.zone());
            if (copy.epoch() < epoch) {
                needless.add(new ZoneEpoch(copy.zone(), epoch));
            }
        }
        if (!needless.isEmpty()) {
            LOG.atInfo()
                    .addKeyValue("nid", Nid.toHex(peer.nid()))
                    .addKeyValue("copies", needless.size())
                    .log("a storage peer holds copies that nobody needs; it drops them");
            DropCopies request = new DropCopies(node.rpcIdentity().clusterId(), needless);
            arcs.callNode(peer.address(), peer.nid(), MessageType.DROP_COPIES, request, (done, failure) -> {});
        }
    }

    /**
     * Returns the zone epoch below which a storage peer need not keep a copy of a zone; 0 when it may have to keep any
     * copy.
     */
    private long neededFrom(int nid, int zone) {
        int creator = BackupZone.creatorOf(zone);
        int given = BackupZone.MAX_NUMBER - state.zoneNumbersLeft(creator);
        boolean known = state.peer(creator) != null || SlotGroup.isGroup(creator);
        if (!known || state.isMoving(creator) || BackupZone.numberOf(zone) > given) {
            return 0;
        }
        ZoneRecord record = state.zone(zone);
        if (record == null) {
            return Placement.MAX_EPOCH;
        }
        Placement placement = record.placement();
        boolean member = record.members().stream().map(ZoneMember::nid).anyMatch(each -> each == nid);
        // The storage peer that has recovered a zone keeps its copy until the zone has members again.
        boolean last = placement.owner() == nid && record.members().isEmpty();
        boolean spare = record.spares() != null && record.spares().isOn(nid);
        return placement.isServed() && !member && !last && !spare ? placement.epoch() : 0;
    }
}
