package dev.granary.simulation;

import dev.granary.client.admin.BackupCalls;
import dev.granary.net.message.RangeMessages.CreatorList.Creator;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads everything as a cluster backup does, while clients work: all CIDs that the arcs list, each chunk through its
 * owner (ADR 0140). The history records what is read. Every chunk that existed before the backup began must be listed.
 */
final class BackupFaults {

    private static final int BATCH = 256;

    /** Of the CIDs that no client was told, one in this many is read. */
    private static final int SAMPLE = 16;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final List<Long> cids;
    private @Nullable Backup running;

    /**
     * @param cids that clients have created; the list grows
     */
    BackupFaults(SimulatedCluster cluster, List<Long> cids) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.cids = cids;
    }

    /** Whether no cluster backup is being read; at most one is read at a time. */
    boolean isIdle() {
        return running == null;
    }

    BooleanSupplier begin(Fault fault) {
        SimulatedCluster.Operator operator = cluster.operator().orElse(null);
        Backup present = running;
        if (operator == null || present != null) {
            return () -> present != null && present.ended;
        }
        Backup backup = new Backup(
                operator.admin().backups(),
                new RecordingClient(
                        "backup-" + fault.id(),
                        operator.client(),
                        cluster,
                        simulation.random("payloads of backup " + fault.id())));
        running = backup;
        operator.scheduler().execute(() -> {
            var _ = backup.read().whenComplete((done, failure) -> {
                running = null;
                if (failure != null && failure.getCause() instanceof AssertionError wrong) {
                    simulation.after(0, "failure of a backup", () -> {
                        throw wrong;
                    });
                }
            });
        });
        return () -> backup.ended;
    }

    /** One cluster backup. */
    private final class Backup {

        private final BackupCalls calls;
        private final RecordingClient client;
        private final Set<Long> known = new HashSet<>();
        private final List<Long> wanted = new ArrayList<>();
        private boolean ended;

        Backup(BackupCalls calls, RecordingClient client) {
            this.calls = calls;
            this.client = client;
            cids.stream().filter(cid -> !cluster.mayBeLost(cid)).forEach(known::add);
        }

        CompletableFuture<Void> read() {
            return calls.creators()
                    .thenCompose(creators -> look(creators, 0))
                    .thenCompose(looked -> {
                        requireAllKnown();
                        return readFrom(0);
                    })
                    .thenRun(() -> ended = !wanted.isEmpty());
        }

        private CompletableFuture<Void> look(List<Creator> creators, int index) {
            return index == creators.size()
                    ? CompletableFuture.completedFuture(null)
                    : look(creators.get(index), Cid.firstOf(creators.get(index).nid()))
                            .thenCompose(done -> look(creators, index + 1));
        }

        private CompletableFuture<Void> look(Creator creator, long fromCid) {
            return calls.ranges(creator.nid(), fromCid).thenCompose(page -> {
                add(creator, page);
                return page.nextCid() == 0 ? CompletableFuture.completedFuture(null) : look(creator, page.nextCid());
            });
        }

        private void add(Creator creator, RangeList page) {
            for (CidRange range : page.ranges()) {
                Placement placement = range.placement();
                boolean own = placement.owner() == creator.nid() && placement.zone() == 0;
                long first = Math.max(Cid.lid(range.startCid()), own ? creator.firstLid() : Cid.MIN_LID);
                long last = Math.min(Cid.lid(range.endCidInclusive()), creator.lidLimit() - 1);
                for (long lid = first; lid <= last && placement.state() != PlacementState.LOST; lid++) {
                    wanted.add(Cid.of(creator.nid(), lid));
                }
            }
        }

        private void requireAllKnown() {
            Set<Long> found = new HashSet<>(wanted);
            for (long cid : known) {
                if (!found.contains(cid) && !cluster.mayBeLost(cid)) {
                    throw new AssertionError(
                            "a backup does not read chunk " + Cid.toHex(cid) + ", which was there before it began");
                }
            }
        }

        private CompletableFuture<Void> readFrom(int index) {
            if (index >= wanted.size()) {
                return CompletableFuture.completedFuture(null);
            }
            int end = Math.min(wanted.size(), index + BATCH);
            // Skips chunks that are gone: nobody answers for them, so each such batch would wait until its operation
            // timed out.
            List<Long> batch = wanted.subList(index, end).stream()
                    .filter(cid -> !cluster.isGone(cid))
                    .toList();
            long[] told = batch.stream()
                    .filter(known::contains)
                    .mapToLong(Long::longValue)
                    .toArray();
            long[] others = batch.stream()
                    .filter(cid -> !known.contains(cid) && cid % SAMPLE == 0)
                    .mapToLong(Long::longValue)
                    .toArray();
            return client.readAll(told)
                    .thenCompose(read -> client.client().getAll(others))
                    .handle((values, failure) -> {
                        if (values != null) {
                            values.stream().filter(value -> value != null).forEach(Payload::valueOf);
                        }
                        return null;
                    })
                    .thenCompose(done -> readFrom(end));
        }
    }
}
