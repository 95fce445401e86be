package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.DeadlineExceededException;
import dev.granary.client.OutcomeUnknownException;
import dev.granary.client.StorageFullException;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.door.state.DoorLimits;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client is answered about chunks, when a cluster behind the door has this or that answer: {@code ChunkCommands}
 * and what {@code ChunkCall} makes of arguments.
 */
class ChunksTest {

    private static final String FIRST = "0x8000000000000001";
    private static final String SECOND = "0x8000000000000002";
    private static final String NOBODY = "0x80000000000000ff";
    private static final String OF_A_KEY = Cid.toHex(Cid.of(SlotGroup.nid(3), SlotGroup.FIRST_LIDS));

    /** Room for three values of 1000 bytes. */
    private static final long ROOM = 3 * (1000 + 64) + 63;

    private OpenDoor door;
    private HeapChunks chunks;
    private RespClient client;

    @BeforeEach
    void open() throws Exception {
        door = new OpenDoor(DoorLimits.defaults().withChunkBytes(ROOM));
        chunks = door.chunks();
        client = door.client();
    }

    @AfterEach
    void close() throws Exception {
        door.close();
    }

    @Test
    void create_aValue_answersItsCid() throws Exception {
        assertThat(client.words("CHUNK.CREATE hello")).isEqualTo("'" + FIRST + "'");
        assertThat(client.words("chunk.get " + FIRST)).isEqualTo("'hello'");
        assertThat(client.ask("CHUNK.CREATE", "")).isEqualTo("'" + SECOND + "'");
        assertThat(client.words("CHUNK.GET " + SECOND)).isEqualTo("''");
    }

    @Test
    void create_binaryValue_comesBackAsItIs() throws Exception {
        String bytes = "\r\n\u0000\u00ff$3";
        client.ask("CHUNK.CREATE", bytes);
        assertThat(client.words("CHUNK.GET " + FIRST)).isEqualTo("'" + bytes + "'");
    }

    @Test
    void create_withAPlace_goesThere() throws Exception {
        client.words("CHUNK.CREATE a NEAR " + NOBODY);
        client.words("CHUNK.CREATE a on 0x8000");
        client.words("CHUNK.MCREATE 2 near on ON 0x8000");
        assertThat(chunks.calls()).containsExactly("create near " + NOBODY, "create on 32768", "create 2 on 32768");
        assertThat(client.words("CHUNK.MGET 0x8000000000000003 0x8000000000000004"))
                .isEqualTo("['near' 'on']");
    }

    @Test
    void mcreate_severalValues_answersCidsInTheirOrder() throws Exception {
        assertThat(client.words("CHUNK.MCREATE 2 a b")).isEqualTo("['" + FIRST + "' '" + SECOND + "']");
        assertThat(client.words("CHUNK.MGET " + SECOND + " " + NOBODY + " " + FIRST))
                .isEqualTo("['b' nil 'a']");
    }

    @Test
    void get_noChunk_isNothingAndALostOneIsAnError() throws Exception {
        assertThat(client.words("CHUNK.GET " + NOBODY)).isEqualTo("nil");
        client.words("CHUNK.CREATE a");
        chunks.lose(Cid.parse(FIRST));
        assertThat(client.words("CHUNK.GET " + FIRST)).startsWith("-CHUNKLOST chunk " + FIRST + " is lost");
        assertThat(client.words("CHUNK.MGET " + FIRST)).isEqualTo("[nil]");
    }

    @Test
    void put_aChunk_replacesItsValue() throws Exception {
        client.words("CHUNK.CREATE a");
        assertThat(client.words("CHUNK.PUT " + FIRST + " b")).isEqualTo("+OK");
        assertThat(client.words("CHUNK.GET " + FIRST)).isEqualTo("'b'");
        assertThat(client.words("CHUNK.PUT " + NOBODY + " b")).startsWith("-NOCHUNK chunk " + NOBODY);
    }

