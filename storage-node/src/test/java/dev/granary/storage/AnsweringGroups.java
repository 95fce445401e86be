package dev.granary.storage;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerList;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.SlotGroupMessages.ExtendSlotGroup;
import dev.granary.net.message.SlotGroupMessages.OpenSlotGroup;
import dev.granary.net.message.SlotGroupMessages.SlotGroupLimit;
import dev.granary.net.message.SlotGroupMessages.SlotGroupList;
import dev.granary.net.message.SlotGroupMessages.SlotGroupPlace;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The slot groups of the only arc, as its super-peer keeps them, and the doors of the storage peers. */
public final class AnsweringGroups {

    private final Map<Integer, HostAddress> addresses;
    private final Map<Integer, Place> places = new TreeMap<>();

    /** The storage peer that should open a group which nobody has; 0 while there is none. */
    public int opener = AnsweringSuperPeer.STORAGE_NID;

    /** LIDs below it belong to a group when it is opened. */
    public long firstLimit = 1 << 10;

    /** The in-sync backups of groups that are opened. */
    public int[] backups = {};

    /** Runs when a storage peer wants to open a group, before that is decided. */
    public Runnable beforeOpening = () -> {};

    /** How often it was asked who has a group. */
    public int asked;

    /** How often a storage peer wanted to open a group. */
    public int openings;

    /** The extensions that were asked for. */
    public final List<ExtendSlotGroup> extensions = new ArrayList<>();

    public List<PeerInfo> peers = List.of();

    private record Place(Placement placement, long lidLimit, boolean opened) {}

    AnsweringGroups(Map<Integer, HostAddress> addresses) {
        this.addresses = addresses;
    }

    /** Gives a group to a storage peer that has not opened it. */
    public void give(int groupNid, int owner, long epoch) {
        put(groupNid, owner, new int[0], epoch, false);
    }

    private void put(int groupNid, int owner, int[] members, long epoch, boolean opened) {
        Placement placement = new Placement(owner, members, epoch, BackupZone.id(groupNid, 1), PlacementState.IN_SYNC);
        places.put(groupNid, new Place(placement, firstLimit, opened));
    }

    List<Placement> zonesOf(int owner, int creatorNid) {
        Place place = places.get(creatorNid);
        return place == null || place.placement.owner() != owner ? List.of() : List.of(place.placement);
    }

    /** Answers a request if it is about slot groups. */
    boolean answer(RpcRequest request) {
        if (request.type() == MessageType.OPEN_SLOT_GROUP.code()) {
            open(request, request.read(MessageType.OPEN_SLOT_GROUP));
        } else if (request.type() == MessageType.EXTEND_SLOT_GROUP.code()) {
            extend(request, request.read(MessageType.EXTEND_SLOT_GROUP));
        } else if (request.type() == MessageType.LIST_SLOT_GROUPS.code()) {
            request.reply(new SlotGroupList(places.entrySet().stream()
                    .map(each -> group(each.getKey(), each.getValue()))
                    .toList()));
        } else if (request.type() == MessageType.LIST_PEERS.code()) {
            request.reply(new PeerList(1, peers, List.of(), List.of()));
        } else {
            return false;
        }
        return true;
    }

    private static SlotGroupList.Group group(int groupNid, Place place) {
        Placement placement = place.placement;
        return new SlotGroupList.Group(
                groupNid, placement.owner(), placement.epoch(), placement.state(), place.lidLimit, true);
    }

    private void open(RpcRequest request, OpenSlotGroup open) {
        if (open.ownerNid() == 0) {
            asked++;
        } else {
            openings++;
            beforeOpening.run();
            if (!places.containsKey(open.groupNid())) {
                put(open.groupNid(), open.ownerNid(), backups, 1, true);
            }
        }
        Place place = places.get(open.groupNid());
        int nid = place == null ? opener : place.placement.owner();
        request.reply(
                place == null
                        ? new SlotGroupPlace(null, 0, false, nid, addresses.get(nid))
                        : new SlotGroupPlace(place.placement, place.lidLimit, place.opened, nid, addresses.get(nid)));
    }

    private void extend(RpcRequest request, ExtendSlotGroup extend) {
        extensions.add(extend);
        Place place = places.get(extend.groupNid());
        if (place == null || place.placement.owner() != extend.ownerNid()) {
            request.fail(ErrorCode.NOT_FOUND, "does not own the slot group");
            return;
        }
        if (place.lidLimit == extend.lidLimit()) {
            long limit = Math.min(2 * place.lidLimit, extend.wantedLimit());
            place = new Place(place.placement, limit, place.opened);
            places.put(extend.groupNid(), place);
        }
        request.reply(new SlotGroupLimit(place.placement, place.lidLimit));
    }
}
