package dev.granary.simulation;

import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.overlay.Nid;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Drains storage peers, or gives them their share, by rebalance plans of many moves, and aborts plans that are not done
 * in time. A drained peer must take chunks again afterwards, even if answers were lost: the operator looks which plans
 * exist, and ends them one by one.
 */
final class PlanFaults {

    private static final long LOOK_NANOS = 500_000_000;

    /** How often the operator looks for drains of a peer; a drain whose answer was lost may begin late. */
    private static final int LOOKS = 20;

    private static final Pattern DRAINS = Pattern.compile("\"plan\":\"(0x[0-9a-f]+)/(\\d+)\",\"kind\":\"drain\","
            + "\"nid\":\"(0x[0-9a-f]+)\",\"state\":\"(?:running|done)\"");

    private final SimulatedCluster cluster;

    /** Whether there was something to move. */
    private static final class Effect {
        private boolean taken;
    }

    PlanFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    BooleanSupplier begin(Fault fault) {
        Effect effect = new Effect();
        int nid = cluster.storagePeer(fault.target()).lastNid();
        if (nid == Nid.NONE) {
            return () -> false;
        }
        cluster.operator()
                .ifPresent(operator -> operator.scheduler().execute(() -> start(operator, fault, nid, effect)));
        return () -> effect.taken;
    }

    private static void start(SimulatedCluster.Operator operator, Fault fault, int nid, Effect effect) {
        AsyncClusterAdmin client = operator.admin();
        if (fault.kind() == FaultKind.DRAIN) {
            var _ = client.startDrain(nid).handle((begun, failure) -> {
                effect.taken = begun != null && begun.moves() > 0;
                operator.scheduler().schedule(fault.durationNanos(), () -> endDrains(operator, nid, LOOKS));
                return null;
            });
            return;
        }
        CompletableFuture<PlanReply> plan = client.startSpread(nid);
        // A plan may be refused, or its arc may be out of reach: this asks only whether there was a plan.
        var _ = plan.thenAccept(begun -> {
                    effect.taken = begun.moves() > 0;
                    operator.scheduler().schedule(fault.durationNanos(), () -> {
                        var _ = client.abortPlan(begun.homeNid(), begun.number())
                                .exceptionally(failure -> null);
                    });
                })
                .exceptionally(failure -> null);
    }

    private static void endDrains(SimulatedCluster.Operator operator, int nid, int looks) {
        var _ = operator.admin().plansJson().handle((texts, failure) -> {
            if (texts != null) {
                texts.forEach(text -> abortDrains(operator.admin(), nid, text));
            }
            if (looks > 1) {
                operator.scheduler().schedule(LOOK_NANOS, () -> endDrains(operator, nid, looks - 1));
            }
            return null;
        });
    }

    private static void abortDrains(AsyncClusterAdmin client, int nid, String plans) {
        Matcher drains = DRAINS.matcher(plans);
        while (drains.find()) {
            if (Nid.parse(drains.group(3)) == nid) {
                var _ = client.abortPlan(Nid.parse(drains.group(1)), Long.parseLong(drains.group(2)))
                        .exceptionally(failure -> null);
            }
        }
    }
}
