package dev.granary.operator.status;

import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.observe.ClusterView.Zones;
import dev.granary.operator.plan.ClusterPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the conditions about copies of chunks (docs/guides/durability.md). */
final class Backups {
    private static final String REPLICATED = "Replicated";
    private static final String CHUNKS_LOST = "ChunksLost";
    private static final String RECOVERING = "Recovering";
    private static final String COPIES_MISSING = "CopiesMissing";

    private final ClusterPlan.Copies asked;
    private final ClusterView view;

    Backups(ClusterPlan plan, ClusterView view) {
        this.asked = plan.copies();
        this.view = view;
    }

    /** Returns the condition that every chunk has as many copies as it should. */
    Verdict replicated() {
        Zones zones = view.zones();
        if (zones == null) {
            return new Verdict(REPLICATED, "Unknown", "NotTold", "the super-peers do not tell about copies");
        }
        if (asked.backups() == 0) {
            return Verdict.no(
                    REPLICATED,
                    "CopiesOff",
                    "storagePeers.copies is 0: every chunk exists once, in RAM, and a storage peer that crashes loses its"
                            + " chunks. Planned stops hand them over first");
        }
        if (zones.recovering() > 0) {
            return Verdict.no(REPLICATED, RECOVERING, recovering(zones));
        }
        if (zones.lost() > 0) {
            return Verdict.no(REPLICATED, CHUNKS_LOST, lost(zones));
        }
        if (staying() <= 1) {
            return Verdict.no(
                    REPLICATED,
                    "OneStoragePeer",
                    "there is no other storage peer that could keep copies: every chunk exists once, in RAM. Raise"
                            + " spec.storagePeers.replicas to 3 or more; with 2, writes are refused while one is away");
        }
        if (zones.degraded() > 0) {
            return Verdict.no(REPLICATED, COPIES_MISSING, missing(zones));
        }
        long copies =
                view.storagePeers().stream().mapToLong(StoragePeer::copies).sum();
        long least = zones.inSync() * copiesOfEach();
        if (copies < least) {
            return Verdict.no(
                    REPLICATED,
                    COPIES_MISSING,
                    "there are " + copies + " copies of " + zones.inSync() + " zones, but storagePeers.copies asks for "
                            + least + ": super-peers take the new number with their new template");
        }
        return Verdict.yes(
                REPLICATED,
                "AllCopies",
                "all " + zones.inSync() + " zones have " + copiesOfEach() + " or more copies on other storage peers");
    }

    /**
     * Returns the problem with copies; {@code null} for none. Copies that move for a planned stop are not a problem.
     */
    @Nullable
    Verdict degraded(boolean somebodyGoes) {
        Zones zones = view.zones();
        if (zones == null) {
            return null;
        }
        if (zones.recovering() > 0) {
            return Verdict.yes(Conditions.DEGRADED, RECOVERING, recovering(zones));
        }
        if (zones.lost() > 0) {
            return Verdict.yes(Conditions.DEGRADED, CHUNKS_LOST, lost(zones));
        }
        if (zones.degraded() > 0 && !somebodyGoes) {
            return Verdict.yes(Conditions.DEGRADED, COPIES_MISSING, missing(zones));
        }
        return null;
    }

    /** Returns the number of storage peers that have or may take copies, by the count of the super-peers. */
    private long staying() {
        return view.storagePeers().stream().filter(peer -> !peer.leaving()).count();
    }

    private long copiesOfEach() {
        return Math.min(asked.backups(), staying() - 1);
    }

    private String recovering(Zones zones) {
        List<String> waitsFor = zones.waitsFor().stream().map(this::name).toList();
        return zones.recovering() + " of " + all(zones) + " zones are being recovered from copies; their chunks are not"
                + " served until then"
                + (waitsFor.isEmpty()
                        ? ""
                        : ". Waited for: " + String.join(", ", waitsFor)
                                + ". If they never come back, 'granary recover ZONE --accept-loss' takes the best copy"
                                + " that there is");
    }

    private static String lost(Zones zones) {
        return zones.lost() + " of " + all(zones)
                + " zones had no copy left: their chunks are gone, and a get says so. Load"
                + " them again from where they came from" + (zones.degraded() > 0 ? "; " + missing(zones) : "");
    }

    private static String missing(Zones zones) {
        return zones.degraded() + " of " + all(zones)
                + " zones have fewer copies than they should; others are being made";
    }

    private static int all(Zones zones) {
        return zones.inSync() + zones.degraded() + zones.recovering() + zones.lost();
    }

    private String name(String nid) {
        return view.storagePeers().stream()
                .filter(peer -> peer.nid().equals(nid))
                .map(StoragePeer::name)
                .findFirst()
                .orElse(nid);
    }
}
