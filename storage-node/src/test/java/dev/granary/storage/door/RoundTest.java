package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.KeySlot;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.door.state.CommandStats;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipelines for keys of many slot groups: each {@link Round}, its {@link Run}s and their {@link Arrivals}. */
class RoundTest {

    private static int group(String key) {
        return SlotGroup.ofSlot(KeySlot.of(key.getBytes(StandardCharsets.US_ASCII)));
    }

    private static CommandStats stats(OpenDoor open, String command) {
        return Objects.requireNonNull(open.door().state().stats().get(command));
    }

    private static byte[] lines(String... requests) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (String request : requests) {
            all.write(RespClient.request(request.split(" ", -1)));
        }
        return all.toByteArray();
    }

    @Test
    void keysOfTheTests_areOfDifferentGroups() {
        assertThat(List.of(group("a"), group("b"), group("c"))).doesNotHaveDuplicates();
    }

    @Test
    void pipeline_ofManyGroups_cutAtEveryByte_isAnsweredInOrder() throws Exception {
        byte[] all = lines("SET a 1", "SET b 2", "INCR a", "GET c", "GET b", "GET a", "PING", "INCR b", "DEL a b");
        List<String> replies = List.of("+OK", "+OK", ":2", "nil", "'2'", "'2'", "+PONG", ":3", ":2");
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            for (int cut = 1; cut < all.length; cut++) {
                client.send(Arrays.copyOf(all, cut));
                client.send(Arrays.copyOfRange(all, cut, all.length));
                assertThat(client.read(replies.size())).as("cut at %d", cut).isEqualTo(replies);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pipeline_ofManyGroupsMixedWithOtherCommands_isAnsweredInOrder(boolean atOnce) throws Exception {
        Random random = new Random(310);
        int[] counts = new int[40];
        List<String> requests = new ArrayList<>();
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            int key = random.nextInt(counts.length);
            switch (random.nextInt(40)) {
                case 0 -> add(requests, "ECHO " + i, replies, "'" + i + "'");
                case 1 ->
                    add(requests, "MGET k0 k1 none", replies, "[" + text(counts[0]) + " " + text(counts[1]) + " nil]");
                case 2 -> add(requests, "HGET k" + key, replies, "-ERR wrong number of arguments for 'hget' command");
                case 3 -> add(requests, "NOSUCH", replies, "-ERR unknown command 'NOSUCH', with args beginning with: ");
                case 4, 5, 6 -> add(requests, "GET k" + key, replies, text(counts[key]));
                default -> add(requests, "INCR k" + key, replies, ":" + ++counts[key]);
            }
        }
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            if (atOnce) {
                open.peer().atOnce();
            }
            byte[] all = lines(requests.toArray(new String[0]));
            Thread sender = sender(client, all);
            for (int i = 0; i < replies.size(); i++) {
                assertThat(client.read()).as("%d: %s", i, requests.get(i)).isEqualTo(replies.get(i));
            }
            sender.join();
            long increments =
                    requests.stream().filter(each -> each.startsWith("INCR")).count();
            assertThat(stats(open, "incr").calls()).isEqualTo(increments);
        }
    }

    private static String text(int count) {
        return count == 0 ? "nil" : "'" + count + "'";
    }

    private static void add(List<String> requests, String request, List<String> replies, String reply) {
        requests.add(request);
        replies.add(reply);
    }

    private static Thread sender(RespClient client, byte[] bytes) {
        return Thread.ofVirtual().start(() -> {
            try {
                client.send(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void slowGroup_besideFastOnes_holdsBackOnlyReplies() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            open.peer().hold(group("a"));
            client.send(lines("INCR a", "INCR b", "INCR a", "INCR c"));
            DoorTest.await(() -> open.peer().calls() == 3);
            // The fast groups have carried theirs out.
            DoorTest.await(() -> other.words("GET c").equals("'1'"));
            assertThat(other.words("GET b")).isEqualTo("'1'");
            open.peer().letGo(group("a"));
            assertThat(client.read(4)).containsExactly(":1", ":1", ":2", ":1");
        }
    }

    @Test
    void request_forAGroupWhoseCallRuns_doesNotOvertake() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            open.peer().hold(group("a"));
            client.send(lines("SET a 1", "SET b 1"));
            DoorTest.await(() -> open.peer().calls() == 2);
            client.send(lines("INCR a", "INCR b", "DBSIZE"));
            TimeUnit.MILLISECONDS.sleep(200);
            assertThat(open.peer().calls()).isEqualTo(2);
            open.peer().letGo(group("a"));
            assertThat(client.read(5)).containsExactly("+OK", "+OK", ":2", ":2", ":2");
        }
    }

    @Test
    void pipeline_aboveTheSizeOfARound_goesInSeveral() throws Exception {
        int requests = 1000;
        String[] all = new String[requests];
        Arrays.setAll(all, i -> "SET k" + i + " " + i);
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            for (int group = 0; group < SlotGroup.COUNT; group++) {
                open.peer().hold(group);
            }
            client.send(lines(all));
            DoorTest.await(() -> open.peer().calls() > 1);
            TimeUnit.MILLISECONDS.sleep(200);
            assertThat(open.peer().calls()).isBetween(2, RoundSize.FIRST);
            for (int group = 0; group < SlotGroup.COUNT; group++) {
                open.peer().letGo(group);
            }
            assertThat(client.read(requests)).containsOnly("+OK");
            assertThat(open.door().state().counters().groupRequestsSum()).isEqualTo(requests);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"REFUSED", "UNKNOWN"})
    void callThatFails_besideOthers_concernsItsRequestsOnly(Outcome outcome) throws Exception {
        String error = outcome == Outcome.REFUSED
                ? "-TRYAGAIN a test wants it so"
                : "-ERR outcome unknown: a test wants it so";
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            open.peer().fail(group("b"), outcome);
            client.send(lines("SET a 1", "SET b 1", "INCR a", "GET b", "INCR c"));
            assertThat(client.read(5)).containsExactly("+OK", error, ":2", error, ":1");
            assertThat(stats(open, "set").failed()).isEqualTo(1);
            assertThat(stats(open, "get").failed()).isEqualTo(1);
        }
    }

    @Test
    void clientReplyOff_forManyGroups_answersNothingAndCarriesOutAll() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            client.send(lines("INCR a", "CLIENT REPLY OFF", "INCR a", "INCR b", "GET c", "CLIENT REPLY ON", "INCR b"));
            assertThat(client.read(3)).containsExactly(":1", "+OK", ":2");
            assertThat(client.words("GET a")).isEqualTo("'2'");
        }
    }

    @Test
    void monitor_ofAPipelineOfManyGroups_seesRequestsInOrder() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient monitor = open.client();
                RespClient client = open.client()) {
            assertThat(monitor.words("MONITOR")).isEqualTo("+OK");
            client.send(lines("INCR a", "INCR b", "INCR a", "PING", "INCR c"));
            assertThat(client.read(5)).containsExactly(":1", ":1", ":2", "+PONG", ":1");
            for (String seen :
                    List.of("\"INCR\" \"a\"", "\"INCR\" \"b\"", "\"INCR\" \"a\"", "\"PING\"", "\"INCR\" \"c\"")) {
                assertThat(monitor.read()).endsWith(seen);
            }
        }
    }

    @Test
    void slowRun_besideFastOnes_aloneIsKeptAsSlow() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            assertThat(other.words("CONFIG SET slowlog-log-slower-than 400000")).isEqualTo("+OK");
            open.peer().hold(group("b"));
            client.send(lines("INCR a", "INCR b", "INCR c"));
            DoorTest.await(() -> open.peer().calls() == 3);
            TimeUnit.MILLISECONDS.sleep(600);
            open.peer().letGo(group("b"));
            assertThat(client.read(3)).containsExactly(":1", ":1", ":1");
            assertThat(other.words("SLOWLOG LEN")).isEqualTo(":1");
            assertThat(other.words("SLOWLOG GET")).contains("['INCR' 'b']");
        }
    }

    @Test
    void largeValues_afterManySmallOnes_comeWithoutAnEnd() throws Exception {
        int keys = 64;
        String value = "v".repeat(256 << 10);
        try (OpenDoor open = new OpenDoor(DoorLimits.defaults().withReplyBytes(2 << 20));
                RespClient client = open.client()) {
            String[] all = new String[2000];
            Arrays.setAll(all, i -> "GET none" + i);
            client.send(lines(all));
            assertThat(client.read(all.length)).containsOnly("nil");
            for (int i = 0; i < keys; i++) {
                assertThat(client.ask("SET", "k" + i, value)).isEqualTo("+OK");
            }
            String[] gets = new String[keys];
            Arrays.setAll(gets, i -> "GET k" + i);
            client.send(lines(gets));
            TimeUnit.MILLISECONDS.sleep(200);
            for (int i = 0; i < keys; i++) {
                assertThat(client.read()).hasSize(value.length() + 2);
            }
        }
    }

    @Test
    void clientThatIsKilled_withinARound_leavesNothing() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient other = open.client()) {
            open.peer().hold(group("b"));
            RespClient client = open.client();
            client.send(lines("SET a 1", "SET b 1", "SET c 1", "SET b 2", "GET a"));
            DoorTest.await(() -> open.peer().calls() == 3);
            assertThat(other.words("CLIENT KILL TYPE normal SKIPME yes")).isEqualTo(":1");
            DoorTest.await(() -> open.door().state().clients().count() == 1);
            open.peer().letGo(group("b"));
            assertThat(other.words("GET b")).isEqualTo("'2'");
        }
    }
}
