package dev.granary.superpeer.arc;

import dev.granary.net.message.SlotGroupMessages.SlotGroupList;
import dev.granary.net.message.SlotGroupMessages.SlotGroupList.Group;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** Lists the slot groups of the arcs of which this super-peer has a copy. Tasks of the node's scheduler. */
final class SlotGroupView {

    private final TreeMap<Integer, Group> groups = new TreeMap<>();

    /** Returns the slot groups of these arcs. */
    static SlotGroupList of(Collection<ArcReplica> arcs) {
        SlotGroupView view = new SlotGroupView();
        arcs.forEach(arc -> view.add(arc.state(), arc.serves()));
        return view.list();
    }

    /**
     * Adds the groups of an arc. A part of an arc that moves is in two arcs for a moment: then the newer state counts.
     *
     * @param leads whether this super-peer leads the arc
     */
    void add(ArcState arc, boolean leads) {
        for (CidRange range : arc.slotGroups()) {
            Placement placement = range.placement();
            int nid = Cid.nid(range.startCid());
            Group group = new Group(
                    nid,
                    placement.owner(),
                    placement.epoch(),
                    placement.state(),
                    ArcState.limitOf(range),
                    leads && !arc.isMoving(nid));
            groups.merge(nid, group, SlotGroupView::newer);
        }
    }

    private static Group newer(Group one, Group other) {
        int order = Long.compare(one.epoch(), other.epoch());
        return order > 0 || (order == 0 && one.leads()) ? one : other;
    }

    SlotGroupList list() {
        List<Group> all = new ArrayList<>(groups.values());
        return new SlotGroupList(all);
    }
}
