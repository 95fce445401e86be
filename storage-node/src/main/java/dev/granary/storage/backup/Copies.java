package dev.granary.storage.backup;

import dev.granary.log.backup.AppendResult;
import dev.granary.log.backup.BackupLog;
import dev.granary.log.backup.ZoneHeader;
import dev.granary.log.backup.ZoneResult;
import dev.granary.log.backup.ZoneSummary;
import dev.granary.net.message.ReplicationMessages.CopyFilled;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies of zones in the log of this backup. Owners and super-peers change them. Thread-safe.
 *
 * <p>Invariants: (1) a copy takes nothing of an epoch below the highest that was opened or sealed; (2) a copy is cut
 * only when it is opened in an epoch that is new to it, so that a late or repeated opening removes nothing, and never
 * below the sequence from which it is whole; (3) changes of one copy other than appends are made one after the other.
 */
final class Copies {

    private static final Logger LOG = LoggerFactory.getLogger(Copies.class);

    private final BackupLog log;
    private final LongSupplier incarnationEpoch;
    private final CopyTurns turns = new CopyTurns();

    /** How many zones are remembered at most whose copies were dropped here. */
    private static final int MOST_DROPPED = 1 << 16;

    /** The highest epoch that was sealed, for zones without a copy here. */
    private final Map<Integer, Long> absentSeals = new ConcurrentHashMap<>();

    /** The highest epoch that was promised, for zones whose copies were lost when a former log failed. */
    private final Map<Integer, Long> lost;

    /** Zones whose copies this process dropped, so that it must not say that a copy was never here. */
    private final Set<Integer> dropped = ConcurrentHashMap.newKeySet();

    /** Whether {@link #dropped} is incomplete, so that this process no longer knows which zones had a copy here. */
    private volatile boolean forgot;

    /** The progress of copies that are being filled, by zone. */
    private final Map<Integer, Filling> fillings = new ConcurrentHashMap<>();

    /** The zones of copies with damage. */
    private volatile Set<Integer> damaged = Set.of();

    /** The header with which this process has last opened each copy, durably. */
    private final Map<Integer, ZoneHeader> opened = new ConcurrentHashMap<>();

    /** The progress of the fill of a copy. */
    private static final class Filling {
        private final ZoneHeader header;
        private int nextStep;

        Filling(ZoneHeader header) {
            this.header = header;
        }

        private long epoch() {
            return header.epoch();
        }
    }

    /**
     * Makes the copies of a log that is open.
     *
     * @param incarnationEpoch the epoch of this incarnation, 0 before its first lease
     * @param lost zones whose copies were lost with a former log, with the highest epoch that was promised
     */
    Copies(BackupLog log, LongSupplier incarnationEpoch, Map<Integer, Long> lost) {
        this.log = log;
        this.incarnationEpoch = incarnationEpoch;
        this.lost = lost;
    }

    /** Returns the highest epoch that was promised for each zone; it must be remembered when the log is given up. */
    Map<Integer, Long> promises() {
        Map<Integer, Long> promised = new HashMap<>(lost);
        absentSeals.forEach((zone, epoch) -> promised.merge(zone, epoch, Math::max));
        log.zones().forEach(zone -> promised.merge(zone.zone(), zone.fence(), Math::max));
        return promised;
    }

    private static CopyResult resultOf(AppendResult.Status status) {
        return switch (status) {
            case APPENDED, DUPLICATE -> CopyResult.OK;
            case GAP -> CopyResult.GAP;
            case FENCED -> CopyResult.FENCED;
            case UNKNOWN_ZONE -> CopyResult.UNKNOWN_ZONE;
            case BUSY -> CopyResult.BUSY;
            case FULL -> CopyResult.FULL;
            case BROKEN, FAILED -> CopyResult.FAILED;
        };
    }

