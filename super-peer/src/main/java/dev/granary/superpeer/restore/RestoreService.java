package dev.granary.superpeer.restore;

import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.RangeMessages.CreatorList;
import dev.granary.net.message.RangeMessages.CreatorRanges;
import dev.granary.net.message.RangeMessages.ListCreators;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RestoreMessages.BeginRestore;
import dev.granary.net.message.RestoreMessages.EndRestore;
import dev.granary.net.message.RestoreMessages.RestoreCreator;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.overlay.Ring;
import dev.granary.overlay.SlotGroup;
import dev.granary.superpeer.lease.ArcService;
import dev.granary.superpeer.migration.MigrationService;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of cluster backups and restores about one arc (ADR 0140): which chunks the arc may have, and to
 * prepare it for the chunks of a backup. Runs as tasks of the node's scheduler.
 *
 * <p>Invariant: chunks of a cluster backup come only to creators without chunks, now or before, which a command has
 * prepared for it.
 */
public final class RestoreService {

    private static final Logger LOG = LoggerFactory.getLogger(RestoreService.class);

    private static final long BUSY_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MAX_RANGES = 16_384;

    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcService arc;
    private final PeerFacts facts;
    private final Supplier<@Nullable Ring> ring;

    /** @param commit commits a command, then applies it */
    public RestoreService(
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcService arc,
            PeerFacts facts,
            Supplier<@Nullable Ring> ring) {
        this.state = state;
        this.commit = commit;
        this.arc = arc;
        this.facts = facts;
        this.ring = ring;
    }

    /**
     * Lists the creators of a piece of the ring if the served arc contains all of it. Otherwise refuses the request.
     */
    public void listCreators(RpcRequest request, ListCreators asked) {
        if (!Nid.isValid(asked.fromExclusive()) || !Nid.isValid(asked.toInclusive())) {
            request.fail(ErrorCode.BAD_REQUEST, "creators are listed for a piece of the ring between two NIDs");
            return;
        }
        if (!arc.answersFor(request)) {
            return;
        }
        Arc piece = new Arc(asked.fromExclusive(), asked.toInclusive());
        Ring current = ring.get();
        Arc served = current == null
                ? null
                : current.arcOf(current.ownerOf(asked.toInclusive()).nid());
        if (served == null || !served.contains(piece) || state.isAnyMoving(piece)) {
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS, "the piece " + piece + " of the ring is not all in one arc now"));
            return;
        }
        request.reply(new CreatorList(state.creators(piece)));
    }

    public void creatorRanges(RpcRequest request, CreatorRanges asked) {
        if (!arc.answersFor(request)) {
            return;
        }
        if (Cid.nid(asked.fromCid()) != asked.nid()) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    Cid.toHex(asked.fromCid()) + " is no chunk of creator " + Nid.toHex(asked.nid()));
            return;
        }
        if (state.isMoving(asked.nid())) {
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS,
                    "the part of the arc with creator " + Nid.toHex(asked.nid()) + " is moving to another super-peer"));
            return;
        }
        List<CidRange> all = state.rangesIn(asked.fromCid(), Cid.lastOf(asked.nid()));
        boolean more = all.size() > MAX_RANGES;
        List<CidRange> page = more ? all.subList(0, MAX_RANGES) : all;
        request.reply(new RangeList(more ? page.getLast().endCidInclusive() + 1 : 0, page));
    }

    public void restoreCreator(RpcRequest request, RestoreCreator asked) {
        if (!Nid.isValid(asked.nid())
                || Nid.role(asked.nid()) != NodeRole.STORAGE_PEER
                || SlotGroup.isGroup(asked.nid())
                || asked.backup() == 0
                || asked.lidMark() < Cid.MIN_LID
                || asked.lidMark() > Cid.MAX_LID + 1) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "a creator is a storage peer whose LIDs end at " + Cid.MAX_LID + ", and a backup is not 0");
            return;
        }
        PeerCommand command =
                new PeerCommand.RestoreCreator(asked.nid(), asked.incarnation(), asked.lidMark(), asked.backup());
        Answers.whenCommitted(request, commit.apply(command), result -> {
            switch (result) {
                case ArcResult.Done done -> {
                    arc.hasEnded(done.peer());
                    LOG.atInfo()
                            .addKeyValue("nid", Nid.toHex(asked.nid()))
                            .addKeyValue("lidMark", asked.lidMark())
                            .log("an empty storage peer joins again, with LIDs above those of a cluster backup");
                    request.reply(new Empty());
                }
                case ArcResult.Applied _ -> request.reply(new Empty());
                case ArcResult.Refused refused -> request.fail(codeOf(refused), refused.message());
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    private static ErrorCode codeOf(ArcResult.Refused refused) {
        return refused.reason() == ArcResult.Reason.UNKNOWN_INCARNATION
                ? ErrorCode.UNKNOWN_LEASE
                : ErrorCode.BAD_REQUEST;
    }

    public void beginRestore(RpcRequest request, BeginRestore asked) {
        long lids = asked.endCidInclusive() - asked.startCid() + 1;
        if (Cid.nid(asked.startCid()) != Cid.nid(asked.endCidInclusive())
                || lids < 1
                || lids > MigrationService.MAX_LIDS) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "1 to " + MigrationService.MAX_LIDS + " consecutive chunks of one creator are restored at once");
            return;
        }
        if (!arc.answersFor(request)) {
            return;
        }
        facts.ask(
                asked.targetNid(),
                (target, failure) -> Answers.orFail(request, () -> {
                    if (target == null || !target.live()) {
                        request.fail(ErrorReply.retryLater(
                                BUSY_RETRY_NANOS, "storage peer " + Nid.toHex(asked.targetNid()) + " is not there"));
                        return;
                    }
                    RangeCommand command = new RangeCommand.BeginMigration(
                            asked.startCid(), asked.endCidInclusive(), Nid.NONE, 0, target.nid(), target.epoch());
                    Answers.whenCommitted(
                            request, commit.apply(command), result -> MigrationService.answer(request, result));
                }));
    }

    public void endRestore(RpcRequest request, EndRestore asked) {
        Answers.whenCommitted(
                request, commit.apply(new PeerCommand.EndRestore(asked.nid())), result -> request.reply(new Empty()));
    }
}
