package dev.granary.storage;

import dev.granary.env.Clock;
import dev.granary.env.Confined;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.FetchNames;
import dev.granary.net.message.NameMessages.NameCopyList;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Nid;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Copies of the names of arcs, which super-peers send for when all of them that have the names are lost (ADR 0150). In
 * memory only: names are of use while the chunks that they stand for are there, and those are in memory, too.
 * Tasks of the node's scheduler.
 *
 * <p>Invariants: (1) a whole copy has what its arc had at one version; (2) a copy never goes back to a lower version;
 * (3) all together take no more than a limit, checked before changes are taken.
 */
final class NameCopies {

    private static final long BUSY_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * When there is no room, a copy that nobody has updated for this long is dropped: another storage peer keeps its
     * arc by then, or the arc does not exist any more.
     */
    private static final long OLD_NANOS = TimeUnit.HOURS.toNanos(1);

    private final Confined confined = new Confined();
    private final RpcIdentity identity;
    private final Clock clock;
    private final Executor scheduler;
    private final long limitBytes;

    /** What all copies take, as of the last that was saved. */
    private volatile long takenBytes;

    /** By the NIDs of the super-peers whose arcs they are of. */
    private final Map<Integer, NameCopy> whole = new TreeMap<>();

    private final Map<Integer, NameCopy> filling = new TreeMap<>();

    /**
     * No copies yet.
     *
     * @param scheduler runs the node's tasks
     * @param limitBytes of memory that all copies may take
     */
    NameCopies(RpcIdentity identity, Clock clock, Executor scheduler, long limitBytes) {
        this.identity = identity;
        this.clock = clock;
        this.scheduler = scheduler;
        this.limitBytes = limitBytes;
    }

    /** Adds the requests that are answered here. */
    void addTo(RequestTable requests) {
        requests.addTask(MessageType.SAVE_NAMES, scheduler, this::save);
        requests.addTask(MessageType.LIST_NAME_COPIES, scheduler, (request, empty) -> list(request));
        requests.addTask(MessageType.FETCH_NAMES, scheduler, this::fetch);
    }

    private void list(RpcRequest request) {
        request.reply(new NameCopyList(
                whole.values().stream().map(NameCopy::described).toList()));
    }

    /** Bytes that the copies take. Any thread. */
    long bytes() {
        return takenBytes;
    }

    private void save(RpcRequest request, SaveNames wanted) {
        assert confined.here() : confined;
        UUID own = identity.clusterId();
        if (own.equals(RpcIdentity.NO_CLUSTER)) {
            request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, "this storage peer is just looking for its cluster"));
            return;
        }
        if (!own.equals(wanted.clusterId())) {
            request.fail(ErrorCode.WRONG_CLUSTER, "this storage peer belongs to cluster " + own);
            return;
        }
        if (!Nid.isValid(wanted.ownerNid())
                || !Nid.isValid(wanted.fromExclusive())
                || !Nid.isValid(wanted.toInclusive())
                || wanted.changes().size() > SaveNames.MAX_CHANGES) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "names are saved for an arc between two NIDs, at most " + SaveNames.MAX_CHANGES + " at once");
            return;
        }
        if (!wanted.changes().isEmpty() && !hasRoom()) {
            request.fail(
                    ErrorCode.OUT_OF_MEMORY,
                    "copies of names take " + footprintBytes() + " of at most " + limitBytes + " bytes here");
            return;
        }
        boolean taken = take(wanted);
        takenBytes = footprintBytes();
        NameCopy present = whole.get(wanted.ownerNid());
        long version = present != null && present.arc().equals(wanted.arc()) ? present.version() : 0;
        request.reply(new NamesSaved(taken, version));
    }

    private boolean take(SaveNames wanted) {
        if (wanted.step() == SaveNames.Step.BEGIN) {
            NameCopy begun = new NameCopy(wanted);
            begun.apply(wanted, clock.nanoTime());
            filling.put(wanted.ownerNid(), begun);
            return true;
        }
        boolean isChange = wanted.step() == SaveNames.Step.CHANGE;
        NameCopy copy = (isChange ? whole : filling).get(wanted.ownerNid());
        if (copy == null || !copy.fits(wanted)) {
            return false;
        }
        copy.apply(wanted, clock.nanoTime());
        return wanted.step() != SaveNames.Step.FINISH || install(copy);
    }

    private boolean install(NameCopy copy) {
        filling.remove(copy.ownerNid());
        NameCopy present = whole.get(copy.ownerNid());
        if (present != null && present.version() > copy.version()) {
            return false; // from a super-peer that does not know yet that it leads no more
        }
        whole.put(copy.ownerNid(), copy);
        // What another super-peer answered for before is in this copy as it is now.
        whole.values()
                .removeIf(other -> other != copy
                        && other.version() <= copy.version()
                        && other.ringEpoch() < copy.ringEpoch()
                        && copy.arc().contains(other.arc()));
        return true;
    }

    private boolean hasRoom() {
        if (footprintBytes() >= limitBytes) {
            long now = clock.nanoTime();
            whole.values().removeIf(copy -> now - copy.heardNanos() > OLD_NANOS);
            filling.values().removeIf(copy -> now - copy.heardNanos() > OLD_NANOS);
        }
        return footprintBytes() < limitBytes;
    }

    private long footprintBytes() {
        long bytes = 0;
        for (NameCopy copy : whole.values()) {
            bytes += copy.footprintBytes();
        }
        for (NameCopy copy : filling.values()) {
            bytes += copy.footprintBytes();
        }
        return bytes;
    }

    private void fetch(RpcRequest request, FetchNames wanted) {
        assert confined.here() : confined;
        NameCopy copy = whole.get(wanted.ownerNid());
        if (copy == null || copy.version() != wanted.version()) {
            request.fail(
                    ErrorCode.NOT_FOUND,
                    "there is no copy of the names of " + Nid.toHex(wanted.ownerNid()) + " at version "
                            + wanted.version());
        } else if (wanted.limit() < 1 || wanted.limit() > SaveNames.MAX_CHANGES) {
            request.fail(ErrorCode.BAD_REQUEST, "1 to " + SaveNames.MAX_CHANGES + " names are fetched at once");
        } else {
            request.reply(copy.page(wanted.after(), wanted.limit()));
        }
    }
}