    /**
     * Appends batches to the copy of a zone. Without batches it only returns the state of the copy.
     *
     * @param batches whole batches between position and limit
     */
    CopyState append(int zone, long epoch, ByteBuffer batches, BatchBytes parts) {
        if (damaged.contains(zone)) {
            // The owner fills another copy, here or elsewhere: that is the repair.
            return new CopyState(zone, CopyResult.FAILED, epoch, 0);
        }
        if (!batches.hasRemaining()) {
            return held(zone, epoch);
        }
        long held = 0;
        int end = batches.limit();
        for (int begin = batches.position(); begin < end; ) {
            int next = parts.endOf(batches.limit(end), begin);
            if (next < 0) {
                return new CopyState(zone, CopyResult.FAILED, epoch, held);
            }
            AppendResult result = log.append(batches.limit(next).position(begin));
            if (!result.isHeld()) {
                batches.limit(end);
                return notHeld(zone, epoch, result);
            }
            held = parts.sequence();
            begin = next;
        }
        batches.limit(end);
        return new CopyState(zone, CopyResult.OK, epoch, held);
    }

    private CopyState held(int zone, long epoch) {
        ZoneSummary summary = log.zone(zone);
        if (log.hasFailed()) {
            return new CopyState(zone, CopyResult.FAILED, epoch, 0);
        } else if (summary == null || summary.epoch() < epoch) {
            return new CopyState(zone, CopyResult.UNKNOWN_ZONE, epoch, 0);
        } else if (epoch < summary.fence()) {
            return new CopyState(zone, CopyResult.FENCED, summary.fence(), summary.lastSequence());
        }
        return new CopyState(zone, CopyResult.OK, epoch, summary.lastSequence());
    }

    private CopyState notHeld(int zone, long epoch, AppendResult result) {
        long lastSequence = result.status() == AppendResult.Status.GAP ? result.value() - 1 : lastSequence(zone);
        long known = result.status() == AppendResult.Status.FENCED ? result.value() : epoch;
        return new CopyState(zone, resultOf(result.status()), known, lastSequence);
    }

    private long lastSequence(int zone) {
        ZoneSummary summary = log.zone(zone);
        return summary == null ? 0 : summary.lastSequence();
    }

    /** Looks for copies with damage. Such a copy takes no batch until its owner opens a new one in its place. */
    void lookForDamage() {
        if (!log.isDamaged()) {
            damaged = Set.of();
            return;
        }
        Set<Integer> found = new TreeSet<>();
        for (ZoneSummary summary : log.zones()) {
            if (!summary.damage().isEmpty()) {
                found.add(summary.zone());
                if (!damaged.contains(summary.zone())) {
                    LOG.error("a copy is damaged: {}", summary.damage().getFirst());
                }
            }
        }
        damaged = found;
    }

    /** Opens a copy for an owner. */
    CompletableFuture<CopyState> open(UUID clusterId, int ownerNid, OpenCopies.Opening wanted) {
        ZoneHeader header = new ZoneHeader(
                clusterId,
                wanted.zone(),
                ownerNid,
                wanted.epoch(),
                wanted.members(),
                wanted.baseSequence(),
                wanted.filling());
        return turns.take(wanted.zone(), () -> {
            ZoneSummary present = log.zone(wanted.zone());
            if (present == null) {
                return openAbsent(header);
            }
            if (isOpenedSo(present, header)) {
                // It waited for the opening before it, which is durable: nothing is left to do for the disk.
                return CompletableFuture.completedFuture(
                        new CopyState(wanted.zone(), CopyResult.OK, wanted.epoch(), present.lastSequence()));
            }
            boolean cuts = wanted.epoch() > present.epoch()
                    && wanted.epoch() >= present.fence()
                    && !wanted.filling()
                    && wanted.baseSequence() < present.lastSequence();
            if (!cuts) {
                return openPresent(header);
            }
            if (wanted.baseSequence() < present.baseSequence()) {
                // What the copy was filled with may have changes up to there: it has to be filled again.
                return CompletableFuture.completedFuture(
                        new CopyState(wanted.zone(), CopyResult.UNKNOWN_ZONE, wanted.epoch(), 0));
            }
            return log.truncateAfter(wanted.zone(), wanted.baseSequence()).thenCompose(cut -> openPresent(header));
        });
    }

