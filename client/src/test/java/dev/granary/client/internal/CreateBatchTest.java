package dev.granary.client.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.Place;
import dev.granary.client.StorageFullException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A {@link CreateBatch} over one or two storage peers that keep what they are given. */
class CreateBatchTest {

    private static final int FIRST = ScriptedCluster.STORAGE_NID;
    private static final int SECOND = 0x4000;

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final Keeper first = new Keeper(FIRST);
    private final Keeper second = new Keeper(SECOND);

    CreateBatchTest() {
        cluster.storage = request -> {
            first.handle(request);
            return true;
        };
    }

    /** A storage peer that keeps chunks. */
    private static final class Keeper implements RequestHandler {
        private final int nid;
        private final Map<Long, String> chunks = new TreeMap<>();

        /** The number of chunks of each request to create some. */
        private final List<Integer> requests = new ArrayList<>();

        /** How many creates it takes before it has no room. */
        private int room = Integer.MAX_VALUE;

        /** By how much the number of chunks that it answers for is wrong. */
        private int miscount;

        /** Whether the client's user may not create chunks here, and may elsewhere. */
        private boolean isForOthers;

        private long lastLid;

        Keeper(int nid) {
            this.nid = nid;
        }

        @Override
        public void handle(RpcRequest request) {
            ByteBuf in = request.payload();
            MutationHeader header = MutationHeader.read(in);
            if (request.type() == MessageType.CREATE) {
                create(request, header, in);
            } else {
                delete(request, header, in);
            }
        }

        private void create(RpcRequest request, MutationHeader header, ByteBuf in) {
            requests.add(header.count());
            if (isForOthers) {
                request.fail(ErrorCode.OTHER_CREATOR, "the user 'app' may create elsewhere");
                return;
            }
            if (requests.size() > room) {
                request.fail(ErrorCode.OUT_OF_MEMORY, "no room");
                return;
            }
            in.skipBytes(Long.BYTES);
            int[] sizes = new int[header.count()];
            for (int i = 0; i < sizes.length; i++) {
                sizes[i] = in.readIntLE();
            }
            boolean zeroed = (header.flags() & ChunkLayouts.FLAG_ZEROED) != 0;
            ByteBuf reply = request.startReply(4 + 8 * sizes.length);
            reply.writeIntLE(sizes.length + miscount);
            for (int size : sizes) {
                long cid = Cid.of(nid, ++lastLid);
                chunks.put(cid, zeroed ? "\0".repeat(size) : in.readString(size, UTF_8));
                reply.writeLongLE(cid);
            }
            request.reply(reply);
        }

        private void delete(RpcRequest request, MutationHeader header, ByteBuf in) {
            ByteBuf reply = request.startReply(64);
            reply.writeIntLE(header.count());
            for (int i = 0; i < header.count(); i++) {
                reply.writeByte(chunks.remove(in.readLongLE()) != null ? ChunkStatus.OK : ChunkStatus.NOT_FOUND);
            }
            MovedRanges.write(reply, List.of());
            request.reply(reply);
        }
    }

    private AsyncGranaryClient client(int requestChunks, int requestBytes) {
        return cluster.client(ScriptedCluster.options().toBuilder()
                .requestChunks(requestChunks)
                .requestBytes(requestBytes)
                .build());
    }

    private AsyncGranaryClient client() {
        return cluster.client(ScriptedCluster.options());
    }

    private void withSecond(long usedBytes) {
        cluster.addStoragePeer(SECOND, usedBytes, PeerInfo.Drain.NONE, second);
    }

