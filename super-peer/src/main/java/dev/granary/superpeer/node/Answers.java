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

/** Answers requests whose result comes later or fails. */
public final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private Answers() {}

    /** Goes on when a command is committed. If it is not, or its outcome is unknown, refuses the request. */
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

    /** Goes on when a majority has confirmed that this super-peer leads. If not, refuses the request. */
    public static void whenConfirmed(RpcRequest request, CompletableFuture<Void> confirmation, Runnable then) {
        Async.whenDone(confirmation, (done, failure) -> {
            if (failure != null) {
                notNow(request, failure);
            } else {
                orFail(request, then);
            }
        });
    }

    /** Refuses a request with a retry. Every request can be repeated, here or at the super-peer that leads by then. */
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

    /** Whether a failure says that surely nothing was changed. */
    public static boolean isRefusal(Throwable failure) {
        return Futures.causeIfAny(failure) instanceof RaftFailure raft
                && raft.reason() != RaftFailure.Reason.OUTCOME_UNKNOWN;
    }

    /** Runs work that answers the request. If the work throws, the failure becomes the answer. */
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
