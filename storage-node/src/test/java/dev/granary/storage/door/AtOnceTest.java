package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.KeySlot;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.door.state.CommandStats;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Requests that {@link RequestLoop} answers where it reads them, between others that go as calls. */
class AtOnceTest {

    private static final String EVEN = key(0);
    private static final String ODD = key(1);

    /** Returns a key of a slot group whose number is even, which is answered at once, or odd. */
    private static String key(int remainder) {
        return IntStream.range(0, 100)
                .mapToObj(i -> "key" + i)
                .filter(key -> SlotGroup.ofSlot(KeySlot.of(key.getBytes(StandardCharsets.US_ASCII))) % 2 == remainder)
                .findFirst()
                .orElseThrow();
    }

    private static byte[] lines(String... requests) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String request : requests) {
            all.write(RespClient.request(request.split(" ", -1)));
        }
        return all.toByteArray();
    }

    private static CommandStats stats(OpenDoor open, String command) {
        return Objects.requireNonNull(open.door().state().stats().get(command));
    }

    private static OpenDoor open() throws Exception {
        OpenDoor open = new OpenDoor();
        open.peer().atOnce();
        return open;
    }

    @Test
    void pipeline_ofRequestsAtOnceAndCalls_isAnsweredInOrder() throws Exception {
        try (OpenDoor open = open();
                RespClient client = open.client()) {
            client.send(lines(
                    "SET " + EVEN + " 1",
                    "SET " + ODD + " 2",
                    "INCR " + EVEN,
                    "GET " + ODD,
                    "PING",
                    "GET " + EVEN,
                    "HGET " + EVEN + " field",
                    "GET " + EVEN));
            assertThat(client.read(8))
                    .containsExactly(
                            "+OK",
                            "+OK",
                            ":2",
                            "'2'",
                            "+PONG",
                            "'2'",
                            "-WRONGTYPE Operation against a key holding the wrong kind of value",
                            "'2'");
            assertThat(stats(open, "get").calls()).isEqualTo(3);
            assertThat(stats(open, "hget").failed()).isEqualTo(1);
        }
    }

    @Test
    void change_ofUnknownOutcome_isToldAndTheConnectionGoesOn() throws Exception {
        try (OpenDoor open = open();
                RespClient client = open.client()) {
            open.peer().fail(Outcome.UNKNOWN);
            assertThat(client.words("SET " + EVEN + " 1")).startsWith("-ERR outcome unknown: ");
            open.peer().fail(null);
            assertThat(client.words("SET " + EVEN + " 2")).isEqualTo("+OK");
            assertThat(stats(open, "set").failed()).isEqualTo(1);
        }
    }

    @Test
    void replies_thatAreNotWanted_areNotWritten() throws Exception {
        try (OpenDoor open = open();
                RespClient client = open.client()) {
            client.send(lines(
                    "CLIENT REPLY OFF",
                    "INCR " + EVEN,
                    "CLIENT REPLY ON",
                    "CLIENT REPLY SKIP",
                    "INCR " + EVEN,
                    "INCR " + EVEN));
            assertThat(client.read(2)).containsExactly("+OK", ":3");
        }
    }

    @Test
    void requests_atOnce_areShownToMonitorsAndKeptIfSlow() throws Exception {
        try (OpenDoor open = open();
                RespClient client = open.client();
                RespClient monitor = open.client()) {
            assertThat(client.words("CONFIG SET slowlog-log-slower-than 0")).isEqualTo("+OK");
            assertThat(monitor.words("MONITOR")).isEqualTo("+OK");
            assertThat(client.words("GET " + EVEN)).isEqualTo("nil");
            assertThat(monitor.read()).contains("\"GET\" \"" + EVEN + "\"");
            assertThat(client.words("SLOWLOG GET 1")).contains("['GET' '" + EVEN + "']");
        }
    }
}
