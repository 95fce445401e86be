package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What requests for chunks do, and how they are answered. */
class ChunkRequestsTest {

    private static final byte[] A = {1, 2, 3};
    private static final byte[] B = {4, 5, 6, 7};
    private static final int NOT_FOUND = 1;
    private static final int LOST = 2;
    private static final int WRONG_OWNER = 3;
    private static final int OUT_OF_MEMORY = 4;
    private static final int FENCED = 16;

    private NodeFixture peer = new NodeFixture().ready();
    private RawClient client = peer.client();

    private void startAnew(Consumer<AnsweringSuperPeer> prepare) {
        peer.close();
        peer = new NodeFixture();
        prepare.accept(peer.superPeer);
        client = peer.ready().client();
    }

    @AfterEach
    void close() {
        peer.close();
    }

    @Test
    void batch_createGetPutDelete_doesEachChunk() {
        long[] cids = client.create(A, B, new byte[0]);
        List<RawClient.Got> created = client.get(cids);
        int[] put = client.put(new long[] {cids[1], cids[0]}, A, new byte[5]);
        List<RawClient.Got> replaced = client.get(cids);
        int[] deleted = client.delete(cids[0], cids[0], cids[2]);
        List<RawClient.Got> left = client.get(cids);

        assertThat(cids).doesNotHaveDuplicates().hasSize(3);
        assertThat(created).extracting(RawClient.Got::payload).containsExactly(A, B, new byte[0]);
        assertThat(put).containsExactly(0, 0);
        assertThat(replaced).extracting(RawClient.Got::payload).containsExactly(new byte[5], A, new byte[0]);
        assertThat(deleted).containsExactly(0, NOT_FOUND, 0);
        assertThat(left).extracting(RawClient.Got::result).containsExactly(-NOT_FOUND, 3, -NOT_FOUND);
        assertThat(peer.sample("granary_storage_operations_total", "operation", "delete", "outcome", "ok"))
                .isEqualTo(2);
        assertThat(peer.sample("granary_storage_operations_total", "operation", "get", "outcome", "not_found"))
                .isEqualTo(2);
        assertThat(peer.sample("granary_storage_request_seconds_count", "operation", "get"))
                .isEqualTo(3);
    }

    @Test
    void tokens_olderThanOneThatWasShown_areRefused() {
        long[] cids = client.create(A, A);
        assertThat(client.fence(5, cids[0], cids[0] + 1000)).containsExactly(0, NOT_FOUND);
        assertThat(client.putWithToken(cids[0], 4, B)).containsExactly(FENCED);
        assertThat(client.deleteWithToken(cids[0], 4)).containsExactly(FENCED);
        assertThat(client.get(cids[0]).getFirst().payload()).isEqualTo(A);
        assertThat(client.putWithToken(cids[0], 5, B)).containsExactly(0);
        assertThat(client.putWithToken(cids[0], 6, A)).containsExactly(0);
        assertThat(client.putWithToken(cids[0], 5, B)).containsExactly(FENCED);
        assertThat(client.fence(5, cids)).containsExactly(FENCED, 0);
        assertThat(client.fence(0, cids)).containsExactly(0, 0);
        assertThat(client.put(new long[] {cids[0]}, B)).as("without a token").containsExactly(0);
        assertThat(client.deleteWithToken(cids[0], 6)).containsExactly(0);
        assertThat(client.deleteWithToken(cids[0], 6)).containsExactly(NOT_FOUND);
    }

    @Test
    void create_zeroed_fillsWithZeros() {
        long[] cids = client.createZeroed(3, 0, 70_000);

        assertThat(client.get(cids))
                .extracting(RawClient.Got::payload)
                .containsExactly(new byte[3], new byte[0], new byte[70_000]);
    }

