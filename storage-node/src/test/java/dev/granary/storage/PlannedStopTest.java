package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.Hibernate.Step;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.HibernationMessages.RestorePeer;
import dev.granary.net.message.MessageType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A storage peer hibernates by its {@link PlannedStop}: nothing but the dump waits for the disk. */
class PlannedStopTest {

    private static final long SECOND = 1_000_000_000;
    private static final byte[] PAYLOAD = new byte[1000];

    /** A peer that writes its dumps on a thread of their own, as in a process. */
    private static final class SleepyPeer implements AutoCloseable {

        private final NodeFixture peer = new NodeFixture();
        private final List<SlowDisk> disks = new ArrayList<>();
        private final List<Thread> writers = new ArrayList<>();
        private boolean slow;
        private final RawClient client;

        SleepyPeer() {
            peer.disk = disk -> {
                disks.add(new SlowDisk(disk));
                return disks.getLast();
            };
            peer.diskWorker = scheduler -> task -> execute(task, scheduler);
            peer.ready();
            client = peer.client();
            for (int i = 0; i < 100; i++) {
                client.create(PAYLOAD);
            }
        }

        private void execute(Runnable task, Executor scheduler) {
            if (slow) {
                writers.add(Thread.ofPlatform().start(task));
            } else {
                scheduler.execute(task);
            }
        }

        HibernateReply ask(Step step) {
            return client.await(client.call(MessageType.HIBERNATE, new Hibernate(step)));
        }

        /** Makes it begin to write its memory; the write stands still. */
        void beginDump() {
            while (!ask(Step.REFUSE_CHANGES).done()) {
                peer.advance(SECOND / 100);
            }
            peer.advance(2 * SECOND);
            slow = true;
            assertThat(ask(Step.PARK).done()).isFalse();
            slow = false;
            disks.getLast().awaitStill();
        }

        boolean isWriting() {
            return writers.getFirst().isAlive();
        }

        /** Lets the disk work again, and returns when the dump is written; until then the world stands still. */
        void endDump() throws InterruptedException {
            disks.getLast().release();
            for (Thread writer : writers) {
                writer.join();
            }
        }

        @Override
        public void close() throws InterruptedException {
            endDump();
            peer.close();
        }
    }

    @Test
    void park_dumpStandsStillForManyLeases_leaseIsRenewedAndProgressIsTold() throws InterruptedException {
        try (SleepyPeer sleepy = new SleepyPeer()) {
            NodeFixture peer = sleepy.peer;
            sleepy.beginDump();

            int renewals = peer.superPeer.renewalTimes.size();
            peer.advance(10 * peer.superPeer.leaseNanos);
            assertThat(peer.superPeer.renewalTimes.size() - renewals).isGreaterThanOrEqualTo(29);
            HibernateReply told = sleepy.ask(Step.PARK);
            double scraped = peer.sample("granary_storage_chunks");
            String status = peer.node().statusJson();

            assertThat(sleepy.isWriting())
                    .as("the dump has not ended meanwhile")
                    .isTrue();
            assertThat(told.done()).isFalse();
            assertThat(told.problem()).isEmpty();
            assertThat(told.dumpBytes()).isBetween(1L, told.totalBytes() - 1);
            assertThat(scraped).isEqualTo(100);
            assertThat(status).contains("\"valid\":true");
            assertThat(peer.failures).isEmpty();

            sleepy.endDump();
            peer.advance(SECOND);
            assertThat(peer.superPeer.received).contains("park-peer");
        }
    }

    @Test
    void stop_dumpIsBeingWritten_givesItUpAndLeavesNothingBehind() throws Exception {
        try (SleepyPeer sleepy = new SleepyPeer()) {
            NodeFixture peer = sleepy.peer;
            sleepy.beginDump();

            var stop = peer.node().stop();
            peer.advance(SECOND);
            ErrorCode refused =
                    sleepy.client.errorOf(sleepy.client.call(MessageType.HIBERNATE, new Hibernate(Step.PARK)));
            assertThat(stop.isDone()).as("the memory is still being read").isFalse();

            sleepy.endDump();
            peer.stopped();
            peer.advanceUntil(stop::isDone);
            stop.join();
            assertThat(refused).isEqualTo(ErrorCode.SHUTTING_DOWN);
            assertThat(peer.superPeer.received).contains("close-lease").doesNotContain("park-peer");
            assertThat(sleepy.disks.getLast().list()).doesNotContain("memory.dump", "parked");
        }
    }