    @Test
    void mput_severalChunks_tellsWhichWereThere() throws Exception {
        client.words("CHUNK.MCREATE 2 a b");
        assertThat(client.words("CHUNK.MPUT " + FIRST + " c " + NOBODY + " d " + SECOND + " e"))
                .isEqualTo("[:1 :0 :1]");
        assertThat(client.words("CHUNK.MGET " + FIRST + " " + SECOND)).isEqualTo("['c' 'e']");
        assertThat(client.words("CHUNK.MPUT " + FIRST + " c " + FIRST + " d"))
                .startsWith("-ERR a chunk is named twice");
        assertThat(client.words("CHUNK.MPUT " + FIRST + " f " + SECOND + " thirteenbytes"))
                .startsWith("-OOM there is no room for the value of chunk " + SECOND + ": 1 of 2 chunks");
    }

    @Test
    void del_severalChunks_countsThoseThatWereThere() throws Exception {
        client.words("CHUNK.MCREATE 2 a b");
        assertThat(client.words("CHUNK.DEL " + FIRST + " " + NOBODY + " " + FIRST))
                .isEqualTo(":1");
        assertThat(client.words("CHUNK.MGET " + FIRST + " " + SECOND)).isEqualTo("[nil 'b']");
    }

    @Test
    void chunksOfKeys_anyCommand_areNotThereAndNobodyIsAsked() throws Exception {
        assertThat(client.words("CHUNK.GET " + OF_A_KEY)).isEqualTo("nil");
        for (String change : List.of(
                "CHUNK.PUT " + OF_A_KEY + " a",
                "CHUNK.MPUT " + OF_A_KEY + " a",
                "CHUNK.DEL " + OF_A_KEY + " TOKEN 1",
                "CHUNK.CREATE a NEAR " + OF_A_KEY,
                "CHUNK.NAME SET name " + OF_A_KEY,
                "CHUNK.LOCK " + OF_A_KEY + " 1000",
                "CHUNK.LOCKINFO " + OF_A_KEY)) {
            assertThat(client.words(change)).as(change).startsWith("-NOCHUNK chunk " + OF_A_KEY);
        }
        assertThat(client.words("CHUNK.CREATE a ON " + Nid.toHex(SlotGroup.nid(3))))
                .startsWith("-ERR NID");
        assertThat(chunks.calls()).isEmpty();
        client.words("CHUNK.CREATE a");
        assertThat(client.words("CHUNK.MGET " + OF_A_KEY + " " + FIRST)).isEqualTo("[nil 'a']");
        assertThat(client.words("CHUNK.DEL " + OF_A_KEY)).isEqualTo(":0");
        assertThat(chunks.calls()).containsExactly("create", "get 1", "delete 0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CHUNK.GET 17",
                "CHUNK.GET 0x",
                "CHUNK.GET 0x0",
                "CHUNK.GET 0x80000000000000010",
                "CHUNK.GET 0x800000000000000100000000000000000000000000000000000",
                "CHUNK.MGET 0x8000000000000001 x",
                "CHUNK.PUT x a",
                "CHUNK.PUT 0x8000000000000001 a NX",
                "CHUNK.PUT 0x8000000000000001 a TOKEN",
                "CHUNK.PUT 0x8000000000000001 a TOKEN 0",
                "CHUNK.PUT 0x8000000000000001 a TOKEN x",
                "CHUNK.MPUT 0x8000000000000001 a 0x8000000000000002",
                "CHUNK.DEL 0x8000000000000001 TOKEN",
                "CHUNK.CREATE a NEAR",
                "CHUNK.CREATE a NEAR x",
                "CHUNK.CREATE a ON x",
                "CHUNK.CREATE a ON 0x0",
                "CHUNK.CREATE a b c",
                "CHUNK.MCREATE 0 a",
                "CHUNK.MCREATE 2 a",
                "CHUNK.MCREATE 1 a b",
                "CHUNK.MCREATE x a",
                "CHUNK.LOCK 0x8000000000000001 99",
                "CHUNK.LOCK 0x8000000000000001 3600001",
                "CHUNK.LOCK 0x8000000000000001 1000 WAIT",
                "CHUNK.LOCK 0x8000000000000001 1000 WAIT -1",
                "CHUNK.LOCK 0x8000000000000001 1000 WAIT 60001",
                "CHUNK.LOCK 0x8000000000000001 1000 NX 1",
                "CHUNK.LOCK 0x8000000000000001 1000 WAIT 1 1",
                "CHUNK.RENEW 0x8000000000000001 0",
                "CHUNK.UNLOCK x 1",
                "CHUNK.NAME SET name x",
                "CHUNK.NAME SET name 0x8000000000000001 XX",
                "CHUNK.NAME SET name 0x8000000000000001 NX 1",
                "CHUNK.NAME SET name 0x8000000000000001 IFEQ",
                "CHUNK.NAME DEL name NX 0x8000000000000001",
                "CHUNK.NAME DEL name IFEQ",
                "CHUNK.NAME GET \u00ff",
                "CHUNK.NAME LIST COUNT 0",
                "CHUNK.NAME LIST COUNT 4097",
                "CHUNK.NAME LIST PREFIX",
                "CHUNK.NAME LIST ALL x",
                "CHUNK.NAME RENAME name",
                "CHUNK.GET",
                "CHUNK.CREATE",
                "CHUNK.LOCK 0x8000000000000001"
            })
    void request_thatMakesNoSense_isAnErrorAndNobodyIsAsked(String words) throws Exception {
        assertThat(client.words(words)).startsWith("-ERR ");
        assertThat(chunks.calls()).isEmpty();
        assertThat(door.door().chunkBytes()).isZero();
    }

