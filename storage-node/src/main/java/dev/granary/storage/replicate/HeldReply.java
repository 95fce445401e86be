package dev.granary.storage.replicate;

import dev.granary.net.message.ErrorReply;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An answer that waits until zones have their changes on all members. Any number of zones are waited for; the answer goes
 * out once, by the thread that ends the last wait: as it is, or as a refusal when one of the zones was lost. Thread-safe.
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

    private final Answer answer;

    /** One for each wait and one until all waits have begun. */
    private final AtomicInteger waits = new AtomicInteger(1);

    private final AtomicReference<@Nullable ErrorReply> refusal = new AtomicReference<>();

    public HeldReply(Answer answer) {
        this.answer = answer;
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

    /** All waits have begun: from now on the last one that ends sends the answer, or this call does. */
    public void begun() {
        end();
    }
}
