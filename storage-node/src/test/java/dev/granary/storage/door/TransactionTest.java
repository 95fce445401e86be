package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.RequestLimits;
import dev.granary.storage.door.keys.Transaction;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code MULTI}, {@code EXEC} and {@code WATCH}: the work of {@link Transaction}. */
class TransactionTest {

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void exec_requestsOfOneSlotAndOfTheConnection_answersInOrder(int protocol) throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.ask("HELLO", Integer.toString(protocol));
            assertThat(client.words("MULTI")).isEqualTo("+OK");
            assertThat(client.words("PING first")).isEqualTo("+QUEUED");
            assertThat(client.words("SET {a}1 x")).isEqualTo("+QUEUED");
            assertThat(client.words("INCR {a}1")).isEqualTo("+QUEUED");
            assertThat(client.words("ECHO between")).isEqualTo("+QUEUED");
            assertThat(client.words("GET {a}none")).isEqualTo("+QUEUED");
            assertThat(client.words("MGET {a}1 {a}2")).isEqualTo("+QUEUED");
            assertThat(client.words("UNWATCH")).isEqualTo("+QUEUED");
            int calls = open.peer().calls();
            assertThat(client.words("EXEC"))
                    .isEqualTo(
                            "['first' +OK -ERR value is not an integer or out of range 'between' nil ['x' nil] +OK]");
            assertThat(open.peer().calls()).isEqualTo(calls + 1);
            assertThat(client.words("GET {a}1")).isEqualTo("'x'");
        }
    }

    @Test
    void exec_inAPipeline_isAnsweredInOrder() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.send("SET a 1\r\nMULTI\r\nINCR a\r\nINCR a\r\nEXEC\r\nGET a\r\nMULTI\r\nEXEC\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(client.read(8))
                    .containsExactly("+OK", "+OK", "+QUEUED", "+QUEUED", "[:2 :3]", "'3'", "+OK", "[]");
        }
    }

    @Test
    void exec_afterAnErrorWhileQueueing_isRefused() throws Exception {
        String abort = "-EXECABORT Transaction discarded because of previous errors.";
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            for (String wrong : new String[] {"NOSUCH", "GET", "FLUSHALL", "HELLO 3", "CLIENT REPLY OFF", "MONITOR"}) {
                client.words("MULTI");
                assertThat(client.words("SET a 1")).isEqualTo("+QUEUED");
                assertThat(client.words(wrong)).as(wrong).startsWith("-ERR");
                assertThat(client.words("EXEC")).as(wrong).isEqualTo(abort);
            }
            client.words("MULTI");
            client.words("SET a 1");
            assertThat(client.words("SET b 1")).isEqualTo("-CROSSSLOT Keys in request don't hash to the same slot");
            assertThat(client.words("EXEC")).isEqualTo(abort);
            client.words("MULTI");
            assertThat(client.words("MGET a b")).startsWith("-CROSSSLOT");
            assertThat(client.words("EXEC")).isEqualTo(abort);
            assertThat(client.words("GET a")).isEqualTo("nil");
        }
    }

    @Test
    void transactions_wrongOrder_areErrorsThatChangeNothing() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("EXEC")).isEqualTo("-ERR EXEC without MULTI");
            assertThat(client.words("DISCARD")).isEqualTo("-ERR DISCARD without MULTI");
            client.words("MULTI");
            assertThat(client.words("MULTI")).isEqualTo("-ERR MULTI calls can not be nested");
            assertThat(client.words("WATCH a")).isEqualTo("-ERR WATCH inside MULTI is not allowed");
            client.words("SET a 1");
            assertThat(client.words("EXEC")).isEqualTo("[+OK]");
            client.words("MULTI");
            client.words("SET a 2");
            assertThat(client.words("DISCARD")).isEqualTo("+OK");
            client.words("MULTI");
            client.words("SET a 3");
            assertThat(client.words("RESET")).isEqualTo("+RESET");
            assertThat(client.words("EXEC")).isEqualTo("-ERR EXEC without MULTI");
            assertThat(client.words("GET a")).isEqualTo("'1'");
        }
    }

    @Test
    void watch_keysChangedByOthers_execAnswersNothing() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            assertThat(client.words("WATCH {a}1 {a}2")).isEqualTo("+OK");
            assertThat(client.words("WATCH {a}1")).isEqualTo("+OK");
            assertThat(other.words("SET {a}2 x")).isEqualTo("+OK");
            client.words("MULTI");
            client.words("SET {a}1 y");
            assertThat(client.words("EXEC")).isEqualTo("nil");
            assertThat(client.words("GET {a}1")).isEqualTo("nil");
            // The watches have ended with it.
            client.words("MULTI");
            client.words("SET {a}1 y");
            assertThat(client.words("EXEC")).isEqualTo("[+OK]");
        }
    }

    @Test
    void watch_againAfterAChange_keepsTheFirstMark() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            client.words("WATCH a");
            other.words("SET a 1");
            client.words("WATCH a");
            client.words("MULTI");
            client.words("PING");
            // Without a request on keys the slot group is asked all the same.
            assertThat(client.words("EXEC")).isEqualTo("nil");
            client.words("WATCH a");
            client.words("MULTI");
            client.words("PING");
            assertThat(client.words("EXEC")).isEqualTo("[+PONG]");
        }
    }

    @Test
    void watch_keysOfOtherSlots_areRefusedUntilUnwatch() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            assertThat(client.words("WATCH a b")).startsWith("-CROSSSLOT");
            assertThat(client.words("WATCH a")).isEqualTo("+OK");
            assertThat(client.words("WATCH b")).startsWith("-CROSSSLOT");
            other.words("SET a 1");
            assertThat(client.words("UNWATCH")).isEqualTo("+OK");
            assertThat(client.words("WATCH b")).isEqualTo("+OK");
            client.words("MULTI");
            assertThat(client.words("SET a 2")).startsWith("-CROSSSLOT");
            assertThat(client.words("EXEC")).startsWith("-EXECABORT");
        }
    }

    @Test
    void exec_refusedOrUnknown_saysSoAndEndsTheTransaction() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.words("MULTI");
            client.words("SET a 1");
            client.words("CLIENT ID");
            open.peer().fail(Outcome.REFUSED);
            assertThat(client.words("EXEC")).isEqualTo("-TRYAGAIN a test wants it so");
            client.words("MULTI");
            client.words("SET a 1");
            open.peer().fail(Outcome.UNKNOWN);
            assertThat(client.words("EXEC")).isEqualTo("-ERR outcome unknown: a test wants it so");
            assertThat(client.words("EXEC")).isEqualTo("-ERR EXEC without MULTI");
        }
    }

    @Test
    void queue_moreThanARequestMayHave_isRefused() throws Exception {
        DoorLimits limits = DoorLimits.defaults().withRequest(new RequestLimits(100, 1000, 3000, 500, 10, 100));
        try (OpenDoor open = new OpenDoor(limits);
                RespClient client = open.client()) {
            client.words("MULTI");
            assertThat(client.ask("SET", "a", "v".repeat(900))).isEqualTo("+QUEUED");
            assertThat(client.ask("ECHO", "v".repeat(900))).isEqualTo("+QUEUED");
            assertThat(client.ask("SET", "a", "v".repeat(900))).isEqualTo("+QUEUED");
            assertThat(client.ask("SET", "a", "v".repeat(900)))
                    .isEqualTo("-ERR the transaction would have more than 3000 bytes or 100 requests");
            assertThat(client.words("EXEC")).startsWith("-EXECABORT");
        }
    }
}
