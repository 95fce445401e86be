package dev.granary.storage;

import dev.granary.env.Scheduler;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HibernationMessages.RestorePeer;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Nid;
import dev.granary.storage.data.ChunkService.Refused;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes an empty storage peer join again as a new incarnation, so that a restore of a cluster backup can lay
 * down chunks whose CIDs have its NID (ADR 0140).
 *
 * <p>Invariant: the incarnation of a peer that has a chunk, or could get one, is never ended. The peer first refuses
 * changes, then checks that it has no chunk, and serves nothing until the super-peers have decided.
 *
 * <p>Tasks of the scheduler.
 */
final class FreshStart {

    private static final Logger LOG = LoggerFactory.getLogger(FreshStart.class);

    private static final long NOT_YET_RETRY_NANOS = 50_000_000;

    private final Scheduler scheduler;
    private final PlannedStop stop;
    private boolean asking;

    /**
     * @param stop has changes refused
     */
    FreshStart(Scheduler scheduler, PlannedStop stop) {
        this.scheduler = scheduler;
        this.stop = stop;
    }

    void addTo(RequestTable requests) {
        requests.addTask(MessageType.RESTORE_PEER, scheduler, this::begin);
    }

    private void begin(RpcRequest request, RestorePeer order) {
        PlannedStop.Site site = asking ? null : stop.holdQuietSite();
        if (site == null) {
            request.fail(ErrorReply.retryLater(
                    NOT_YET_RETRY_NANOS,
                    asking
                            ? "this storage peer is asking the super-peers for a fresh start"
                            : "this storage peer still takes changes; have it refuse them first"));
            return;
        }
        long chunks = site.memory().statistics().chunks() - site.migrations().placeholders();
        if (chunks > 0) {
            stop.letGo();
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "storage peer " + Nid.toHex(site.ownership().nid()) + " has " + chunks
                            + " chunks or keys; a backup is restored into an empty cluster only");
            return;
        }
        asking = true;
        site.chunks().refuse(Refused.EVERYTHING);
        var _ = site.keeper()
                .endAtMark(order.lidMark(), order.backup())
                .whenCompleteAsync((done, failure) -> decided(request, site, failure), scheduler);
    }

    private void decided(RpcRequest request, PlannedStop.Site site, @Nullable Throwable failure) {
        asking = false;
        if (failure == null) {
            request.reply(new Empty());
            site.keeper().joinAgain("it has no chunk and starts a new incarnation, so that a backup can be restored");
            return;
        }
        LOG.atWarn()
                .addKeyValue("reason", failure.getMessage())
                .log("this storage peer cannot start a new incarnation");
        stop.letGo();
        request.fail(
                failure instanceof RemoteErrorException remote ? remote.code() : ErrorCode.INTERNAL,
                String.valueOf(failure.getMessage()));
    }
}
