package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A storage peer stops while the thread of its log waits for a slow disk. */
class StopWhileSyncingTest {

    private static final long SECOND = 1_000_000_000;

    /**
     * With one thread for everything, the sync that the stop waits for would never end, so the time limit is real time.
     */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void stop_logIsInTheMiddleOfASync_theRestOfTheProcessGoesOnMeanwhile() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            peer.machine.disk().setSyncTime(4 * SECOND, 4 * SECOND + 1);
            var _ = peer.client()
                    .call(
                            MessageType.OPEN_COPIES,
                            new OpenCopies(
                                    peer.superPeer.clusterId,
                                    0x4000,
                                    List.of(new OpenCopies.Opening(0x4000_0001, 1, List.of(0x8000), 0, false))));
            peer.advance(SECOND / 10);
            int syncs = peer.machine.disk().slowSyncs();

            CompletableFuture<Void> stop = peer.node().stop();
            peer.stopped();
            peer.advance(2 * SECOND);

            assertThat(syncs).isEqualTo(1);
            assertThat(stop).as("the log waits for its disk").isNotDone();
            assertThat(peer.superPeer.received).as("the lease does not").contains("close-lease");

            peer.advanceUntil(stop::isDone);
            stop.join();
        }
    }
}
