package dev.granary.simulation;

import dev.granary.client.admin.AsyncClusterAdmin;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.MigrationState;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.testkit.SimulatedNetwork;
import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Migrates chunks while clients use them, kills a process that takes part, or holds answers back. */
final class MigrationFaults {

    /** A migration of one chunk takes one of this many newest chunks, which clients are just using. */
    private static final int BUSY_CHUNKS = 24;

    private static final long RESTART_NANOS = 100_000_000;

    /**
     * For how long answers are held back before a migration begins, so that some changes are carried out meanwhile.
     */
    private static final long MUTE_BEFORE_NANOS = 200_000_000;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final List<Long> cids;

    /** Whether a fault has taken effect. */
    private static final class Effect {
        private boolean taken;
    }

    /**
     * @param cids that clients have created; the list grows
     */
    MigrationFaults(SimulatedCluster cluster, List<Long> cids) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.cids = cids;
    }

    /** Begins a migration of chunks that the fault's amount chooses, to the storage peer that the fault names. */
    BooleanSupplier begin(Fault fault) {
        Effect effect = new Effect();
        if (cids.isEmpty() || cluster.operator().isEmpty()) {
            return () -> false;
        }
        int busy = Math.min(BUSY_CHUNKS, cids.size());
        long cid = cids.get(cids.size() - 1 - (int) (fault.amount() % busy));
        if (cluster.isGone(cid)) {
            cid = cids.getLast();
        }
        int target = targetOf(fault, cid);
        boolean one = fault.kind() == FaultKind.MIGRATE_CHUNK || fault.amount() % 3 == 0;
        long start = one ? cid : Math.max(Cid.firstOf(Cid.nid(cid)), cid - fault.amount() % 40);
        SimulatedCluster.Operator operator = cluster.operator().get();
        long end = cid;
        Runnable migrate = () -> migrate(fault, operator.admin(), start, end, target, effect);
        if (fault.kind() != FaultKind.MUTE_MIGRATION) {
            operator.scheduler().execute(migrate);
            return () -> effect.taken;
        }
        BooleanSupplier muted = storageMachine(Cid.nid(end))
                .map(creator -> mute(creator.name(), MUTE_BEFORE_NANOS + fault.durationNanos()))
                .orElse(() -> false);
        operator.scheduler().schedule(MUTE_BEFORE_NANOS, migrate);
        return () -> effect.taken && muted.getAsBoolean();
    }

    /** Holds up all frames from a machine to clients for a while; the result tells whether one was held up. */
    private BooleanSupplier mute(String machine, long whileNanos) {
        SimulatedNetwork network = simulation.network();
        List<String> clients =
                cluster.clients().stream().map(RecordingClient::name).toList();
        int before = heldUp(machine, clients);
        clients.forEach(client -> network.cut(machine, client));
        simulation.after(whileNanos, "end of fault", () -> clients.forEach(client -> network.heal(machine, client)));
        return () -> heldUp(machine, clients) > before;
    }

    private int heldUp(String machine, List<String> clients) {
        return clients.stream()
                .mapToInt(client -> simulation.network().blocked(machine, client))
                .sum();
    }

    private int targetOf(Fault fault, long cid) {
        int wanted = cluster.storagePeer(fault.other()).lastNid();
        if (wanted != Nid.NONE && wanted != Cid.nid(cid)) {
            return wanted;
        }
        return cluster.storagePeers().stream()
                .map(StorageMachine::lastNid)
                .filter(nid -> nid != Nid.NONE && nid != Cid.nid(cid))
                .findFirst()
                .orElse(wanted);
    }

    private void migrate(Fault fault, AsyncClusterAdmin operator, long start, long end, int target, Effect effect) {
        var _ = operator.beginMigration(start, end, target)
                .thenCompose(begun -> {
                    if (begun.state() == MigrationState.RUNNING) {
                        victim(fault, begun, target).ifPresent(machine -> killSoon(fault, machine, effect));
                    }
                    return operator.awaitMigration(begun).thenAccept(ended -> ended(fault, begun, ended, effect));
                })
                // This does not ask whether the migration succeeds: it may be impossible, or its arc may be out of
                // reach.
                .exceptionally(failure -> null);
    }

    private static void ended(Fault fault, MigrationReply begun, MigrationReply ended, Effect effect) {
        boolean kills =
                switch (fault.kind()) {
                    case CRASH_MIGRATION_SOURCE, CRASH_MIGRATION_TARGET, CRASH_MIGRATION_SUPER_PEER -> true;
                    default -> false;
                };
        if (!kills && begun.number() != 0 && ended.state() == MigrationState.COMMITTED) {
            effect.taken = true;
        }
    }

    private Optional<? extends Machine> victim(Fault fault, MigrationReply begun, int target) {
        return switch (fault.kind()) {
            case CRASH_MIGRATION_SOURCE -> storageMachine(begun.creatorNid());
            case CRASH_MIGRATION_TARGET -> storageMachine(target);
            case CRASH_MIGRATION_SUPER_PEER -> cluster.superPeerOf(begun.creatorNid());
            default -> Optional.empty();
        };
    }

    private Optional<StorageMachine> storageMachine(int nid) {
        return cluster.storagePeers().stream()
                .filter(machine -> machine.lastNid() == nid)
                .findFirst();
    }

    private void killSoon(Fault fault, Machine machine, Effect effect) {
        simulation.after(fault.durationNanos(), "kill in migration", () -> {
            effect.taken |= machine.node().isRunning();
            machine.kill();
            simulation.after(RESTART_NANOS, "start " + machine.name(), machine::startIfDown);
        });
    }
}