    @Test
    void names_setGetAndDelete_followTheirConditions() throws Exception {
        client.words("CHUNK.MCREATE 2 a b");
        assertThat(client.words("CHUNK.NAME GET root")).isEqualTo("nil");
        assertThat(client.words("CHUNK.NAME SET root " + FIRST + " NX")).isEqualTo("+OK");
        assertThat(client.words("CHUNK.NAME SET root " + SECOND + " NX")).isEqualTo("nil");
        assertThat(client.words("CHUNK.NAME SET root " + SECOND + " IFEQ " + SECOND))
                .isEqualTo("nil");
        assertThat(client.words("CHUNK.NAME SET root " + SECOND + " IFEQ " + FIRST))
                .isEqualTo("+OK");
        assertThat(client.words("CHUNK.NAME GET root")).isEqualTo("'" + SECOND + "'");
        assertThat(client.words("CHUNK.NAME SET root " + NOBODY)).startsWith("-NOCHUNK ");
        assertThat(client.words("CHUNK.NAME DEL root IFEQ " + FIRST)).isEqualTo(":0");
        assertThat(client.words("CHUNK.NAME DEL root")).isEqualTo(":1");
        assertThat(client.words("CHUNK.NAME DEL root")).isEqualTo(":0");
    }

    @Test
    void names_inUtf8_areListedWithTheirCids() throws Exception {
        client.words("CHUNK.CREATE a");
        // The bytes of two letters, as the client sends each character as a byte.
        client.words("CHUNK.NAME SET gr\u00c3\u00bc\u00c3\u009fe " + FIRST);
        client.words("CHUNK.NAME SET a/1 " + FIRST);
        client.words("CHUNK.NAME SET a/2 " + FIRST);
        assertThat(client.words("CHUNK.NAME LIST PREFIX a/ COUNT 1")).isEqualTo("['a/1' '" + FIRST + "']");
        assertThat(client.words("CHUNK.NAME LIST AFTER a/2"))
                .isEqualTo("['gr\u00c3\u00bc\u00c3\u009fe' '" + FIRST + "']");
        assertThat(chunks.calls()).endsWith("list 'a/' '' 1", "list '' 'a/2' 100");
    }

    @Test
    void name_ofTooManyBytes_isRefused() throws Exception {
        assertThat(client.words("CHUNK.NAME GET " + "n".repeat(1025))).startsWith("-ERR a name has 1 to 1024 bytes");
        assertThat(client.ask("CHUNK.NAME", "GET", "")).startsWith("-ERR a name has 1 to 1024 bytes");
        assertThat(client.words("CHUNK.NAME GET " + "n".repeat(1024))).isEqualTo("nil");
    }

