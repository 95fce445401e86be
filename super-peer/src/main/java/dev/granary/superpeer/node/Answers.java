package dev.granary.superpeer.node;

import dev.granary.env.Futures;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.raft.RaftFailure;
import dev.granary.superpeer.state.ArcResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How requests are answered when the answer comes later or fails. */
public final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Answers() {}

    /** Goes on when a command is committed. When it is not, or that is not known, the request is answered. */
    public static <R> void whenCommitted(RpcRequest request, CompletableFuture<R> commit, Consumer<R> then) {
        Async.whenDone(commit, (result, failure) -> {
            if (failure != null || result == null) {
                notNow(request, failure);
            } else if (result instanceof ArcResult.Refused refused && refused.reason() == ArcResult.Reason.MOVING) {
                request.fail(ErrorReply.retryLater(RETRY_NANOS, refused.message()));
            } else {
                orFail(request, () -> then.accept(result));
            }
        });
    }

    /** Goes on when it is sure that this super-peer leads. When it is not, the request is answered. */
    public static void whenConfirmed(RpcRequest request, CompletableFuture<Void> confirmation, Runnable then) {
        Async.whenDone(confirmation, (done, failure) -> {
            if (failure != null) {
                notNow(request, failure);
            } else {
                orFail(request, then);
            }
        });
    }

    /** Every request bears to be made again, here or where another super-peer leads by then. */
    private static void notNow(RpcRequest request, @Nullable Throwable failure) {
        if (!(Futures.causeIfAny(failure) instanceof RaftFailure refusal)) {
            LOG.atError().setCause(failure).addKeyValue("type", request.type()).log("a request failed");
            request.fail(ErrorCode.INTERNAL, String.valueOf(failure));
        } else if (refusal.reason() == RaftFailure.Reason.ENDED) {
            request.fail(ErrorCode.SHUTTING_DOWN, "this super-peer is stopping");
        } else {
            request.fail(ErrorReply.retryLater(
                    RETRY_NANOS,
                    "this super-peer cannot commit at the moment: " + refusal.reason() + ", " + refusal.getMessage()));
        }
    }

    /** Whether surely nothing was done. */
    public static boolean isRefusal(Throwable failure) {
        return Futures.causeIfAny(failure) instanceof RaftFailure raft
                && raft.reason() != RaftFailure.Reason.OUTCOME_UNKNOWN;
    }

    /** Runs work that answers the request; a failure of ours becomes the answer. */
    public static void orFail(RpcRequest request, Runnable work) {
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
