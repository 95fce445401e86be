package dev.granary.net.cluster;

import dev.granary.env.Futures;
import dev.granary.env.Scheduler;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests and goes on with the answer on the right thread. A node goes on as a task of its scheduler, a client
 * at once on the thread that brings the answer. A request that cannot be sent fails like one that was not answered.
 * Failures come without the wrappers of futures. Thread-safe.
 */
public final class NodeCalls {

    private final Sender sender;
    private final Scheduler scheduler;
    private final Executor answers;

    /** Sends requests. */
    interface Sender {
        /**
         * Sends a request.
         *
         * @param patient whether to wait for a connection that was refused a moment ago and is not tried again yet
         */
        <Q extends Message, R extends Message> CompletableFuture<R> send(
                Target to, MessageType<Q, R> type, Q request, long timeoutNanos, boolean patient);
    }

    private record RpcSender(RpcClient rpc) implements Sender {
        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> send(
                Target to, MessageType<Q, R> type, Q request, long timeoutNanos, boolean patient) {
            if (to.beside()) {
                return rpc.callBeside(to.address(), to.nid(), type, request, timeoutNanos);
            }
            return patient
                    ? rpc.call(to.address(), to.nid(), type, request, timeoutNanos)
                    : rpc.callUnlessRefused(to.address(), to.nid(), type, request, timeoutNanos);
        }
    }

    NodeCalls(Sender sender, Scheduler scheduler, Executor answers) {
        this.sender = sender;
        this.scheduler = scheduler;
        this.answers = answers;
    }

    /** Returns calls whose answers are handled by tasks of the scheduler. */
    public static NodeCalls asTasks(RpcClient rpc, Scheduler scheduler) {
        return new NodeCalls(new RpcSender(rpc), scheduler, scheduler);
    }

    /** Returns calls whose answers are handled at once, on the thread that brings them. */
    public static NodeCalls atOnce(RpcClient rpc, Scheduler scheduler) {
        return new NodeCalls(new RpcSender(rpc), scheduler, Runnable::run);
    }

    /** Sends a request; then goes on with the reply or the failure, one of which is null. */
    public <Q extends Message, R extends Message> void ask(
            Target to,
            MessageType<Q, R> type,
            Q request,
            long timeoutNanos,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        ask(to, type, () -> request, timeoutNanos, true, then);
    }

    /**
     * Sends a request that is made now, then goes on with the reply or the failure, one of which is null.
     *
     * @param patient whether to wait for a connection that was refused a moment ago and is not tried again yet
     */
    <Q extends Message, R extends Message> void ask(
            Target to,
            MessageType<Q, R> type,
            Supplier<Q> request,
            long timeoutNanos,
            boolean patient,
            BiConsumer<@Nullable R, @Nullable Throwable> then) {
        CompletableFuture<R> asked;
        try {
            asked = sender.send(to, type, request.get(), timeoutNanos, patient);
        } catch (RuntimeException e) {
            // As good as not answered: the caller waits for an answer, and asks again after a failure.
            asked = CompletableFuture.failedFuture(e);
        }
        // Not whenCompleteAsync, which keeps what a task throws in a future: the watcher of the tasks must get it.
        var _ = asked.whenComplete(
                (reply, failure) -> answers.execute(() -> then.accept(reply, Futures.causeIfAny(failure))));
    }

    Scheduler scheduler() {
        return scheduler;
    }
}
