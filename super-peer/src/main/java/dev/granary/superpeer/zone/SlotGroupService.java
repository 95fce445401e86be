package dev.granary.superpeer.zone;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.SlotGroupMessages.ExtendSlotGroup;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupLimit;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.lease.ArcService;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeResult;
import dev.granary.superpeer.state.arc.SlotGroupCommand;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens and extends the slot groups of one arc (ADR 0280). Commits changes before it answers. Runs as tasks of the
 * node's scheduler.
 */
public final class SlotGroupService {

    private static final Logger LOG = LoggerFactory.getLogger(SlotGroupService.class);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcService arc;
    private final PeerCatalog catalog;
    private final ZonePlanner planner;

    /** @param commit commits a command, then applies it */
    public SlotGroupService(
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcService arc,
            PeerCatalog catalog,
            ZonePlanner planner) {
        this.state = state;
        this.commit = commit;
        this.arc = arc;
        this.catalog = catalog;
        this.planner = planner;
    }

    /** Answers who has a slot group, and opens it for the caller if nobody has it. */
    public void openSlotGroup(RpcRequest request, OpenSlotGroup asked) {
        int group = asked.groupNid();
        boolean opens = asked.ownerNid() != Nid.NONE;
        if (!SlotGroup.isGroup(group) || (opens && !isIncarnation(asked.ownerNid(), asked.ownerEpoch()))) {
            request.fail(ErrorCode.BAD_REQUEST, "a slot group has the NID of a group, and a storage peer that owns it");
            return;
        }
        if (!arc.answersFor(request)) {
            return;
        }
        CidRange known = state.slotGroup(group);
        if (known != null && known.placement().state() != PlacementState.LOST) {
            request.reply(placeOf(known.placement(), ArcState.limitOf(known)));
        } else if (planner.isNotReady(request)) {
            return;
        } else if (opens) {
            open(request, asked, known != null);
        } else {
            PeerInfo best = planner.ownerOf(group);
            request.reply(
                    best == null
                            ? new SlotGroupPlace(null, 0, false, Nid.NONE, null)
                            : new SlotGroupPlace(null, 0, false, best.nid(), best.address()));
        }
    }

    private static boolean isIncarnation(int nid, long epoch) {
        return Nid.isValid(nid) && Nid.role(nid) == NodeRole.STORAGE_PEER && !SlotGroup.isGroup(nid) && epoch > 0;
    }

    private void open(RpcRequest request, OpenSlotGroup asked, boolean wasLost) {
        int group = asked.groupNid();
        PeerInfo owner = catalog.find(asked.ownerNid());
        if (owner != null && owner.draining()) {
            request.fail(
                    ErrorCode.DRAINING,
                    "everything is leaving storage peer " + Nid.toHex(owner.nid()) + ": it opens no slot group");
            return;
        }
        int wanted = planner.wanted(asked.ownerNid());
        int number = BackupZone.MAX_NUMBER - state.zoneNumbersLeft(group) + 1;
        List<ZoneMember> members = number > BackupZone.MAX_NUMBER
                ? List.of()
                : planner.members(BackupZone.id(group, number), wanted, Set.of(asked.ownerNid()));
        SlotGroupCommand command =
                new SlotGroupCommand.OpenSlotGroup(group, asked.ownerNid(), asked.ownerEpoch(), members, wanted);
        Answers.whenCommitted(request, commit.apply(command), result -> {
            switch (result) {
                case RangeResult.Group(Placement placement, long lidLimit) -> {
                    if (placement.owner() == asked.ownerNid()) {
                        logOpened(group, placement, wasLost);
                    }
                    request.reply(placeOf(placement, lidLimit));
                }
                case RangeResult.NotNow(String message) -> request.fail(ErrorCode.NOT_FOUND, message);
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    private static void logOpened(int group, Placement placement, boolean wasLost) {
        (wasLost ? LOG.atWarn() : LOG.atInfo())
                .addKeyValue("slotGroup", SlotGroup.nameOf(group))
                .addKeyValue("ownerNid", Nid.toHex(placement.owner()))
                .addKeyValue("zone", BackupZone.nameOf(placement.zone()))
                .log(
                        wasLost
                                ? "a slot group was lost and is opened again empty: its keys are gone"
                                : "a slot group is opened for its first key");
    }

    private SlotGroupPlace placeOf(Placement placement, long lidLimit) {
        PeerInfo owner = placement.owner() == Nid.NONE ? null : catalog.find(placement.owner());
        ZoneRecord zone = state.zone(placement.zone());
        boolean opened = zone != null && zone.open();
        return new SlotGroupPlace(placement, lidLimit, opened, placement.owner(), addressOf(owner));
    }

    private static @Nullable HostAddress addressOf(@Nullable PeerInfo peer) {
        return peer == null ? null : peer.address();
    }

    /** Gives the owner of a slot group more LIDs. */
    public void extendSlotGroup(RpcRequest request, ExtendSlotGroup asked) {
        int group = asked.groupNid();
        if (!SlotGroup.isGroup(group) || !isIncarnation(asked.ownerNid(), asked.ownerEpoch())) {
            request.fail(ErrorCode.BAD_REQUEST, "LIDs of a slot group are for the storage peer that owns it");
            return;
        }
        if (state.runningMigrations().stream().anyMatch(each -> each.creatorNid() == group)) {
            request.fail(ErrorReply.retryLater(
                    RETRY_NANOS, "slot group " + Nid.toHex(group) + " is on its way to another storage peer"));
            return;
        }
        SlotGroupCommand command = new SlotGroupCommand.ExtendSlotGroup(
                group, asked.ownerNid(), asked.ownerEpoch(), asked.lidLimit(), asked.wantedLimit());
        Answers.whenCommitted(request, commit.apply(command), result -> {
            switch (result) {
                case RangeResult.Group(Placement placement, long lidLimit) ->
                    request.reply(new SlotGroupLimit(placement, lidLimit));
                case RangeResult.NotNow(String message) -> request.fail(ErrorCode.NOT_FOUND, message);
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }
}