    private static List<byte[]> values(int count, int sizeBytes) {
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(String.format("%-" + sizeBytes + "d", i).getBytes(UTF_8));
        }
        return values;
    }

    /** Returns what the storage peers have under CIDs. */
    private List<String> kept(long[] cids) {
        Map<Long, String> all = new TreeMap<>(first.chunks);
        all.putAll(second.chunks);
        List<String> kept = new ArrayList<>();
        for (long cid : cids) {
            kept.add(all.getOrDefault(cid, "nothing"));
        }
        return kept;
    }

    private static List<String> texts(List<byte[]> values) {
        return values.stream().map(value -> new String(value, UTF_8)).toList();
    }

    private void assertFails(AsyncGranaryClient client, List<byte[]> values, Class<? extends Throwable> failure) {
        assertThatThrownBy(() -> cluster.await(client.createAll(values, Place.anywhere())))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(failure);
    }

    @Test
    void create_nothing_asksNobody() {
        assertThat(cluster.await(client().createAll(List.of(), Place.anywhere())))
                .isEmpty();
        assertThat(first.requests).isEmpty();
    }

    @Test
    void create_moreChunksThanARequestTakes_eachCidIsThatOfItsContent() {
        List<byte[]> values = values(1000, 8);
        long[] cids = cluster.await(client(64, 256 << 10).createAll(values, Place.anywhere()));

        assertThat(kept(cids)).isEqualTo(texts(values));
        assertThat(first.chunks).hasSize(1000);
        assertThat(first.requests).hasSize(16).allMatch(count -> count <= 64);
    }

    @Test
    void create_moreBytesThanARequestTakes_isCutAndAChunkThatIsTooLargeGoesAlone() {
        List<byte[]> values = new ArrayList<>(values(10, 400));
        values.add(5, new byte[5000]);
        long[] cids = cluster.await(client(100, 1024).createAll(values, Place.anywhere()));

        assertThat(kept(cids)).isEqualTo(texts(values));
        assertThat(first.requests).containsExactlyInAnyOrder(2, 2, 1, 1, 2, 2, 1);
    }

    @Test
    void createZeroed_manyChunks_haveThatSize() {
        long[] cids = cluster.await(client(7, 1024).createZeroed(20, 3, Place.anywhere()));

        assertThat(kept(cids)).hasSize(20).containsOnly("\0\0\0");
        assertThat(first.requests).containsExactlyInAnyOrder(7, 7, 6);
    }

    /** An application never hears of these CIDs, so nobody else could delete their chunks. */
    @Test
    void create_laterRequestFails_chunksOfTheEarlierAreDeleted() {
        first.room = 3;
        AsyncGranaryClient client = client(10, 256 << 10);
        assertFails(client, values(100, 8), StorageFullException.class);

        assertThat(first.lastLid).as("chunks that were created").isEqualTo(30);
        assertThat(first.chunks).isEmpty();
    }

    @Test
    void create_answerIsForAnotherNumberOfChunks_failsInsteadOfGivingWrongCids() {
        AsyncGranaryClient client = client();
        first.miscount = -1;
        assertFails(client, values(3, 8), GranaryException.class);
        first.miscount = 1;
        assertFails(client, values(3, 8), GranaryException.class);
    }

    @Test
    void create_onePeerIsFull_theOtherTakesAll() {
        withSecond(0);
        first.room = 0;
        List<byte[]> values = values(40, 8);
        long[] cids = cluster.await(client(10, 256 << 10).createAll(values, Place.anywhere()));

        assertThat(kept(cids)).isEqualTo(texts(values));
        assertThat(second.chunks).hasSize(40);
    }

    @Test
    void create_allPeersAreFull_eachIsAskedOnce() {
        withSecond(0);
        first.room = 0;
        second.room = 0;
        assertFails(client(), values(1, 8), StorageFullException.class);

        assertThat(first.requests).hasSize(1);
        assertThat(second.requests).hasSize(1);
    }

    @Test
    void createOn_thatPeerIsFull_noOtherTakesIt() {
        withSecond(0);
        first.room = 0;
        assertThatThrownBy(() -> cluster.await(client().create(new byte[8], Place.on(FIRST))))
                .hasCauseInstanceOf(StorageFullException.class);
        assertThat(second.requests).isEmpty();
    }

    @Test
    void createNear_twoPeers_isOnTheOwner() {
        withSecond(0);
        AsyncGranaryClient client = client();
        for (int i = 0; i < 4; i++) {
            long cid = cluster.await(client.create(new byte[8], Place.near(Cid.of(FIRST, 1))));
            assertThat(Cid.nid(cid)).isEqualTo(FIRST);
        }
        assertThat(second.requests).isEmpty();
    }

    @Test
    void create_oneByOne_beginsWithTheLeastFilledPeerAndTakesTurns() {
        // The first one is empty.
        withSecond(1 << 19);
        AsyncGranaryClient client = client();
        List<String> peers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            peers.add(Nid.toHex(Cid.nid(cluster.await(client.create(new byte[8], Place.anywhere())))));
        }
        assertThat(peers).containsExactly(Nid.toHex(FIRST), Nid.toHex(SECOND), Nid.toHex(FIRST), Nid.toHex(SECOND));
    }

    @Test
    void create_batch_isSpreadOverAllPeers() {
        withSecond(0);
        List<byte[]> values = values(100, 8);
        long[] cids = cluster.await(client().createAll(values, Place.anywhere()));

        assertThat(kept(cids)).isEqualTo(texts(values));
        assertThat(first.chunks).hasSize(50);
        assertThat(second.chunks).hasSize(50);
    }

    @Test
    void create_onePeerIsBeingDrained_isNotAsked() {
        cluster.addStoragePeer(SECOND, 0, PeerInfo.Drain.RUNNING, second);
        AsyncGranaryClient client = client();
        for (int i = 0; i < 4; i++) {
            cluster.await(client.create(new byte[8], Place.anywhere()));
        }
        assertThat(second.requests).isEmpty();
    }

    @Test
    void create_userMayCreateOnOnePeer_goesThereAndRemembers() {
        withSecond(0);
        first.isForOthers = true;
        AsyncGranaryClient client = client();
        for (int i = 0; i < 6; i++) {
            assertThat(Cid.nid(cluster.await(client.create(new byte[8], Place.anywhere()))))
                    .isEqualTo(SECOND);
        }
        List<byte[]> values = values(100, 8);
        assertThat(kept(cluster.await(client.createAll(values, Place.anywhere()))))
                .isEqualTo(texts(values));
        assertThat(first.requests).as("what the peer refused").hasSize(1);
    }

    @Test
    void create_userGetsThePermission_isAskedAgainAfterAMinute() {
        withSecond(0);
        first.isForOthers = true;
        AsyncGranaryClient client = client();
        cluster.await(client.create(new byte[8], Place.anywhere()));
        cluster.await(client.create(new byte[8], Place.anywhere()));
        first.isForOthers = false;
        cluster.runFor(TimeUnit.MINUTES.toNanos(1));
        for (int i = 0; i < 4; i++) {
            cluster.await(client.create(new byte[8], Place.anywhere()));
        }
        assertThat(first.chunks).hasSize(2);
    }

    @Test
    void create_batchOfWhichSomePeersRefuseTheUser_isCreatedByTheOthers() {
        withSecond(0);
        first.isForOthers = true;
        List<byte[]> values = values(100, 8);
        long[] cids = cluster.await(client().createAll(values, Place.anywhere()));
        assertThat(kept(cids)).isEqualTo(texts(values));
        assertThat(second.chunks).hasSize(100);
    }

    @Test
    void create_noPeerIsForTheUser_failsAndSaysWhy() {
        withSecond(0);
        first.isForOthers = true;
        second.isForOthers = true;
        AsyncGranaryClient client = client();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> cluster.await(client.create(new byte[8], Place.anywhere())))
                    .hasCauseInstanceOf(GranaryException.class)
                    .hasMessageContaining("the user 'app' may create elsewhere");
        }
        assertThat(first.chunks).isEmpty();
        assertThat(second.chunks).isEmpty();
    }

    @Test
    void createOn_peerThatIsNotForTheUser_failsAndAsksNobodyElse() {
        withSecond(0);
        first.isForOthers = true;
        assertThatThrownBy(() -> cluster.await(client().create(new byte[8], Place.on(FIRST))))
                .hasMessageContaining("the user 'app' may create elsewhere");
        assertThat(second.requests).isEmpty();
    }
}
