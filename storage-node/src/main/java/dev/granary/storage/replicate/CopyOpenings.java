package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.env.Steps;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.probe.StorageProbe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens copies of zones on their backups in the zones' present epochs. From then on a backup takes batches of this
 * epoch and refuses those of lower ones (SAFETY rule "fencing at the backups"). Copies that wait to be opened go to
 * their backup together.
 *
 * <p>Invariants: (1) a copy that is asked to be opened is opened, or fails, or is gone: what fails is tried again; (2)
 * a copy is open only in the epoch that its zone has now, and only when its backup has everything that the owner does
 * not have any more.
 *
 * <p>Tasks of the scheduler.
 */
final class CopyOpenings {

    private static final long RETRY_NANOS = 20_000_000;
    private static final int MAX_OPENED_AT_ONCE = 256;

    /** A backup that answers but has not opened a copy within this time is of no use. */
    private static final long OPEN_LIMIT_NANOS = 20_000_000_000L;

    private final Confined confined = new Confined();
    private final BackupCalls calls;
    private final MemberChanges changes;
    private final Steps steps;

    /** Copies that are to be opened, by the NID of the backup. */
    private final TreeMap<Integer, List<ZoneCopy>> toOpen = new TreeMap<>();

    CopyOpenings(BackupCalls calls, MemberChanges changes, Steps steps) {
        this.calls = calls;
        this.changes = changes;
        this.steps = steps;
    }

    /** Asks a backup to open a copy in the zone's present epoch; once it has, it gets the batches. */
    void open(ZoneCopy copy) {
        assert confined.here() : confined;
        if (toOpen.isEmpty()) {
            calls.scheduler().execute(this::openAll);
        }
        toOpen.computeIfAbsent(copy.nid(), nid -> new ArrayList<>()).add(copy);
    }

    private void openAll() {
        TreeMap<Integer, List<ZoneCopy>> all = new TreeMap<>(toOpen);
        toOpen.clear();
        all.forEach((nid, copies) -> {
            for (int from = 0; from < copies.size(); from += MAX_OPENED_AT_ONCE) {
                List<ZoneCopy> part = copies.subList(from, Math.min(copies.size(), from + MAX_OPENED_AT_ONCE));
                steps.run(() -> open(nid, part), () -> part.forEach(this::open));
            }
        });
    }

    private void open(int nid, List<ZoneCopy> copies) {
        assert confined.here() : confined;
        HostAddress address = calls.addressOf(nid);
        if (address == null) {
            calls.askAddress(nid);
            openingFailed(copies, "has no address");
            StorageProbe.BACKUP_WITHOUT_ADDRESS.hit();
            return;
        }
        long now = calls.nanoTime();
        List<ZoneCopy> asked = new ArrayList<>();
        List<OpenCopies.Opening> wanted = new ArrayList<>();
        for (ZoneCopy copy : copies) {
            OwnedZone zone = copy.zone;
            zone.lock();
            try {
                // A copy may have been opened since this attempt was planned. To open it means to count it as holding
                // less, and the answer would be ignored: nobody would send what it seems to lack.
                if (!copy.gone && copy.openEpoch != zone.placement().epoch()) {
                    copy.waitFrom(now);
                    asked.add(copy);
                    wanted.add(new OpenCopies.Opening(
                            zone.id(),
                            zone.placement().epoch(),
                            Arrays.stream(zone.placement().backups()).boxed().toList(),
                            copy.isMember() ? zone.cutToHeld(copy) : copy.acked,
                            !copy.isMember()));
                }
            } finally {
                zone.unlock();
            }
        }
        if (asked.isEmpty()) {
            return;
        }
        BackupSyncs disk = asked.getFirst().stream.syncs();
        disk.beginDiskWait();
        boolean[] waits = {true};
        Runnable heard = () -> {
            if (waits[0]) {
                waits[0] = false;
                disk.endDiskWait();
            }
        };
        Consumer<@Nullable Throwable> failed = failure -> {
            calls.askAddress(nid);
            openingFailed(asked, failure == null ? "does not answer" : "does not answer: " + failure.getMessage());
        };
        CompletableFuture<CopyStates> answer = calls.call(
                address,
                nid,
                MessageType.OPEN_COPIES,
                new OpenCopies(calls.clusterId(), calls.nid(), wanted),
                2 * calls.timeoutNanos());
        steps.then(
                answer,
                (reply, failure) -> {
                    heard.run();
                    if (reply == null) {
                        failed.accept(failure);
                    } else if (reply.copies().size() != asked.size()) {
                        failed.accept(null);
                    } else {
                        for (int i = 0; i < asked.size(); i++) {
                            opened(asked.get(i), wanted.get(i), reply.copies().get(i));
                        }
                    }
                },
                () -> {
                    heard.run();
                    asked.forEach(this::open);
                });
    }

