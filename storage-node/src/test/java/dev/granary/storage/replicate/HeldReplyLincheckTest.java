package dev.granary.storage.replicate;

import dev.granary.env.SystemClock;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** A pending reply goes out once, when all waits are over, refused if one of them failed; then it takes no room. */
class HeldReplyLincheckTest {

    @Test
    void waitsThatEndAndFail_allInterleavings_areAnsweredOnce() {
        new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(50 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .check(Held.class);
    }

    /** Two replies; each waits for a zone that answers and for one that may be lost. */
    public static class Held {

        private static final int SIZE_BYTES = 10;
        private static final ErrorReply LOST = ErrorReply.of(ErrorCode.UNKNOWN_OUTCOME, "lost");

        private final HeldReplies held = new HeldReplies(new SystemClock(), 1_000);
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger ended = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private final AtomicInteger sent = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final HeldReply reply = held.hold(() -> true, SIZE_BYTES, 1_000, refusal -> {
            sent.incrementAndGet();
            refused.addAndGet(refusal == null ? 0 : 1);
        });

        /** Lincheck calls it for each execution, with all waits that may end in it. */
        public Held() {
            reply.begin();
            reply.begin();
        }

        @Operation(runOnce = true)
        public void end() {
            reply.end();
            ended.incrementAndGet();
        }

        @Operation(runOnce = true)
        public void fail() {
            reply.fail(LOST);
            failed.incrementAndGet();
        }

        @Operation(runOnce = true)
        public void begun() {
            reply.begun();
            begun.incrementAndGet();
        }

        @Operation
        public boolean isRefused() {
            return held.refusal(1) != null;
        }

        /** Checked when all threads have ended. */
        @Validate
        public void validate() {
            boolean all = begun.get() + ended.get() + failed.get() == 3;
            if (sent.get() != (all ? 1 : 0) || refused.get() != (all ? failed.get() : 0)) {
                throw new IllegalStateException("sent " + sent + " times, refused " + refused + " times, over: " + all);
            }
            if (held.bytes() != (all ? 0 : SIZE_BYTES)) {
                throw new IllegalStateException(held.bytes() + " bytes are held, over: " + all);
            }
        }
    }
}