    @Test
    void lock_aChunk_answersATokenThatChangesCarry() throws Exception {
        client.words("CHUNK.CREATE a");
        assertThat(client.words("CHUNK.LOCK " + FIRST + " 1000 WAIT 50")).isEqualTo(":1");
        assertThat(chunks.calls()).endsWith("lock 1000 50");
        assertThat(door.client().words("CHUNK.LOCK " + FIRST + " 1000")).startsWith("-LOCKHELD a lock failed");
        assertThat(client.words("CHUNK.LOCKINFO " + FIRST)).isEqualTo("['token' :1 'remaining-ms' :1500 'waiting' :2]");
        assertThat(client.words("CHUNK.RENEW " + FIRST + " 1")).isEqualTo(":9000");
        assertThat(client.words("CHUNK.PUT " + FIRST + " b TOKEN 1")).isEqualTo("+OK");
        assertThat(client.words("CHUNK.UNLOCK " + FIRST + " 1")).isEqualTo("+OK");
        assertThat(client.words("CHUNK.LOCK " + FIRST + " 1000")).isEqualTo(":2");
        assertThat(client.words("CHUNK.PUT " + FIRST + " c TOKEN 1")).startsWith("-LOCKLOST ");
        assertThat(client.words("CHUNK.RENEW " + FIRST + " 1")).startsWith("-LOCKLOST ");
        assertThat(client.words("CHUNK.DEL " + FIRST + " TOKEN 1")).startsWith("-LOCKLOST ");
        assertThat(client.words("CHUNK.GET " + FIRST)).isEqualTo("'b'");
        assertThat(client.words("CHUNK.DEL " + FIRST + " TOKEN 2")).isEqualTo(":1");
        assertThat(client.words("CHUNK.DEL " + FIRST + " TOKEN 2")).isEqualTo(":0");
    }

    @Test
    void lock_connectionIsClosedWhenItIsGranted_isGivenBack() throws Exception {
        client.words("CHUNK.CREATE a");
        RespClient other = door.client();
        chunks.hold();
        other.send(RespClient.request("CHUNK.LOCK", FIRST, "3600000"));
        await(() -> chunks.waiting() == 1);
        assertThat(client.words("CLIENT KILL ADDR 127.0.0.1:" + other.localPort()))
                .isEqualTo(":1");
        await(() -> door.door().state().clients().count() == 1);
        chunks.letGo();
        await(() -> !chunks.isLocked(Cid.parse(FIRST)));
        assertThat(chunks.calls()).endsWith("unlock");
    }

    @Test
    void pipeline_ofChunksAndKeys_isAnsweredInItsOrder() throws Exception {
        client.words("CHUNK.CREATE a");
        chunks.hold();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(RespClient.request("SET", "k", "1"));
        all.write(RespClient.request("CHUNK.PUT", FIRST, "b"));
        all.write(RespClient.request("INCR", "k"));
        all.write(RespClient.request("CHUNK.GET", FIRST));
        all.write(RespClient.request("PING"));
        client.send(all.toByteArray());
        await(() -> chunks.waiting() == 1);
        assertThat(chunks.calls()).as("the get waits for the put").endsWith("put");
        chunks.letGo();
        assertThat(client.read(5)).containsExactly("+OK", "+OK", ":2", "'b'", "+PONG");
    }

    @Test
    void transaction_withAChunk_isRefusedAndDoesNothing() throws Exception {
        client.words("MULTI");
        client.words("SET k 1");
        assertThat(client.words("CHUNK.CREATE a"))
                .startsWith("-ERR CHUNK commands are not allowed inside a transaction");
        assertThat(client.words("CHUNK.NAME GET a")).startsWith("-ERR CHUNK commands are not allowed");
        assertThat(client.words("EXEC")).startsWith("-EXECABORT");
        assertThat(client.words("GET k")).isEqualTo("nil");
        assertThat(chunks.calls()).isEmpty();
    }

    @Test
    void failures_ofTheCluster_tellWhetherAChangeMayBeDone() throws Exception {
        chunks.fail(new DeadlineExceededException("too late", null));
        assertThat(client.words("CHUNK.GET " + FIRST)).isEqualTo("-TRYAGAIN too late");
        assertThat(client.words("CHUNK.CREATE a")).isEqualTo("-ERR outcome unknown: too late");
        chunks.fail(new OutcomeUnknownException("forgotten"));
        assertThat(client.words("CHUNK.DEL " + FIRST)).isEqualTo("-ERR outcome unknown: forgotten");
        chunks.fail(new StorageFullException("full"));
        assertThat(client.words("CHUNK.CREATE a")).isEqualTo("-OOM full");
        chunks.fail(new IllegalStateException());
        assertThat(client.words("CHUNK.GET " + FIRST)).isEqualTo("-ERR java.lang.IllegalStateException");
    }