    private void opened(ZoneCopy copy, OpenCopies.Opening wanted, CopyState state) {
        assert confined.here() : confined;
        boolean fenced = false;
        boolean again = false;
        boolean first = false;
        String failure = null;
        copy.zone.lock();
        try {
            // Openings are sent again: a late answer may tell what the backup had before it took more.
            if (copy.gone || wanted.epoch() != copy.zone.placement().epoch() || copy.openEpoch == wanted.epoch()) {
                StorageProbe.LATE_OPENING_IGNORED.hit();
                return;
            }
            boolean whole = state.lastSequence() >= wanted.baseSequence()
                    && state.lastSequence() + 1 >= copy.zone.pending().first();
            if (state.result() == CopyResult.OK && whole) {
                copy.openEpoch = wanted.epoch();
                copy.acked = Math.min(state.lastSequence(), copy.zone.last());
                copy.synced = Math.min(copy.synced, copy.acked);
                copy.holds(copy.acked, calls.nanoTime());
                copy.syncedUpTo(copy.synced);
                copy.rewind();
            } else if (state.result() == CopyResult.FENCED && state.epoch() > wanted.epoch()) {
                fenced = true;
                StorageProbe.OPENING_FENCED.hit();
            } else if (state.result() == CopyResult.BUSY) {
                again = true;
            } else {
                failure =
                        state.result() == CopyResult.OK ? "has lost changes that it had" : "answers " + state.result();
                boolean lost = state.result() == CopyResult.OK
                        || state.result() == CopyResult.UNKNOWN_ZONE
                        || state.result() == CopyResult.FAILED;
                first = lost ? copy.lose() : copy.breakDown();
                StorageProbe.MEMBER_LOST_CHANGES.hit();
            }
        } finally {
            copy.zone.unlock();
        }
        changes.advance(copy.zone);
        copy.stream.syncs().heard();
        copy.stream.pump();
        if (fenced) {
            changes.refresh(copy.zone.id() >>> 15);
        } else if (failure != null) {
            changes.copyFailed(copy, failure, first);
        } else if (again) {
            steps.after(RETRY_NANOS, () -> open(copy));
        }
    }

    private void openingFailed(List<ZoneCopy> copies, String why) {
        assert confined.here() : confined;
        long now = calls.nanoTime();
        for (ZoneCopy copy : copies) {
            boolean overdue;
            boolean first = false;
            copy.zone.lock();
            try {
                if (copy.gone || copy.openEpoch == copy.zone.placement().epoch()) {
                    continue;
                }
                copy.waitFrom(now);
                // Opening a copy waits for the backup's disk, which may be slow. Any answer shows that it is there.
                overdue = copy.isOverdue(now, OPEN_LIMIT_NANOS)
                        || (copy.isOverdue(now, calls.timeoutNanos())
                                && copy.stream.syncs().isSilent());
                first = overdue && copy.fail();
            } finally {
                copy.zone.unlock();
            }
            if (overdue) {
                changes.advance(copy.zone);
                changes.copyFailed(copy, why, first);
            }
            steps.after(RETRY_NANOS, () -> open(copy));
        }
    }
}
