package dev.granary.superpeer.zone;

import dev.granary.net.message.ZoneMessages.LostCopy;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The members that have lost their copies, as the owners of the zones tell. A backup whose log has failed begins
 * another one in the same incarnation, so nothing that this arc has committed shows that the copies are gone (ADR
 * 0369).
 *
 * <p>Nothing of it is committed: owners tell it again each second for as long as it is so, to whoever leads the arc.
 * Tasks of the node's scheduler.
 */
final class LostCopies {

    /** An owner that has not told it again for so long is gone, or has its copy again. */
    private static final long FORGET_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Node node;

    /** Gives a zone of the arc, or null. */
    private final IntFunction<@Nullable ZoneRecord> zones;

    /** For members of zones of the arc only, so that it holds no more than the arc has members. */
    private final Map<LostCopy, Told> told = new HashMap<>();

    /** Who has told of a lost copy, and when. */
    private record Told(int ownerNid, long ownerEpoch, long nanos) {}

    LostCopies(Node node, IntFunction<@Nullable ZoneRecord> zones) {
        this.node = node;
        this.zones = zones;
    }

    /** Keeps what is told of members in their present epochs, and nothing else. */
    void told(ReportLostCopies report) {
        Told now = new Told(report.ownerNid(), report.ownerEpoch(), node.nanoTime());
        for (LostCopy copy : report.copies()) {
            ZoneRecord zone = zones.apply(copy.zone());
            if (zone != null
                    && zone.placement().epoch() == copy.epoch()
                    && Arrays.stream(zone.placement().backups()).anyMatch(nid -> nid == copy.backupNid())) {
                told.put(copy, now);
            }
        }
    }

    /** Returns of how many members something is kept. */
    int size() {
        return told.size();
    }

    /** Returns whether the owner of a zone has told lately that a member has lost its copy in the present epoch. */
    boolean has(ZoneRecord zone, int memberNid) {
        Told by = told.get(new LostCopy(zone.id(), zone.placement().epoch(), memberNid));
        return by != null
                && by.ownerNid == zone.placement().owner()
                && by.ownerEpoch == zone.ownerEpoch()
                && node.nanoTime() - by.nanos < FORGET_NANOS;
    }

    void forgetOld() {
        told.values().removeIf(by -> node.nanoTime() - by.nanos >= FORGET_NANOS);
    }
}