    @Test
    void values_moreThanThereIsRoomFor_areRefusedAndTheRoomComesBack() throws Exception {
        String value = "v".repeat(1000);
        client.words("CHUNK.CREATE " + value);
        client.words("CHUNK.CREATE " + value);
        String three = FIRST + " " + SECOND + " " + FIRST;
        assertThat(client.words("CHUNK.MGET " + three)).hasSize(3 * 1002 + 4);
        String error = "-ERR the chunks of this request take more than";
        assertThat(client.words("CHUNK.MGET " + three + " " + SECOND)).startsWith(error);
        assertThat(client.words("CHUNK.MCREATE 4" + (" " + value).repeat(4))).startsWith(error);
        assertThat(client.words("CHUNK.CREATE " + "v".repeat(4000))).startsWith(error);
        assertThat(client.words("CHUNK.GET " + FIRST)).isEqualTo("'" + value + "'");
        assertThat(door.door().chunkBytes()).isZero();
    }

    @Test
    void values_ofOneClientOnTheirWay_leaveNoRoomForThoseOfAnother() throws Exception {
        String value = "v".repeat(3000);
        client.words("CHUNK.CREATE a");
        chunks.hold();
        client.send(RespClient.request("CHUNK.PUT", FIRST, value));
        await(() -> chunks.waiting() == 1);
        RespClient other = door.client();
        assertThat(other.words("CHUNK.PUT " + FIRST + " " + value))
                .startsWith("-TRYAGAIN the chunks of other requests");
        chunks.letGo();
        assertThat(client.read()).isEqualTo("+OK");
        assertThat(other.words("CHUNK.PUT " + FIRST + " " + value)).isEqualTo("+OK");
    }

    @Test
    void mget_replyThatNoClientMayLeaveUnread_isRefused() throws Exception {
        try (OpenDoor narrow = new OpenDoor(DoorLimits.defaults().withReplyBytes(1 << 20))) {
            RespClient other = narrow.client();
            other.words("CHUNK.CREATE " + "v".repeat(600_000));
            assertThat(other.words("CHUNK.MGET " + FIRST)).hasSize(600_004);
            assertThat(other.words("CHUNK.MGET " + FIRST + " " + FIRST))
                    .startsWith("-ERR the reply would have more than 1048576 bytes");
            assertThat(other.words("PING")).isEqualTo("+PONG");
        }
    }

    @Test
    void value_largerThanAChunk_isRefused() throws Exception {
        String value = "v".repeat((8 << 20) + 1);
        assertThat(client.ask("CHUNK.CREATE", value)).startsWith("-ERR a chunk has at most 8388608 bytes");
        assertThat(chunks.calls()).isEmpty();
    }

    @Test
    void command_info_namesNoKeys() throws Exception {
        assertThat(client.words("COMMAND INFO chunk.mget"))
                .isEqualTo("[['chunk.mget' :-2 [+readonly] :0 :0 :0 [+@read +@slow] [] [] []]]");
        assertThat(client.words("COMMAND GETKEYS chunk.get " + FIRST))
                .startsWith("-ERR The command has no key arguments");
        assertThat(client.words("COMMAND DOCS chunk.lock")).contains("'WAIT'", "Locks a chunk");
        assertThat(client.words("CHUNK.NAME HELP")).contains("LIST [PREFIX <prefix>]");
    }

    @Test
    void pause_ofWrites_holdsCreatesBackAndLetsGetsPass() throws Exception {
        client.words("CLIENT PAUSE 300 WRITE");
        assertThat(client.words("CHUNK.GET " + FIRST)).isEqualTo("nil");
        long begin = System.nanoTime();
        assertThat(client.words("CHUNK.CREATE a")).isEqualTo("'" + FIRST + "'");
        assertThat(System.nanoTime() - begin).isGreaterThan(100_000_000);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (int tries = 0; !condition.getAsBoolean() && tries < 2000; tries++) {
            Thread.sleep(5);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }
}