    @Test
    void requests_strangeCids_areToldApart() {
        long mine = client.create(A)[0];
        long[] cids = {0x4000000000000001L, 0x8000000000000000L, 0x8000000000000099L, mine, 0};

        assertThat(client.get(cids))
                .extracting(RawClient.Got::result)
                .containsExactly(-WRONG_OWNER, -NOT_FOUND, -NOT_FOUND, 3, -WRONG_OWNER);
        assertThat(client.put(cids, A, A, A, B, A)).containsExactly(WRONG_OWNER, NOT_FOUND, NOT_FOUND, 0, WRONG_OWNER);
        assertThat(client.get(mine).getFirst().payload()).isEqualTo(B);
        assertThat(client.delete(cids)).containsExactly(WRONG_OWNER, NOT_FOUND, NOT_FOUND, 0, WRONG_OWNER);
        assertThat(LOST).isEqualTo(2);
    }

    @Test
    void get_moreThanOneReplyHolds_answersAPartAndTheRestOnRequest() {
        byte[] large = new byte[700_000];
        new Random(5).nextBytes(large);
        long[] cids = client.create(large, A, B);
        long[] wanted = new long[12];
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = cids[i % 3 == 1 ? 1 : 0];
        }
        int done = 0;
        int replies = 0;
        while (done < wanted.length) {
            List<RawClient.Got> part = client.get(Arrays.copyOfRange(wanted, done, wanted.length));
            for (RawClient.Got got : part) {
                assertThat(got.payload()).isEqualTo(wanted[done] == cids[0] ? large : A);
                done++;
            }
            replies++;
        }
        // Of eight large chunks, five fit into 4 MiB.
        assertThat(replies).isEqualTo(2);
    }

    @Test
    void get_oneChunkLargerThanTheSoftLimit_isAnswered() {
        startAnew(superPeer -> {});
        byte[] huge = new byte[2_900_000];
        Arrays.fill(huge, (byte) 7);
        long cid = client.create(huge)[0];

        assertThat(client.get(0x8000_0000_0000_7777L, cid))
                .extracting(RawClient.Got::result)
                .hasSize(2);
        assertThat(client.get(cid).getFirst().payload()).isEqualTo(huge);
    }

    @Test
    void get_randomBatches_returnWhatWasStored() {
        Random random = new Random(42);
        byte[][] payloads = new byte[500][];
        for (int i = 0; i < payloads.length; i++) {
            payloads[i] = new byte[random.nextInt(i % 50 == 0 ? 5_000 : 90)];
            random.nextBytes(payloads[i]);
        }
        long[] cids = client.create(payloads);
        long[] wanted = new long[2_000];
        int[] index = random.ints(wanted.length, 0, cids.length).toArray();
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = cids[index[i]];
        }
        List<RawClient.Got> got = client.get(wanted);

        assertThat(got).hasSize(wanted.length);
        for (int i = 0; i < wanted.length; i++) {
            assertThat(got.get(i).payload()).isEqualTo(payloads[index[i]]);
        }
    }

    @Test
    void create_retried_givesTheSameCidsOnce() {
        long[] first = client.await(client.createLater(1, 0, A, B));
        long[] second = client.await(client.createLater(1, 0, A, B));

        assertThat(second).isEqualTo(first);
        assertThat(peer.memory().statistics().chunks()).isEqualTo(2);
    }

    @Test
    void delete_retriedAfterLidWasReused_doesNotHarmTheNewChunk() {
        long cid = client.await(client.createLater(1, 0, A))[0];
        assertThat(client.await(client.deleteLater(2, cid))).containsExactly(0);
        // Deleted LIDs are given again when the unused LIDs of their page are used up.
        byte[][] more = new byte[1000][];
        Arrays.fill(more, B);
        long[] given = client.await(client.createLater(3, 0, more));

        assertThat(given).contains(cid);
        assertThat(client.await(client.deleteLater(2, cid))).containsExactly(0);
        assertThat(client.get(cid).getFirst().payload()).isEqualTo(B);
    }

    @Test
    void create_retriedAfterItsAnswerWasAcknowledged_isRefused() {
        client.await(client.createLater(1, 0, A));
        client.await(client.createLater(2, 1, A));

        assertThat(client.errorOf(client.createLater(1, 0, A))).isEqualTo(ErrorCode.UNKNOWN_OUTCOME);
        assertThat(peer.memory().statistics().chunks()).isEqualTo(2);
    }

    @Test
    void create_forAnotherIncarnation_isRefusedAndChangesNothing() {
        assertThat(client.errorOf(client.createForEpoch(1, 2, A))).isEqualTo(ErrorCode.INCARNATION_ENDED);
        assertThat(peer.memory().statistics().chunks()).isZero();

        long[] cids = client.await(client.createForEpoch(1, 1, A));
        assertThat(client.await(client.createForEpoch(1, 1, A))).isEqualTo(cids);
        assertThat(client.get(cids).getFirst().payload()).isEqualTo(A);
    }

    @Test
    void create_duplicateWhileTheFirstRuns_waitsAndChangesNothing() {
        CompletableFuture<?>[] duplicate = new CompletableFuture<?>[1];
        peer.afterMemoryAccess = () -> {
            peer.afterMemoryAccess = () -> {};
            duplicate[0] = client.createLater(1, 0, A);
            // While the first request is handled: in a process the duplicate arrives on the thread of another
            // connection.
            peer.advance(10 * NodeFixture.LATENCY_NANOS);
        };
        CompletableFuture<long[]> first = client.createLater(1, 0, A);
        long[] cids = client.await(first);

        assertThat(client.errorOf(duplicate[0])).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(client.await(client.createLater(1, 0, A))).isEqualTo(cids);
        assertThat(peer.memory().statistics().chunks()).isEqualTo(1);
    }

    @Test
    void create_noRoom_changesNothingAndMayBeRetried() {
        long kept = client.create(A)[0];
        long chunks = peer.memory().statistics().chunks();
        int[] sizes = new int[100];
        Arrays.fill(sizes, 100_000);

        assertThat(client.errorOf(CompletableFuture.supplyAsync(() -> client.createZeroed(sizes), Runnable::run)))
                .isEqualTo(ErrorCode.OUT_OF_MEMORY);
        assertThat(peer.memory().statistics().chunks()).isEqualTo(chunks);
        assertThat(peer.memory().verify().violations()).isEmpty();
        assertThat(client.get(kept).getFirst().payload()).isEqualTo(A);
        client.sequence--;
        assertThat(client.createZeroed(1)).hasSize(1);
    }

    @Test
    void put_noRoomForTheNewSize_keepsTheOldContent() {
        long[] cids = client.create(A, B);

        int[] statuses = client.put(cids, new byte[5_000_000], new byte[] {9});

        assertThat(statuses).containsExactly(OUT_OF_MEMORY, 0);
        assertThat(client.get(cids)).extracting(RawClient.Got::payload).containsExactly(A, new byte[] {9});
    }

    @Test
    void create_lidsNearlyUsed_reservesMoreAhead() {
        startAnew(superPeer -> superPeer.lidLimit = 300_001);
        peer.advance(1_000_000_000L);
        assertThat(peer.superPeer.received).doesNotContain("reserve-lids");

        client.createZeroed(new int[1 << 16]);
        client.createZeroed(new int[1 << 16]);
        client.createZeroed(new int[1 << 16]);
        peer.advance(1_000_000_000L);

        assertThat(peer.superPeer.received).containsOnlyOnce("reserve-lids");
        assertThat(peer.superPeer.lidLimit).isGreaterThan(300_001);
    }

    @Test
    void create_lidsExhausted_isToldToRetryAndSucceedsLater() {
        startAnew(superPeer -> {
            superPeer.lidLimit = 11;
            superPeer.reserving = false;
        });
        client.createZeroed(new int[10]);

        assertThat(client.errorOf(client.createLater(2, 1, A))).isEqualTo(ErrorCode.RETRY_LATER);
        peer.superPeer.reserving = true;
        peer.advance(1_000_000_000L);

        assertThat(client.await(client.createLater(2, 1, A))).containsExactly(0x800000000000000BL);
    }

    @Test
    void create_thereWillBeNoMoreLids_isToldThatThePeerIsFull() {
        startAnew(superPeer -> {
            superPeer.lidLimit = 11;
            superPeer.usedUp = true;
        });
        client.createZeroed(new int[10]);
        peer.advance(1_000_000_000L);

        assertThat(client.errorOf(client.createLater(2, 1, A))).isEqualTo(ErrorCode.OUT_OF_MEMORY);
    }

    @Test
    void requests_malformed_areRefusedAndChangeNothing() {
        long cid = client.create(A)[0];
        MutationHeader good = new MutationHeader(1, 1, 0, 0, 1);

        assertBadRequest(MessageType.GET, out -> out.writeIntLE(0).writeIntLE(-1));
        assertBadRequest(MessageType.GET, out -> out.writeIntLE(0).writeIntLE(1 << 18));
        assertBadRequest(MessageType.GET, out -> out.writeIntLE(0).writeIntLE(2).writeLongLE(cid));
        assertBadRequest(MessageType.GET, out -> out.writeIntLE(1).writeIntLE(1).writeLongLE(cid));
        assertBadRequest(MessageType.GET, out -> out.writeIntLE(0));
        assertBadRequest(MessageType.CREATE, out -> out.writeLongLE(1));
        assertBadRequest(
                MessageType.CREATE, out -> header(out, good).writeIntLE(5).writeByte(1));
        assertBadRequest(MessageType.CREATE, out -> header(out, good).writeIntLE(-5));
        assertBadRequest(MessageType.CREATE, out -> header(out, new MutationHeader(1, 1, 0, 2, 1))
                .writeIntLE(0));
        assertBadRequest(MessageType.CREATE, out -> header(out, new MutationHeader(0, 1, 0, 0, 1))
                .writeIntLE(0));
        assertBadRequest(MessageType.CREATE, out -> header(out, new MutationHeader(1, 0, 0, 0, 1))
                .writeIntLE(0));
        assertBadRequest(MessageType.CREATE, out -> header(out, new MutationHeader(1, 1, 1, 0, 1))
                .writeIntLE(0));
        assertBadRequest(MessageType.CREATE, out -> header(out, new MutationHeader(1, 1, 0, 0, -1))
                .writeIntLE(0));
        assertBadRequest(
                MessageType.PUT,
                out -> header(out, good).writeLongLE(cid).writeIntLE(9).writeByte(1));
        assertBadRequest(MessageType.PUT, out -> header(out, good).writeLongLE(cid));
        assertBadRequest(
                MessageType.DELETE, out -> header(out, good).writeLongLE(cid).writeByte(0));
        assertBadRequest(MessageType.LOOKUP.code(), out -> out.writeLongLE(cid));

        assertThat(client.errorOf(client.send(
                        MessageType.CREATE,
                        out -> header(out, new MutationHeader(1, 1, 0, 1, 1)).writeIntLE(9 << 20),
                        in -> "")))
                .isEqualTo(ErrorCode.TOO_LARGE);
        assertThat(client.get(cid).getFirst().payload()).isEqualTo(A);
        assertThat(peer.memory().statistics().chunks()).isEqualTo(1);
    }

    private static ByteBuf header(ByteBuf out, MutationHeader header) {
        header.writeTo(out);
        return out;
    }

    private void assertBadRequest(int type, Consumer<ByteBuf> write) {
        assertThat(client.errorOf(client.send(type, write, in -> ""))).isEqualTo(ErrorCode.BAD_REQUEST);
    }

    @Test
    void requests_randomBytes_neverHarm() {
        long cid = client.create(A)[0];
        Random random = new Random(99);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            int type = MessageType.CREATE + random.nextInt(4);
            CompletableFuture<String> answer = client.send(type, out -> out.writeBytes(bytes), in -> "");
            peer.advanceUntil(answer::isDone);
            assertThat(answer.isCompletedExceptionally())
                    .as("seed 99, request %d", i)
                    .isTrue();
        }
        assertThat(client.get(cid).getFirst().payload()).isEqualTo(A);
        assertThat(peer.memory().verify().violations()).isEmpty();
    }
}