    /** Returns whether the copy was opened with this header before, but not to be filled; the cut does not matter. */
    private boolean isOpenedSo(ZoneSummary present, ZoneHeader header) {
        ZoneHeader before = opened.get(header.zone());
        return before != null
                && !before.filling()
                && !header.filling()
                && before.clusterId().equals(header.clusterId())
                && before.owner() == header.owner()
                && before.epoch() == header.epoch()
                && before.members().equals(header.members())
                && present.epoch() == header.epoch()
                && present.fence() == header.epoch()
                && !log.hasFailed();
    }

    private CompletableFuture<CopyState> openAbsent(ZoneHeader header) {
        long before = lost.getOrDefault(header.zone(), 0L);
        if (header.epoch() <= before && !header.filling()) {
            // An empty log must not pass for the copy that its owner, or who recovers it, counts on.
            return CompletableFuture.completedFuture(
                    new CopyState(header.zone(), CopyResult.UNKNOWN_ZONE, header.epoch(), 0));
        }
        long sealed = Math.max(before, absentSeals.getOrDefault(header.zone(), 0L));
        if (header.epoch() < sealed) {
            return CompletableFuture.completedFuture(new CopyState(header.zone(), CopyResult.FENCED, sealed, 0));
        }
        return openPresent(header);
    }

    private CompletableFuture<CopyState> openPresent(ZoneHeader header) {
        return log.openZone(header).thenApply(result -> {
            if (result.isDone()) {
                opened.put(header.zone(), header);
                absentSeals.remove(header.zone());
                if (!header.filling()) {
                    fillings.remove(header.zone());
                } else if (!isFilling(header)) {
                    // Only the very same opening leaves the log as it is; any other one begins with an empty one.
                    fillings.put(header.zone(), new Filling(header));
                }
            }
            return state(header.zone(), result);
        });
    }

    private boolean isFilling(ZoneHeader header) {
        Filling filling = fillings.get(header.zone());
        return filling != null && filling.header.equals(header);
    }

    /** Says that this incarnation began in another process, of which only the log is known. */
    void resumed() {
        forgot = true;
    }

    /** Returns whether this peer certainly had no copy of a zone since this incarnation began. */
    private boolean neverHad(int zone) {
        return !forgot && !lost.containsKey(zone) && !dropped.contains(zone);
    }

    private void rememberDropped(int zone) {
        if (dropped.size() < MOST_DROPPED) {
            dropped.add(zone);
        } else {
            forgot = true;
        }
    }

    /** Returns the answer for a zone without a copy, see {@link SealedCopies.Copy}. */
    private SealedCopies.Copy absent(int zone, long fencedEpoch) {
        long incarnation = neverHad(zone) ? incarnationEpoch.getAsLong() : 0;
        return new SealedCopies.Copy(zone, false, incarnation, 0, 0, incarnation != 0, false, fencedEpoch, 0);
    }

    /** Seals a copy: from now on it refuses owners of lower epochs. Durable when the future completes. */
    CompletableFuture<SealedCopies.Copy> seal(ZoneEpoch wanted) {
        int zone = wanted.zone();
        return turns.take(zone, () -> {
            if (log.zone(zone) == null) {
                long epoch = absentSeals.merge(zone, wanted.epoch(), Math::max);
                return CompletableFuture.completedFuture(absent(zone, epoch));
            }
            return log.seal(zone, wanted.epoch()).thenApply(result -> {
                ZoneSummary summary = log.zone(zone);
                if (result.status() == ZoneResult.Status.UNKNOWN_ZONE || summary == null) {
                    return new SealedCopies.Copy(zone, false, 0, 0, 0, false, false, wanted.epoch(), 0);
                }
                boolean continuous = result.continuous() && summary.damage().isEmpty();
                return new SealedCopies.Copy(
                        zone,
                        true,
                        summary.epoch(),
                        summary.baseSequence(),
                        result.lastSequence(),
                        continuous,
                        result.filled(),
                        result.epoch(),
                        summary.liveBytes());
            });
        });
    }

