package dev.granary.superpeer.state.arc;

import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.ReplicationMessages.CopyList;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * The report of one storage peer for a rebuild (ADR 0127).
 *
 * @param head the storage peer and its cluster
 * @param ranges that the peer owns, or knows that others own, ascending
 * @param copies of zones on the peer's disk
 */
public record PeerReport(Holdings head, List<CidRange> ranges, List<CopyList.Held> copies) {

    public PeerReport {
        ranges = List.copyOf(ranges);
        copies = List.copyOf(copies);
    }

    /** Returns the NID of the peer. */
    public int nid() {
        return head.nid();
    }

    /**
     * Returns the storage peers on which the report depends for the chunks of some creators.
     *
     * @param creators the creators whose chunks count
     */
    public Set<Integer> mentioned(IntPredicate creators) {
        Set<Integer> found = new TreeSet<>();
        for (CidRange range : ranges) {
            Placement placement = range.placement();
            if (creators.test(Cid.nid(range.startCid()))) {
                found.add(Cid.nid(range.startCid()));
                found.add(placement.owner());
                for (int i = 0; i < placement.backupCount(); i++) {
                    found.add(placement.backup(i));
                }
            }
        }
        for (CopyList.Held copy : copies) {
            if (creators.test(BackupZone.creatorOf(copy.zone()))) {
                found.add(BackupZone.creatorOf(copy.zone()));
                found.addAll(copy.members());
            }
        }
        found.remove(Nid.NONE);
        // A slot group makes chunks and is no storage peer that could report.
        found.removeIf(SlotGroup::isGroup);
        return found;
    }

    /** Returns the slot groups of which the report knows: of a range, or of a copy. */
    public Set<Integer> slotGroups() {
        Set<Integer> found = new TreeSet<>();
        ranges.forEach(range -> found.add(Cid.nid(range.startCid())));
        copies.forEach(copy -> found.add(BackupZone.creatorOf(copy.zone())));
        found.removeIf(nid -> !SlotGroup.isGroup(nid));
        return found;
    }

    /** Returns the highest epoch that the peer has heard of. */
    public long highestEpoch() {
        long highest = head.epoch();
        for (CidRange range : ranges) {
            highest = Math.max(highest, range.placement().epoch());
        }
        for (CopyList.Held copy : copies) {
            highest = Math.max(highest, Math.max(copy.epoch(), copy.fencedEpoch()));
        }
        return highest;
    }
}
