package dev.granary.simulation;

import dev.granary.client.admin.BackupCalls;
import dev.granary.client.admin.RestoredChunks;
import dev.granary.env.Scheduler;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.SlotGroup;
import dev.granary.testkit.Operation;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Restores chunks of a cluster backup whose creator this cluster does not know, while clients work (ADR 0140). Clients
 * ask for them at once and wait until the chunks are there.
 */
final class RestoreFaults {

    /** All NIDs of slot groups, which nobody restores, have it. */
    private static final int A_BIT_OF_GROUPS = 0x80;

    private static final int PARTS = 4;
    private static final int PART_LIDS = 16;
    private static final long MARK = PARTS * PART_LIDS + 1;
    private static final long BACKUP = 77;
    private static final long AGAIN_NANOS = 300_000_000;
    private static final int USUAL_PAYLOAD_BYTES = 108;

    private final SimulatedCluster cluster;
    private final List<Long> cids;
    private int running;

    /**
     * @param cids that clients know; restored ones are added
     */
    RestoreFaults(SimulatedCluster cluster, List<Long> cids) {
        this.cluster = cluster;
        this.cids = cids;
    }

    /** Whether nothing is being restored. */
    boolean isIdle() {
        return running == 0;
    }

    BooleanSupplier begin(Fault fault) {
        SimulatedCluster.Operator operator = cluster.operator().orElse(null);
        if (operator == null) {
            return () -> false;
        }
        // Storage peers get NIDs that end with more zeros than this one.
        int chosen = (int) (fault.amount() & 0x3FFF) << 2 | 2;
        int creator = SlotGroup.isGroup(chosen) ? chosen & ~A_BIT_OF_GROUPS : chosen;
        Restore restore = new Restore(operator.admin().backups(), operator.scheduler(), creator, fault.amount());
        running++;
        operator.scheduler().execute(restore::run);
        return () -> restore.ended;
    }

    /** One restore; each step is repeated until it succeeds. */
    private final class Restore {

        private final BackupCalls calls;
        private final Scheduler scheduler;
        private final int creator;
        private final RandomGenerator random;
        private int tries;
        private boolean ended;

        Restore(BackupCalls calls, Scheduler scheduler, int creator, long seed) {
            this.calls = calls;
            this.scheduler = scheduler;
            this.creator = creator;
            this.random = new SplittableRandom(seed);
        }

        void run() {
            untilDone(() -> calls.restoreCreator(creator, MARK, BACKUP), () -> restore(0));
        }

        private void untilDone(Supplier<CompletableFuture<Void>> step, Runnable next) {
            var _ = step.get().handle((done, failure) -> {
                if (failure == null) {
                    next.run();
                } else {
                    scheduler.schedule(AGAIN_NANOS, () -> untilDone(step, next));
                }
                return null;
            });
        }

        private void restore(int part) {
            if (part == PARTS) {
                untilDone(() -> calls.endRestore(creator), () -> {
                    ended = true;
                    running--;
                });
                return;
            }
            long start = Cid.of(creator, (long) part * PART_LIDS + 1);
            long end = start + PART_LIDS - 1;
            List<Operation> creates = new ArrayList<>();
            long[] restored = new long[PART_LIDS / 2];
            int[] sizes = new int[restored.length];
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            for (int i = 0; i < restored.length; i++) {
                restored[i] = start + 2L * i;
                long value = cluster.values().next();
                byte[] content = Payload.of(value, random, USUAL_PAYLOAD_BYTES);
                sizes[i] = content.length;
                payload.writeBytes(content);
                creates.add(cluster.history().create("restore", value));
                cids.add(restored[i]);
            }
            lay(
                    new RestoredChunks(start, end, restored, sizes, payload.toByteArray()),
                    creates,
                    () -> restore(part + 1));
        }

        /** Offers the chunks to one storage peer after the other, until one takes them. */
        private void lay(RestoredChunks chunks, List<Operation> creates, Runnable next) {
            List<StorageMachine> peers = cluster.storagePeers();
            int target = peers.get(tries++ % peers.size()).lastNid();
            CompletableFuture<Void> laid = target == Nid.NONE
                    ? CompletableFuture.failedFuture(new IllegalStateException("it has no NID"))
                    : calls.restore(chunks, target);
            var _ = laid.handle((done, failure) -> {
                if (failure == null) {
                    laid(chunks, creates, next);
                } else {
                    scheduler.schedule(AGAIN_NANOS, () -> look(chunks, creates, next));
                }
                return null;
            });
        }

        /** The answer may be lost: asks the arc whether the chunks still wait. */
        private void look(RestoredChunks chunks, List<Operation> creates, Runnable next) {
            var _ = calls.ranges(creator, chunks.startCid()).handle((page, failure) -> {
                if (page == null) {
                    scheduler.schedule(AGAIN_NANOS, () -> look(chunks, creates, next));
                } else if (page.ranges().getFirst().placement().state() == PlacementState.RECOVERING
                        && page.ranges().getFirst().placement().zone() == 0) {
                    lay(chunks, creates, next);
                } else {
                    laid(chunks, creates, next);
                }
                return null;
            });
        }

        private void laid(RestoredChunks chunks, List<Operation> creates, Runnable next) {
            for (int i = 0; i < creates.size(); i++) {
                creates.get(i).created(chunks.cids()[i]);
            }
            next.run();
        }
    }
}
