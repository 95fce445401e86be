package dev.granary.superpeer;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.rpc.RpcRequest;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How requests are answered when the answer comes later or fails. */
final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private Answers() {}

    /**
     * Goes on when a command is committed. When it cannot be, the request is answered with SHUTTING_DOWN: the log has
     * failed or the super-peer is stopping.
     */
    static <R> void whenCommitted(RpcRequest request, CompletableFuture<R> commit, Consumer<R> then) {
        Async.whenDone(commit, (result, failure) -> {
            if (failure != null || result == null) {
                request.fail(ErrorCode.SHUTTING_DOWN, "this super-peer is stopping");
            } else {
                orFail(request, () -> then.accept(result));
            }
        });
    }

    /** Runs work that answers the request; a failure of ours becomes the answer. */
    static void orFail(RpcRequest request, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).addKeyValue("type", request.type()).log("a request failed");
            failIfOpen(request, e);
        }
    }

    private static void failIfOpen(RpcRequest request, RuntimeException cause) {
        try {
            request.fail(ErrorCode.INTERNAL, String.valueOf(cause.getMessage()));
        } catch (IllegalStateException alreadyAnswered) {
            LOG.atDebug().setCause(alreadyAnswered).log("the failed request had its answer");
        }
    }
}
