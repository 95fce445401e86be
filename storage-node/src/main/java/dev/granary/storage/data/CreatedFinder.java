package dev.granary.storage.data;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import dev.granary.net.message.CreateMessages.FindCreated;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import org.jspecify.annotations.Nullable;

/**
 * Finds the chunks that a create has made on a storage peer that is gone, as far as this peer has taken over the chunks
 * of that storage peer (ADR 0135). Thread-safe.
 */
final class CreatedFinder {

    private static final long NOT_YET_RETRY_NANOS = 50_000_000;

    private final Replies replies;
    private final CompletedRequests completed;

    CreatedFinder(Replies replies, CompletedRequests completed) {
        this.replies = replies;
        this.completed = completed;
    }

    /**
     * Answers a request.
     *
     * @param chunks the chunks that this peer serves, null before it serves
     */
    void find(RpcRequest request, @Nullable ServedChunks chunks) {
        FindCreated wanted = request.read(MessageType.FIND_CREATED);
        String notHere = chunks == null ? "this storage peer serves nothing yet" : notOwned(wanted, chunks);
        if (notHere == null) {
            CreatedChunks found = completed.findCreated(wanted.clientId(), wanted.sequence());
            // As with reads: what was found counts only if nobody else owned the chunks meanwhile.
            if (replies.hasLease()) {
                request.reply(found);
                return;
            }
            notHere = "this storage peer holds no lease";
        }
        request.fail(ErrorReply.retryLater(NOT_YET_RETRY_NANOS, notHere));
    }

    private static @Nullable String notOwned(FindCreated wanted, ServedChunks chunks) {
        for (long cid : wanted.cids()) {
            if (chunks.statusOf(cid) != ChunkStatus.OK) {
                return "this storage peer does not serve the range of " + Cid.toHex(cid);
            }
        }
        return null;
    }
}
