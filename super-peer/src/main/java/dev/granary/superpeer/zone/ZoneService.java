package dev.granary.superpeer.zone;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RecoveryMessages.RecoverZone;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.OpenZone;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.lease.ArcService;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeResult;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests of owners, recovery candidates and people about the zones of one arc's creators (ADR 0103, 0104).
 * Commits changes before it answers. Runs as tasks of the node's scheduler.
 */
public final class ZoneService {

    private static final Logger LOG = LoggerFactory.getLogger(ZoneService.class);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MAX_ZONES = 16_384;
    private static final int MAX_RANGES = 16_384;

    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcService arc;
    private final PeerCatalog catalog;
    private final ZonePlanner planner;
    private final RecoveryDriver recoveries;
    private final CopyKeeper keeper;
    private final CopyCleaner cleaner;

    /** @param commit commits a command, then applies it */
    public ZoneService(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcService arc,
            ArcCaller arcs,
            PeerCatalog catalog,
            ZonePlanner planner) {
        this.state = state;
        this.commit = commit;
        this.arc = arc;
        this.catalog = catalog;
        this.planner = planner;
        this.recoveries = new RecoveryDriver(node, state, commit, arcs, catalog);
        this.keeper = new CopyKeeper(node, state, commit, arcs, catalog, planner);
        this.cleaner = new CopyCleaner(node, state, arcs, catalog);
    }

    public void begin() {
        recoveries.begin();
        keeper.begin();
        cleaner.begin();
    }

    public void stop() {
        recoveries.stop();
        keeper.stop();
        cleaner.stop();
    }

    public RecoveryDriver recoveries() {
        return recoveries;
    }

    /** Returns how many members the zones of an owner should have, at least, as far as is known. */
    public int atLeastWanted(int ownerNid) {
        return planner.atLeastWanted(ownerNid);
    }

    public void openZone(RpcRequest request, OpenZone open) {
        boolean valid = isCreator(open.creatorNid()) && isStoragePeer(open.ownerNid()) && open.ownerEpoch() > 0;
        if (!valid) {
            request.fail(ErrorCode.BAD_REQUEST, "a zone has a creator, and a storage peer that owns it");
            return;
        }
        ZoneRecord known = state.openZone(open.creatorNid(), open.ownerNid());
        if (known != null && known.ownerEpoch() == open.ownerEpoch()) {
            if (arc.answersFor(request)) {
                request.reply(new ZonePlacement(known.placement()));
            }
            return;
        }
        if (planner.isNotReady(request)) {
            return;
        }
        int wanted = planner.wanted(open.ownerNid());
        int number = BackupZone.MAX_NUMBER - state.zoneNumbersLeft(open.creatorNid()) + 1;
        List<ZoneMember> members = number > BackupZone.MAX_NUMBER
                ? List.of()
                : planner.members(BackupZone.id(open.creatorNid(), number), wanted, Set.of(open.ownerNid()));
        commitAndAnswer(
                request,
                new ZoneCommand.OpenZone(open.creatorNid(), open.ownerNid(), open.ownerEpoch(), members, wanted),
                placement -> {});
    }

    private static boolean isStoragePeer(int nid) {
        return isCreator(nid) && !SlotGroup.isGroup(nid);
    }

    private static boolean isCreator(int nid) {
        return Nid.isValid(nid) && Nid.role(nid) == NodeRole.STORAGE_PEER;
    }

