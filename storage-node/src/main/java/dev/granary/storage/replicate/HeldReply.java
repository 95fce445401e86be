package dev.granary.storage.replicate;

import dev.granary.net.message.ErrorReply;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that waits until zones have their changes on all members. Any number of zones are waited for; the answer
 * goes out once, by the thread that ends the last wait: as it is, or as a refusal when one of the zones was lost, or
 * when it has been held for too long. Thread-safe.
 */
public final class HeldReply {

    /** What becomes of an answer. */
    @FunctionalInterface
    public interface Answer {
        /**
         * Sends it.
         *
         * @param refusal what to say instead, null when everything is on all members
         */
        void send(@Nullable ErrorReply refusal);
    }

    private final BooleanSupplier isCallerThere;
    private final long deadlineNanos;
    private final Answer answer;

    /** One for each wait and one until all waits have begun. */
    private final AtomicInteger waits = new AtomicInteger(1);

    private final AtomicReference<@Nullable ErrorReply> refusal = new AtomicReference<>();

    /** @param isCallerThere whether there is still somebody to take the answer */
    HeldReply(BooleanSupplier isCallerThere, long deadlineNanos, Answer answer) {
        this.isCallerThere = isCallerThere;
        this.deadlineNanos = deadlineNanos;
        this.answer = answer;
    }

    /** Whether it has been held for too long, or nobody is there any more to take it. */
    boolean isOver(long nowNanos) {
        return nowNanos - deadlineNanos >= 0 || !isCallerThere.getAsBoolean();
    }

    void begin() {
        waits.incrementAndGet();
    }

    /** A wait is over. */
    void end() {
        if (waits.decrementAndGet() == 0) {
            answer.send(refusal.get());
        }
    }

    /** A wait is over without success. */
    void fail(ErrorReply reason) {
        refusal.compareAndSet(null, reason);
        end();
    }

    /** It will not go out as it is, whatever the waits bring. */
    public void refuse(ErrorReply reason) {
        refusal.compareAndSet(null, reason);
    }

    /** Whether it will not go out as it is. */
    public boolean isRefused() {
        return refusal.get() != null;
    }

    /** All waits have begun: from now on the last one that ends sends the answer, or this call does. */
    public void begun() {
        end();
    }
}
