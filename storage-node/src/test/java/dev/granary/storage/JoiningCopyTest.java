package dev.granary.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.testkit.LinkConditions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A copy is filled and its backup still has to sync, while the zone's in-sync set changes for another reason. Then the
 * arc is asked to add the copy, and from that moment on nothing may be acknowledged without it.
 */
class JoiningCopyTest {

    private static final int ZONE = AnsweringSuperPeer.STORAGE_NID << 15 | 1;
    private static final int[] BACKUPS = {0xA000, 0xC000};
    private static final int FRESH = 0xE000;
    private static final long LATENCY_NANOS = 100_000;

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** A fill whose copy has received everything, and has not synced what the others have. */
    private static final class Joining implements AutoCloseable {

        final NodeFixture peer = new NodeFixture();
        final List<AnsweringBackup> backups = new ArrayList<>();
        final AnsweringBackup fresh;
        final RawClient client;
        final long[] cids;

        /**
         * @param passed how many steps of the owner of the filled copy succeed before one throws; none throws if
         *     negative
         */
        Joining(int passed) {
            for (int nid : BACKUPS) {
                backups.add(new AnsweringBackup(peer.world, peer.superPeer, nid));
            }
            peer.superPeer.wantedCopies = 3;
            peer.superPeer.place(BACKUPS);
            peer.ready();
            peer.world.network().setConditions(new LinkConditions(LATENCY_NANOS, LATENCY_NANOS + 1, 0, 0, 0));
            client = peer.client();
            cids = client.create(bytes("one"), bytes("two"));
            fresh = new AnsweringBackup(peer.world, peer.superPeer, FRESH);
            fresh.holdingFilled = true;
            fresh.holdingSyncs = true;
            if (passed >= 0) {
                peer.machine.failSteps(passed, 1);
            }
            client.await(client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh)));
            peer.advance(200_000_000);
            // All must sync this change; the copy is told that it is filled before it has synced the change.
            client.flags = Durability.SYNCED.flags();
            assertThat(client.put(new long[] {cids[0]}, bytes("ONE"))).containsOnly(ChunkStatus.OK);
            client.flags = 0;
            peer.advance(20_000_000);
            if (!fresh.unanswered.isEmpty()) {
                fresh.unanswered.removeFirst().run();
            }
        }

        /** Lets the copy sync, and at the same time asks the arc to change the zone's in-sync set. */
        void syncWhileAMemberIsReplaced() {
            fresh.holdingFilled = false;
            fresh.holdingSyncs = false;
            fresh.answerAll();
            backups.getFirst().answer = CopyResult.UNKNOWN_ZONE;
            put("TWO");
        }

        /** Puts a value and repeats it until it is acknowledged, as a client does. */
        void put(String value) {
            client.sequence++;
            for (int attempt = 0; attempt < 20; attempt++) {
                CompletableFuture<int[]> put = client.putLater(client.sequence, new long[] {cids[1]}, bytes(value));
                peer.advanceUntil(put::isDone);
                if (!put.isCompletedExceptionally()) {
                    assertThat(put.join()).containsOnly(ChunkStatus.OK);
                    return;
                }
                fillIfNeeded();
            }
            throw new AssertionError("'" + value + "' is never put");
        }

        /** Orders the fill again if the copy is not in the in-sync set, as the super-peer does. */
        private void fillIfNeeded() {
            if (Arrays.stream(peer.superPeer.zone().backups()).noneMatch(nid -> nid == FRESH)) {
                var _ = client.call(MessageType.FILL_COPY, peer.superPeer.fillOrder(fresh));
                peer.advance(500_000_000);
            }
        }

        /** Asserts that every in-sync backup of the arc has what clients were told to be there. */
        void assertMembersHaveAll(String value) {
            put(value);
            for (int nid : peer.superPeer.zone().backups()) {
                AnsweringBackup member = nid == FRESH ? fresh : backups.get(nid == BACKUPS[0] ? 0 : 1);
                assertThat(member.copies).as("backup %x", nid).containsKey(ZONE);
                assertThat(member.replay(ZONE))
                        .as("backup %x", nid)
                        .containsEntry(cids[0], "ONE")
                        .containsEntry(cids[1], value);
            }
        }

        @Override
        public void close() {
            peer.close();
        }
    }

    /** The arc's answer comes before the owner checks whether the copy has synced, whenever that is. */
    @ParameterizedTest
    @ValueSource(longs = {1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000, 5_500})
    void fill_arcAddsTheCopyWithAChangeForAnotherReason_isAMemberWithEverything(long afterMicros) {
        try (Joining joining = new Joining(-1)) {
            joining.peer.advance(afterMicros * 1000);
            joining.syncWhileAMemberIsReplaced();
            joining.peer.advance(1_000_000_000);

            assertThat(joining.peer.superPeer.zone().backups()).containsExactly(BACKUPS[1], FRESH);
            joining.assertMembersHaveAll("2");
        }
    }

    @Test
    void fill_arcAddsTheCopyWithAChangeForAnotherReason_isAMemberWithEverythingWhateverStepThrows() {
        int passed = 0;
        while (passed < 200 && joinThough(passed) == 0) {
            passed++;
        }
        assertThat(passed).isBetween(15, 199);
    }

    /** Returns how many steps were still to throw at the end. */
    private static int joinThough(int passed) {
        try (Joining joining = new Joining(passed)) {
            joining.syncWhileAMemberIsReplaced();
            joining.peer.advance(1_000_000_000);
            joining.fillIfNeeded();
            joining.assertMembersHaveAll("2");
            return joining.peer.machine.stepsToFail();
        }
    }
}