    private void commitAndAnswer(RpcRequest request, ZoneCommand command, Consumer<Placement> then) {
        Answers.whenCommitted(request, commit.apply(command), result -> {
            switch (result) {
                case RangeResult.Zone(Placement placement) -> {
                    then.accept(placement);
                    request.reply(new ZonePlacement(placement));
                }
                case RangeResult.NotNow(String message) -> request.fail(ErrorCode.NOT_FOUND, message);
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    /** Returns whether there is no zone with this id. If so, refuses the request. */
    private boolean isUnknown(RpcRequest request, int zone) {
        boolean unknown = state.zone(zone) == null;
        if (unknown && arc.answersFor(request)) {
            request.fail(ErrorCode.NOT_FOUND, "there is no zone " + BackupZone.nameOf(zone));
        }
        return unknown;
    }

    public void changeCopies(RpcRequest request, ChangeCopies change) {
        ZoneRecord before = state.zone(change.zone());
        if (isUnknown(request, change.zone()) || before == null || planner.isNotReady(request)) {
            return;
        }
        List<ZoneMember> added = new ArrayList<>();
        for (int nid : change.added()) {
            PeerInfo peer = catalog.find(nid);
            if (peer == null) {
                request.fail(ErrorReply.retryLater(
                        RETRY_NANOS, "this super-peer does not know yet of storage peer " + Nid.toHex(nid)));
                return;
            }
            added.add(ZonePlanner.memberOf(peer));
        }
        ZoneCommand.ChangeCopies command = new ZoneCommand.ChangeCopies(
                change.zone(),
                change.ownerNid(),
                change.ownerEpoch(),
                change.expectedEpoch(),
                change.dropped(),
                added,
                planner.wanted(change.ownerNid()));
        commitAndAnswer(request, command, placement -> {
            if (placement.epoch() == before.placement().epoch() + 1
                    && change.expectedEpoch() == before.placement().epoch()) {
                LOG.atInfo()
                        .addKeyValue("zone", BackupZone.nameOf(change.zone()))
                        .addKeyValue("droppedNids", hex(change.dropped()))
                        .addKeyValue("addedNids", hex(change.added()))
                        .addKeyValue("epoch", placement.epoch())
                        .log(
                                "the members of a zone have changed{}",
                                change.reason().isEmpty() ? "" : ": " + change.reason());
                change.dropped().stream()
                        .filter(nid -> !change.added().contains(nid))
                        .forEach(nid -> keeper.tellDropped(nid, change.zone(), placement.epoch()));
                keeper.look();
            }
        });
    }

    private static List<String> hex(List<Integer> nids) {
        return nids.stream().map(Nid::toHex).toList();
    }

    public void recovered(RpcRequest request, Recovered done) {
        ZoneRecord before = state.zone(done.zone());
        if (isUnknown(request, done.zone()) || before == null || planner.isNotReady(request)) {
            return;
        }
        ZoneCommand.EndRecovery command = new ZoneCommand.EndRecovery(
                done.zone(), done.epoch(), done.nid(), done.nidEpoch(), planner.wanted(done.nid()));
        commitAndAnswer(request, command, placement -> {
            if (before.isRecovering() && placement.isServed() && placement.epoch() == done.epoch()) {
                ended(before, placement, done);
            }
        });
    }

    private void ended(ZoneRecord before, Placement placement, Recovered done) {
        recoveries.ended(done);
        Set<Integer> now = new HashSet<>();
        now.add(placement.owner());
        for (int i = 0; i < placement.backupCount(); i++) {
            now.add(placement.backup(i));
        }
        ZoneRecord after = state.zone(before.id());
        if (after != null && after.spares() != null) {
            now.addAll(after.spares().nids());
        }
        before.members().stream()
                .map(ZoneMember::nid)
                .filter(nid -> !now.contains(nid))
                .forEach(nid -> keeper.tellDropped(nid, before.id(), placement.epoch()));
    }

    public void listZones(RpcRequest request, ListZones asked) {
        if (!arc.answersFor(request)) {
            return;
        }
        List<Placement> zones = isCreator(asked.creatorNid())
                ? state.zonesOf(asked.creatorNid()).stream()
                        .filter(zone -> zone.id() > asked.afterZone()
                                && zone.placement().owner() == asked.ownerNid())
                        .limit(MAX_ZONES)
                        .map(ZoneRecord::placement)
                        .toList()
                : List.of();
        int next = zones.size() == MAX_ZONES ? zones.getLast().zone() : 0;
        request.reply(new ZoneList(planner.wantedIfKnown(asked.ownerNid()), next, zones));
    }

    /** Takes what an owner tells of copies that members have lost, so that they are filled again. */
    public void reportLostCopies(RpcRequest request, ReportLostCopies report) {
        if (arc.answersFor(request)) {
            keeper.lost(report);
            request.reply(new Empty());
        }
    }

    public void zoneRanges(RpcRequest request, ZoneRanges asked) {
        if (!arc.answersFor(request) || isUnknown(request, asked.zone())) {
            return;
        }
        long first = Cid.firstOf(BackupZone.creatorOf(asked.zone()));
        long from = Cid.compare(asked.fromCid(), first) < 0 ? first : asked.fromCid();
        long end = Cid.lastOf(BackupZone.creatorOf(asked.zone()));
        List<CidRange> ranges =
                Cid.compare(from, end) > 0 ? List.of() : state.rangesOfZone(asked.zone(), from, MAX_RANGES);
        boolean more = ranges.size() == MAX_RANGES && ranges.getLast().endCidInclusive() != end;
        request.reply(new RangeList(more ? ranges.getLast().endCidInclusive() + 1 : 0, ranges));
    }

    /** Ends the wait for the missing members of a zone, because a person says so. */
    public void recoverZone(RpcRequest request, RecoverZone asked) {
        ZoneRecord zone = state.zone(asked.zone());
        if (!arc.answersFor(request) || isUnknown(request, asked.zone()) || zone == null) {
            return;
        }
        if (!zone.isRecovering()) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "zone " + BackupZone.nameOf(asked.zone()) + " is not waiting to be recovered");
            return;
        }
        LOG.atWarn()
                .addKeyValue("zone", BackupZone.nameOf(asked.zone()))
                .log("a person has decided to recover a zone without the members that are missing");
        recoveries.acceptLoss(asked.zone());
        request.reply(new ZonePlacement(zone.placement()));
    }
}