    /**
     * A step that is delivered late must not make a peer refuse changes for ever, because nobody knows that it does.
     */
    @ParameterizedTest
    @EnumSource(names = {"REFUSE_CHANGES", "PARK"})
    void step_nobodyAsksAgain_takesChangesAgain(Step late) throws InterruptedException {
        try (SleepyPeer sleepy = new SleepyPeer()) {
            sleepy.ask(late);
            var create = sleepy.client.createLater(500, 0, PAYLOAD);
            assertThat(sleepy.client.errorOf(create)).isEqualTo(ErrorCode.RETRY_LATER);

            sleepy.peer.advance(32 * SECOND);

            assertThat(sleepy.client.create(PAYLOAD)).hasSize(1);
        }
    }

    @Test
    void refuseChanges_askedForAgain_changesStayRefused() throws InterruptedException {
        try (SleepyPeer sleepy = new SleepyPeer()) {
            for (int i = 0; i < 10; i++) {
                sleepy.ask(Step.REFUSE_CHANGES);
                sleepy.peer.advance(20 * SECOND);
            }

            var create = sleepy.client.createLater(500, 0, PAYLOAD);
            assertThat(sleepy.client.errorOf(create)).isEqualTo(ErrorCode.RETRY_LATER);
        }
    }

    @Test
    void step_itDoesNotServeYet_comesLater() {
        try (NodeFixture peer = new NodeFixture()) {
            peer.superPeer.unanswered.add(MessageType.OPEN_LEASE.code());
            RawClient client = peer.start().client();
            for (Step step : Step.values()) {
                assertThat(client.errorOf(client.call(MessageType.HIBERNATE, new Hibernate(step))))
                        .isEqualTo(ErrorCode.RETRY_LATER);
            }
        }
    }

    /** Before the super-peers have committed that it is parked a failure costs nothing but time. */
    @Test
    void park_diskIsFull_refusesChangesAndSaysWhyUntilItIsToWork() throws InterruptedException {
        try (SleepyPeer sleepy = new SleepyPeer()) {
            NodeFixture peer = sleepy.peer;
            while (!sleepy.ask(Step.REFUSE_CHANGES).done()) {
                peer.advance(SECOND / 100);
            }
            peer.advance(2 * SECOND);
            peer.machine.disk().setCapacity(peer.machine.disk().usedBytes() + 1000);
            assertThat(sleepy.ask(Step.PARK).done()).isFalse();
            peer.advance(SECOND);

            HibernateReply told = sleepy.ask(Step.REFUSE_CHANGES);
            var create = sleepy.client.createLater(500, 0, PAYLOAD);
            assertThat(told.problem()).contains("could not be written to its disk");
            assertThat(sleepy.client.errorOf(create)).isEqualTo(ErrorCode.RETRY_LATER);
            assertThat(peer.superPeer.received).doesNotContain("park-peer");
            assertThat(peer.machine.disk().fileNames()).doesNotContain("memory.dump", "parked");

            assertThat(sleepy.ask(Step.WORK).done()).isTrue();
            assertThat(sleepy.client.create(PAYLOAD)).hasSize(1);
        }
    }

    /** A connection that stood still delivers all steps of an earlier stop at once. */
    @Test
    void park_rightAfterChangesAreRefused_isNotBegun() throws InterruptedException {
        try (SleepyPeer sleepy = new SleepyPeer()) {
            NodeFixture peer = sleepy.peer;
            for (int i = 0; i < 10; i++) {
                sleepy.ask(Step.REFUSE_CHANGES);
                assertThat(sleepy.ask(Step.PARK).done()).isFalse();
            }

            peer.advance(32 * SECOND);

            assertThat(peer.superPeer.received).doesNotContain("park-peer");
            assertThat(sleepy.client.create(PAYLOAD)).hasSize(1);
        }
    }

    /** The super-peers may have ended this incarnation: it must not get a chunk, whatever is delivered late. */
    @Test
    void work_superPeersAreAskedForAFreshStart_nothingIsServed() {
        try (NodeFixture peer = new NodeFixture().ready()) {
            RawClient client = peer.client();
            do {
                peer.advance(SECOND / 100);
            } while (!client.await(client.call(MessageType.HIBERNATE, new Hibernate(Step.REFUSE_CHANGES)))
                    .done());
            peer.superPeer.unanswered.add(MessageType.RESTORE_CREATOR.code());
            var _ = client.call(MessageType.RESTORE_PEER, new RestorePeer(8, 7));
            peer.advanceUntil(() -> peer.superPeer.received.contains("restore-creator"));

            assertThat(client.await(client.call(MessageType.HIBERNATE, new Hibernate(Step.WORK)))
                            .done())
                    .isFalse();
            peer.advance(32 * SECOND);

            assertThat(client.errorOf(client.createLater(1, 0, PAYLOAD))).isEqualTo(ErrorCode.RETRY_LATER);
        }
    }
}
