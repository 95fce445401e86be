package dev.granary.storage.data;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** However often a client's requests arrive, none is carried out twice, and the kept bytes are counted right. */
class ClientRequestsLincheckTest {

    @Test
    void requestsOfOneClient_allInterleavings_areCarriedOutOnceAndCounted() {
        new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(50 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(0)
                .check(Requests.class);
    }

    /** Requests with two sequences, each of which arrives on several connections. */
    @Param(name = "sequence", gen = IntGen.class, conf = "1:2")
    public static class Requests {

        private static final long[] CIDS = {7, 8};
        private static final long MAX_BYTES = 1_000;

        private final AtomicLong totalBytes = new AtomicLong();
        private final ClientRequests requests = new ClientRequests(totalBytes, 0);
        private final AtomicIntegerArray carriedOut = new AtomicIntegerArray(3);
        private volatile boolean twice;

        /** Lincheck calls it for each execution. */
        public Requests() {}

        @Operation
        public void carryOut(@Param(name = "sequence") int sequence) {
            if (begin(sequence)) {
                requests.complete(sequence, new Completion(new byte[2], CIDS), MAX_BYTES);
            }
        }

        @Operation
        public void changeNothing(@Param(name = "sequence") int sequence) {
            if (begin(sequence)) {
                carriedOut.decrementAndGet(sequence);
                requests.abandon(sequence);
            }
        }

        @Operation
        public void failHalfWay(@Param(name = "sequence") int sequence) {
            if (begin(sequence)) {
                requests.lose(sequence);
            }
        }

        @Operation
        public void forget(@Param(name = "sequence") int sequence) {
            requests.forgetUpTo(sequence);
        }

        private boolean begin(int sequence) {
            Admission admission = requests.begin(sequence, 0, CIDS, CIDS.length, new int[2], 0);
            boolean mine = admission != null && admission.kind() == Admission.Kind.NEW;
            twice |= mine && carriedOut.incrementAndGet(sequence) > 1;
            return mine;
        }

        /** Checked when all threads have ended. */
        @Validate
        public void validate() {
            if (twice) {
                throw new IllegalStateException("a request was carried out twice");
            }
            if (!requests.retireIfIdleSince(1) || totalBytes.get() != 0) {
                throw new IllegalStateException(totalBytes + " bytes are left, or a request is said to run still");
            }
        }
    }
}