    /** Takes one step of the base of a new copy. */
    CopyState fill(int zone, long epoch, int step, ByteBuffer batches, BatchBytes parts) {
        Filling filling = fillings.get(zone);
        ZoneSummary summary = log.zone(zone);
        if (filling == null || summary == null || filling.epoch() != epoch || summary.fence() > epoch) {
            return notFilling(zone, epoch, summary);
        }
        synchronized (filling) {
            if (step < filling.nextStep) {
                return new CopyState(zone, CopyResult.OK, epoch, summary.lastSequence());
            }
            if (step > filling.nextStep) {
                return new CopyState(zone, CopyResult.GAP, epoch, summary.lastSequence());
            }
            CopyState refused = appendBase(zone, epoch, batches, parts);
            if (refused != null) {
                return refused;
            }
            filling.nextStep++;
        }
        return new CopyState(zone, CopyResult.OK, epoch, summary.lastSequence());
    }

    private static CopyState notFilling(int zone, long epoch, @Nullable ZoneSummary summary) {
        if (summary == null) {
            return new CopyState(zone, CopyResult.UNKNOWN_ZONE, epoch, 0);
        }
        return summary.fence() > epoch
                ? new CopyState(zone, CopyResult.FENCED, summary.fence(), summary.lastSequence())
                : new CopyState(zone, CopyResult.UNKNOWN_ZONE, epoch, summary.lastSequence());
    }

    private @Nullable CopyState appendBase(int zone, long epoch, ByteBuffer batches, BatchBytes parts) {
        int end = batches.limit();
        for (int begin = batches.position(); begin < end; ) {
            int next = parts.endOf(batches.limit(end), begin);
            if (next < 0) {
                return new CopyState(zone, CopyResult.FAILED, epoch, lastSequence(zone));
            }
            AppendResult result = log.appendBase(batches.limit(next).position(begin));
            if (!result.isHeld()) {
                return notHeld(zone, epoch, result);
            }
            begin = next;
        }
        return null;
    }

    /** Marks a copy as filled, durably, if all steps have come, and all changes that they may have. */
    CompletableFuture<CopyState> filled(CopyFilled wanted) {
        int zone = wanted.zone();
        long epoch = wanted.epoch();
        return turns.take(zone, () -> {
            ZoneSummary summary = log.zone(zone);
            if (summary != null && summary.filled() && summary.epoch() == epoch && summary.fence() == epoch) {
                return CompletableFuture.completedFuture(
                        new CopyState(zone, CopyResult.OK, epoch, summary.lastSequence()));
            }
            Filling filling = fillings.get(zone);
            if (summary == null || filling == null || filling.epoch() != epoch || summary.fence() > epoch) {
                return CompletableFuture.completedFuture(notFilling(zone, epoch, summary));
            }
            boolean gap = summary.lastSequence() < wanted.wholeFrom();
            synchronized (filling) {
                gap |= filling.nextStep != wanted.steps();
            }
            if (gap) {
                return CompletableFuture.completedFuture(
                        new CopyState(zone, CopyResult.GAP, epoch, summary.lastSequence()));
            }
            return log.filled(zone, wanted.wholeFrom()).thenApply(result -> {
                fillings.remove(zone);
                return state(zone, result);
            });
        });
    }

    /** Drops a copy if its epoch is lower than the wanted one, or the same and the copy is not filled. */
    CompletableFuture<Boolean> drop(ZoneEpoch wanted) {
        int zone = wanted.zone();
        return turns.take(zone, () -> {
            ZoneSummary summary = log.zone(zone);
            if (summary == null
                    || summary.epoch() > wanted.epoch()
                    || (summary.epoch() == wanted.epoch() && summary.filled())) {
                return CompletableFuture.completedFuture(false);
            }
            fillings.remove(zone);
            opened.remove(zone);
            rememberDropped(zone);
            // Owners of older epochs must not open a new copy.
            absentSeals.merge(zone, Math.max(wanted.epoch(), summary.fence()), Math::max);
            return log.dropZone(zone).thenApply(ZoneResult::isDone);
        });
    }

    private static CopyState state(int zone, ZoneResult result) {
        CopyResult told =
                switch (result.status()) {
                    case DONE -> CopyResult.OK;
                    case FENCED -> CopyResult.FENCED;
                    case UNKNOWN_ZONE -> CopyResult.UNKNOWN_ZONE;
                    case OTHER_CLUSTER -> CopyResult.FAILED;
                };
        return new CopyState(zone, told, result.epoch(), result.lastSequence());
    }
}
