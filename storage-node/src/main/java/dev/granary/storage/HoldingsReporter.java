package dev.granary.storage;

import dev.granary.env.Confined;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.RecoveryMessages.ReportHoldings;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.overlay.tree.CidTree;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.lease.LeaseKeeper;
import dev.granary.storage.lease.LidReserver;
import dev.granary.storage.lease.PeerDescription;
import dev.granary.storage.migrate.Migrations;
import dev.granary.storage.replicate.Replication;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells a super-peer that rebuilds what super-peers knew who this storage peer is, what it owns and what it knows
 * others to own (ADR 0127). Tasks of the node's scheduler.
 */
final class HoldingsReporter {

    private static final int RANGES_PER_REPLY = 4096;

    private final Confined confined = new Confined();
    private final RpcIdentity identity;
    private final PeerDescription description;
    private final LeaseKeeper keeper;
    private final Lease lease;
    private final LidReserver lids;
    private final LongSupplier greatestToken;
    private final Migrations migrations;
    private final Replication replication;

    /** What the pages of one report are cut from, so that they fit to one another. */
    private CidTree told = new CidTree();

    /** @param greatestToken of the locks that were shown to this peer */
    HoldingsReporter(
            RpcIdentity identity,
            PeerDescription description,
            LeaseKeeper keeper,
            Lease lease,
            LidReserver lids,
            LongSupplier greatestToken,
            Migrations migrations,
            Replication replication) {
        this.identity = identity;
        this.description = description;
        this.keeper = keeper;
        this.lease = lease;
        this.lids = lids;
        this.greatestToken = greatestToken;
        this.migrations = migrations;
        this.replication = replication;
    }

    /**
     * Answers a request.
     *
     * @param owned what this peer owns, null while it serves nothing
     */
    void report(RpcRequest request, ReportHoldings asked, @Nullable Ownership owned) {
        assert confined.here() : confined;
        int nid;
        try {
            Optional<Integer> known = keeper.nidOnDisk();
            if (known.isEmpty()) {
                request.fail(ErrorCode.NOT_FOUND, "this storage peer has never belonged to a cluster");
                return;
            }
            nid = known.get();
        } catch (IOException e) {
            request.fail(ErrorReply.of(ErrorCode.INTERNAL, "the disk has failed: " + e.getMessage()));
            return;
        }
        keeper.heardOf(asked.superPeer());
        if (asked.fromCid() == 0) {
            told = owned == null ? new CidTree() : treeOf(owned, keeper.epoch());
        }
        List<CidRange> page = new ArrayList<>();
        Optional<CidRange> next = told.findAtOrAfter(asked.fromCid());
        while (next.isPresent() && page.size() < RANGES_PER_REPLY) {
            page.add(next.get());
            next = after(next.get());
        }
        request.reply(holdings(nid, page, next.map(CidRange::startCid).orElse(0L)));
    }

    private Optional<CidRange> after(CidRange range) {
        return range.endCidInclusive() == -1L ? Optional.empty() : told.findAtOrAfter(range.endCidInclusive() + 1);
    }

    private Holdings holdings(int nid, List<CidRange> page, long nextCid) {
        LeaseKeeper.Known known = keeper.known();
        Ring ring = known.ring();
        List<RingMember> members = ring == null ? List.of() : ring.members();
        List<HostAddress> addresses = members.stream().map(RingMember::address).toList();
        return new Holdings(
                identity.clusterId(),
                nid,
                description.diskId(),
                identity.incarnation(),
                known.epoch(),
                known.firstLid(),
                known.epoch() == 0 ? 0 : lids.limit(),
                greatestToken.getAsLong(),
                lease.remainingNanos(),
                known.leaseNanos(),
                ring == null ? 0 : ring.epoch(),
                members.stream().map(RingMember::nid).toList(),
                addresses,
                description.name(),
                description.address(),
                description.httpAddress(),
                description.capacityBytes(),
                description.machine(),
                description.failureZone(),
                migrations.moves(),
                nextCid,
                page,
                description.redisAddress());
    }

    /** What was created here and never left, then what was learnt of ranges, then the zones of what is owned. */
    private CidTree treeOf(Ownership owned, long epoch) {
        int nid = owned.nid();
        CidTree tree = new CidTree();
        tree.insert(Cid.of(nid, owned.firstLid()), Cid.lastOf(nid), Placement.unreplicated(nid, epoch));
        for (Optional<CidRange> range = owned.knownAtOrAfter(0);
                range.isPresent();
                range = range.get().endCidInclusive() == -1L
                        ? Optional.empty()
                        : owned.knownAtOrAfter(range.get().endCidInclusive() + 1)) {
            CidRange learnt = range.get();
            tree.delete(learnt.startCid(), learnt.endCidInclusive());
            tree.insert(learnt.startCid(), learnt.endCidInclusive(), learnt.placement());
        }
        replication.zones().forEachSpan((startCid, endCidInclusive, zone) -> {
            List<CidRange> parts = new ArrayList<>();
            tree.forEachRange(
                    startCid,
                    endCidInclusive,
                    (start, end, placement) -> parts.add(new CidRange(start, end, placement)));
            for (CidRange part : parts) {
                if (part.placement().owner() != nid) {
                    continue;
                }
                long first = Math.max(part.startCid(), startCid);
                long last = Math.min(part.endCidInclusive(), endCidInclusive);
                if (zone == null) {
                    tree.delete(first, last);
                } else {
                    tree.migrate(first, last, zone.placement());
                }
            }
        });
        return tree;
    }
}
