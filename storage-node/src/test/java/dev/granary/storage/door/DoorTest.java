package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.RequestLimits;
import dev.granary.storage.door.state.DoorCounters.Closing;
import dev.granary.storage.door.state.DoorLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections of a {@link Door}: the work of its {@link Session}, {@link RequestLoop}, {@link Execution} and {@link
 * Output}.
 */
class DoorTest {

    private static final List<String[]> PIPELINE = List.of(
            new String[] {"SET", "a", "1"},
            new String[] {"GET", "a"},
            new String[] {"PING", "hello"},
            new String[] {"INCR", "a"},
            new String[] {"MGET", "a", "b"},
            new String[] {"NOSUCH", "x"},
            new String[] {"GET", "none"},
            new String[] {"EXISTS"});

    private static final List<String> ITS_REPLIES = List.of(
            "+OK",
            "'1'",
            "'hello'",
            ":2",
            "['2' nil]",
            "-ERR unknown command 'NOSUCH', with args beginning with: 'x' ",
            "nil",
            "-ERR wrong number of arguments for 'exists' command");

    private static byte[] pipeline() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String[] request : PIPELINE) {
            bytes.write(RespClient.request(request));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void pipeline_cutAtEveryByte_isAnsweredInOrder(int protocol) throws Exception {
        byte[] all = pipeline();
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.ask("HELLO", Integer.toString(protocol))).contains("'proto'", ":" + protocol);
            for (int cut = 1; cut < all.length; cut++) {
                client.send(Arrays.copyOf(all, cut));
                client.send(Arrays.copyOfRange(all, cut, all.length));
                assertThat(client.read(PIPELINE.size())).as("cut at %d", cut).isEqualTo(ITS_REPLIES);
            }
        }
    }

    @Test
    void pipeline_byteByByteAndCallsAtOnce_isAnsweredInOrder() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            open.peer().atOnce();
            for (byte each : pipeline()) {
                client.send(new byte[] {each});
            }
            assertThat(client.read(PIPELINE.size())).isEqualTo(ITS_REPLIES);
        }
    }

    @Test
    void pipeline_ofOneGroup_goesAsFewCalls() throws Exception {
        int requests = 3000;
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            byte[] increment = RespClient.request("INCR", "{k}n");
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < requests; i++) {
                all.write(increment);
            }
            client.send(all.toByteArray());
            for (int i = 1; i <= requests; i++) {
                assertThat(client.read()).isEqualTo(":" + i);
            }
            assertThat(open.peer().calls()).isLessThan(requests / 20);
            assertThat(open.door().state().counters().groupRequestsSum()).isEqualTo(requests);
        }
    }

    @Test
    void pipeline_manyGroupsAndLargeReplies_isAnsweredInOrder() throws Exception {
        String value = "v".repeat(100_000);
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < 100; i++) {
                all.write(RespClient.request("SET", "k" + i, value + i));
                all.write(RespClient.request("GET", "k" + i));
            }
            Thread sender = Thread.ofVirtual().start(() -> {
                try {
                    client.send(all.toByteArray());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            for (int i = 0; i < 100; i++) {
                assertThat(client.read()).isEqualTo("+OK");
                assertThat(client.read()).isEqualTo("'" + value + i + "'");
            }
            sender.join();
        }
    }

    @Test
    void inlineRequests_onKeys_areAnswered() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.send("set k 'a b'\r\nget k\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.read(3)).containsExactly("+OK", "'a b'", "+PONG");
        }
    }

    @Test
    void clientThatSendsNothingMore_stillGetsItsReplies() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.send(pipeline());
            client.shutdownOutput();
            assertThat(client.read(PIPELINE.size())).isEqualTo(ITS_REPLIES);
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void quit_withinAPipeline_closesBehindItsReply() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.send("SET k v\r\nQUIT\r\nGET k\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.read(2)).containsExactly("+OK", "+OK");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void requests_thatAreNone_areRefusedAndClosed() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.send("SET k v\r\n*1\r\nnonsense\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.read(2)).containsExactly("+OK", "-ERR Protocol error: expected '$', got 'n'");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void argument_aboveItsLimit_isRefused() throws Exception {
        DoorLimits limits = DoorLimits.defaults().withRequest(new RequestLimits(100, 1000, 10_000, 500, 10, 100));
        try (OpenDoor open = new OpenDoor(limits);
                RespClient client = open.client()) {
            assertThat(client.ask("SET", "k", "v".repeat(1000))).isEqualTo("+OK");
            client.send(RespClient.request("SET", "k", "v".repeat(1001)));
            assertThat(client.read()).isEqualTo("-ERR Protocol error: invalid bulk length");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void clients_aboveTheirLimit_areRefusedUntilOneLeaves() throws Exception {
        try (OpenDoor open = new OpenDoor(DoorLimits.defaults().withClients(2));
                RespClient first = open.client();
                RespClient second = open.client()) {
            assertThat(first.words("PING")).isEqualTo("+PONG");
            assertThat(second.words("PING")).isEqualTo("+PONG");
            try (RespClient third = open.client()) {
                assertThat(third.read()).isEqualTo("-ERR max number of clients reached");
                assertThat(third.isClosed()).isTrue();
            }
            assertThat(open.door().state().counters().refusedSum()).isEqualTo(1);
            assertThat(second.words("QUIT")).isEqualTo("+OK");
            assertThat(second.isClosed()).isTrue();
            await(() -> open.door().state().clients().count() == 1);
            try (RespClient fourth = open.client()) {
                assertThat(fourth.words("PING")).isEqualTo("+PONG");
            }
        }
    }

    @Test
    void clientThatDoesNotRead_getsNoMoreCarriedOutThanALittle() throws Exception {
        String value = "v".repeat(1 << 20);
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.ask("SET", "k", value)).isEqualTo("+OK");
            int requests = 200;
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < requests; i++) {
                // Every other one is of another group, so that each is a call of its own.
                all.write(RespClient.request("GET", i % 2 == 0 ? "k" : "none"));
            }
            client.send(all.toByteArray());
            int calls = settled(open);
            assertThat(calls).isLessThan(60);
            for (int i = 0; i < requests; i++) {
                assertThat(client.read()).hasSize(i % 2 == 0 ? value.length() + 2 : 3);
            }
        }
    }

    /** Returns how many calls there were when no more come. */
    private static int settled(OpenDoor open) throws InterruptedException {
        int calls = -1;
        while (calls != open.peer().calls()) {
            calls = open.peer().calls();
            TimeUnit.MILLISECONDS.sleep(300);
        }
        return calls;
    }

    @Test
    void clientThatNeverReads_isClosedAfterAWhile() throws Exception {
        DoorLimits limits = DoorLimits.defaults().withStallNanos(TimeUnit.MILLISECONDS.toNanos(500));
        try (OpenDoor open = new OpenDoor(limits);
                RespClient client = open.client();
                RespClient other = open.client()) {
            assertThat(client.ask("SET", "k", "v".repeat(1 << 20))).isEqualTo("+OK");
            for (int i = 0; i < 20; i++) {
                client.send(RespClient.request("GET", "k"));
            }
            await(() -> open.door().state().counters().closedSum(Closing.SLOW) == 1);
            assertThat(other.words("PING")).isEqualTo("+PONG");
        }
    }

    @Test
    void clientThatDoesNotRead_aboveTheLimitOfReplies_isClosed() throws Exception {
        try (OpenDoor open = new OpenDoor(DoorLimits.defaults().withReplyBytes(3 << 20));
                RespClient client = open.client()) {
            assertThat(client.ask("SET", "{k}", "v".repeat(1 << 20))).isEqualTo("+OK");
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < 20; i++) {
                all.write(RespClient.request("GET", "{k}"));
            }
            client.send(all.toByteArray());
            await(() -> open.door().state().counters().closedSum(Closing.SLOW) == 1);
        }
    }

    @Test
    void clientThatHoldsMuch_whenAllHoldTooMuch_isClosed() throws Exception {
        try (OpenDoor open = new OpenDoor(DoorLimits.defaults().withHeldBytes(1 << 20));
                RespClient large = open.client();
                RespClient small = open.client()) {
            byte[] unfinished = RespClient.request("SET", "k", "v".repeat(4 << 20));
            try {
                large.send(Arrays.copyOf(unfinished, unfinished.length - 10));
            } catch (IOException closedMeanwhile) {
                assertThat(closedMeanwhile).isNotNull();
            }
            await(() -> open.door().state().counters().closedSum(Closing.MEMORY) == 1);
            assertThat(small.words("SET k v")).isEqualTo("+OK");
        }
    }

    @Test
    void clientThatAsksNothing_afterTheTimeout_isClosed() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient idle = open.client();
                RespClient other = open.client()) {
            assertThat(idle.words("PING")).isEqualTo("+PONG");
            assertThat(other.words("CONFIG SET timeout 1")).isEqualTo("+OK");
            assertThat(idle.isClosed()).isTrue();
            await(() -> open.door().state().counters().closedSum(Closing.IDLE) > 0);
        }
    }

    @Test
    void clientReply_offSkipAndOn_answersWhatIsWanted() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            List<String> lines = List.of(
                    "CLIENT REPLY OFF",
                    "SET a 1",
                    "SET {a}b 2",
                    "PING",
                    "CLIENT REPLY ON",
                    "CLIENT REPLY SKIP",
                    "CLIENT REPLY ON",
                    "CLIENT REPLY SKIP",
                    "INCR a",
                    "INCR a",
                    "CLIENT REPLY SKIP",
                    "PING",
                    "ECHO end",
                    "");
            client.send(String.join("\r\n", lines).getBytes(StandardCharsets.US_ASCII));
            assertThat(client.read(4)).containsExactly("+OK", "+OK", ":3", "'end'");
        }
    }

    @Test
    void manyClients_openedAndClosedAnyhow_leaveNothing() throws Exception {
        try (OpenDoor open = new OpenDoor()) {
            for (int round = 0; round < 8; round++) {
                List<RespClient> clients = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    RespClient client = open.client();
                    clients.add(client);
                    switch (i % 5) {
                        case 0 -> client.send(pipeline());
                        case 1 -> client.send(Arrays.copyOf(pipeline(), 30));
                        case 2 -> client.send("MULTI\r\nSET a 1\r\nGET a\r\n".getBytes(StandardCharsets.US_ASCII));
                        case 3 -> client.send("KEYS *\r\nSCAN 0\r\nMONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
                        default -> assertThat(client.words("PING")).isEqualTo("+PONG");
                    }
                }
                for (RespClient client : clients) {
                    client.close();
                }
            }
            await(() -> open.door().state().clients().count() == 0);
            assertThat(open.door().state().counters().openedSum()).isEqualTo(400);
            assertThat(open.door().state().monitors().isEmpty()).isTrue();
        }
    }

    /** Something that becomes true. */
    interface Condition {
        boolean holds() throws Exception;
    }

    static void await(Condition condition) throws Exception {
        for (int tries = 0; !condition.holds(); tries++) {
            assertThat(tries).as("times that it was looked").isLessThan(1000);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
