package dev.granary.simulation;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.net.message.PlanReply;
import dev.granary.overlay.Nid;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Has storage peers emptied, or filled, by plans of many moves, which are aborted if they are not done in time. */
final class PlanFaults {

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
        AsyncGranaryClient client = operator.client();
        CompletableFuture<PlanReply> plan =
                fault.kind() == FaultKind.DRAIN ? client.startDrain(nid) : client.startSpread(nid);
        // A plan may be refused, or its arc out of reach: what is asked here is only whether there was one.
        var _ = plan.thenAccept(begun -> {
                    effect.taken = begun.moves() > 0;
                    operator.scheduler().schedule(fault.durationNanos(), () -> {
                        var _ = client.abortPlan(begun.homeNid(), begun.number())
                                .exceptionally(failure -> null);
                    });
                })
                .exceptionally(failure -> null);
    }
}
