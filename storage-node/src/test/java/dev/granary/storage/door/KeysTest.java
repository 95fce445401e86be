package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.KeySlot;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.keyed.GroupReply.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests on keys of several slots, and about all keys. */
class KeysTest {

    private static final int MANY = 2000;

    private static void fill(RespClient client, String prefix, int keys) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < keys; i++) {
            all.write(RespClient.request("SET", prefix + i, "v" + i));
        }
        client.send(all.toByteArray());
        assertThat(client.read(keys)).containsOnly("+OK");
    }

    /** Returns two keys of different slots in one slot group. */
    static List<String> neighbours() {
        for (int i = 0; ; i++) {
            for (int j = 0; j < i; j++) {
                int one = KeySlot.of(("n" + i).getBytes(StandardCharsets.US_ASCII));
                int other = KeySlot.of(("n" + j).getBytes(StandardCharsets.US_ASCII));
                if (one != other && SlotGroup.ofSlot(one) == SlotGroup.ofSlot(other)) {
                    return List.of("n" + i, "n" + j);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void splitCommands_keysOfManyGroups_areJoinedInOrder(boolean atOnce) throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            if (atOnce) {
                open.peer().atOnce();
            }
            List<String> set = new ArrayList<>(List.of("MSET"));
            List<String> get = new ArrayList<>(List.of("MGET"));
            StringBuilder values = new StringBuilder();
            for (int i = 0; i < 500; i++) {
                set.addAll(List.of("k" + i, "v" + i));
                get.addAll(List.of("k" + i, "none" + i));
                values.append(i == 0 ? "" : " ").append("'v").append(i).append("' nil");
            }
            assertThat(client.ask(set.toArray(String[]::new))).isEqualTo("+OK");
            assertThat(client.ask(get.toArray(String[]::new))).isEqualTo("[" + values + "]");
            assertThat(client.words("EXISTS k0 k1 k2 k2 none k499")).isEqualTo(":5");
            assertThat(client.words("UNLINK k0 k1 none")).isEqualTo(":2");
            assertThat(client.words("DEL k0 k2 k3 k4")).isEqualTo(":3");
            assertThat(client.words("DBSIZE")).isEqualTo(":495");
        }
    }

    @Test
    void mset_aKeyTwiceAndAnOddNumber_theLastCountsAndOddIsRefused() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("MSET a 1 b 2 a 3")).isEqualTo("+OK");
            assertThat(client.words("MGET a b")).isEqualTo("['3' '2']");
            assertThat(client.words("MSET a 1 b 2 c")).isEqualTo("-ERR wrong number of arguments for 'mset' command");
        }
    }

    @Test
    void otherCommands_keysOfSeveralSlots_areRefused() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            List<String> keys = neighbours();
            assertThat(client.words("SET a 1")).isEqualTo("+OK");
            assertThat(client.words("RENAME a b")).isEqualTo("-CROSSSLOT Keys in request don't hash to the same slot");
            // The same whether the slots are of one slot group or not.
            assertThat(client.ask("RENAME", keys.getFirst(), keys.getLast())).startsWith("-CROSSSLOT");
            assertThat(client.ask("MGET", keys.getFirst(), keys.getLast())).isEqualTo("[nil nil]");
            assertThat(client.words("RENAME a {a}2")).isEqualTo("+OK");
        }
    }

    @Test
    void calls_refusedOrUnknown_areErrorsOnWhichClientsActSensibly() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            open.peer().fail(Outcome.REFUSED);
            assertThat(client.words("GET a")).isEqualTo("-TRYAGAIN a test wants it so");
            assertThat(client.words("MGET a b c d e")).isEqualTo("-TRYAGAIN a test wants it so");
            assertThat(client.words("SCAN 0")).isEqualTo("-TRYAGAIN a test wants it so");
            assertThat(client.words("DBSIZE")).isEqualTo("-TRYAGAIN a test wants it so");
            assertThat(client.words("WATCH a")).isEqualTo("-TRYAGAIN a test wants it so");
            open.peer().owner(SlotGroup.ofKey("a".getBytes(StandardCharsets.US_ASCII)), Nid.NONE);
            assertThat(client.words("GET a")).isEqualTo("-CLUSTERDOWN Hash slot not served: a test wants it so");
            open.peer().fail(Outcome.UNKNOWN);
            assertThat(client.words("SET a 1")).isEqualTo("-ERR outcome unknown: a test wants it so");
            client.send("SET a 1\r\nSET a 2\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(client.read(3))
                    .containsExactly(
                            "-ERR outcome unknown: a test wants it so",
                            "-ERR outcome unknown: a test wants it so",
                            "+PONG");
            open.peer().fail(null);
            assertThat(client.words("GET a")).isEqualTo("nil");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allKeys_sizeKeysRandomAndFlush_concernAllGroups(boolean atOnce) throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            if (atOnce) {
                open.peer().atOnce();
            }
            assertThat(client.words("RANDOMKEY")).isEqualTo("nil");
            assertThat(client.words("KEYS *")).isEqualTo("[]");
            fill(client, "k", MANY);
            assertThat(client.words("DBSIZE")).isEqualTo(":" + MANY);
            assertThat(client.words("RANDOMKEY")).startsWith("'k");
            assertThat(elements(client.words("KEYS *"))).hasSize(MANY).contains("'k0'", "'k1999'");
            assertThat(elements(client.words("KEYS k19?9"))).hasSize(10);
            assertThat(client.words("FLUSHALL NOW")).isEqualTo("-ERR syntax error");
            assertThat(client.words("FLUSHDB ASYNC")).isEqualTo("+OK");
            assertThat(client.words("DBSIZE")).isEqualTo(":0");
        }
    }

    @Test
    void keys_moreThanAReplyMayHave_isRefused() throws Exception {
        try (OpenDoor open = new OpenDoor(DoorLimits.defaults().withReplyBytes(10_000));
                RespClient client = open.client()) {
            fill(client, "key", MANY);
            assertThat(client.words("KEYS *"))
                    .isEqualTo("-ERR the reply would have more than 10000 bytes; ask for less at once");
            assertThat(client.words("DBSIZE")).isEqualTo(":" + MANY);
        }
    }

    @Test
    void scan_fewKeys_takesFewRequests() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            fill(client, "k", 20);
            List<String> found = new ArrayList<>();
            assertThat(scan(client, found, "COUNT", "100")).isLessThan(6);
            assertThat(found).hasSize(20);
        }
    }

    @Test
    void scan_wrongCursorsAndOptions_areRefused() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            assertThat(client.words("SCAN x")).isEqualTo("-ERR invalid cursor");
            assertThat(client.words("SCAN -1")).isEqualTo("-ERR invalid cursor");
            assertThat(client.words("SCAN 99999999999999999")).isEqualTo("-ERR invalid cursor");
            assertThat(client.words("SCAN 0 FOO 1")).isEqualTo("-ERR syntax error");
        }
    }

    @Test
    void scan_besideChanges_findsEveryKeyThatStays() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client();
                RespClient other = open.client()) {
            fill(client, "stays", MANY);
            AtomicBoolean end = new AtomicBoolean();
            Thread changer = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; !end.get(); i++) {
                        assertThat(other.ask("SET", "comes" + i, "v")).isEqualTo("+OK");
                        assertThat(other.ask("DEL", "comes" + i / 2)).startsWith(":");
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            List<String> found = new ArrayList<>();
            int requests = scan(client, found, "COUNT", "37", "MATCH", "stays*");
            end.set(true);
            changer.join();
            assertThat(requests).isGreaterThan(10);
            Set<String> wanted = new TreeSet<>();
            for (int i = 0; i < MANY; i++) {
                wanted.add("'stays" + i + "'");
            }
            assertThat(new TreeSet<>(found)).isEqualTo(wanted);
        }
    }

    /** Scans everything, and returns how many requests it took. */
    private static int scan(RespClient client, List<String> found, String... options) throws IOException {
        String cursor = "0";
        int requests = 0;
        do {
            List<String> words = new ArrayList<>(List.of("SCAN", cursor));
            words.addAll(List.of(options));
            String reply = client.ask(words.toArray(String[]::new));
            cursor = reply.substring(2, reply.indexOf('\'', 2));
            found.addAll(elements(reply.substring(reply.indexOf(' ') + 1, reply.length() - 1)));
            requests++;
        } while (!cursor.equals("0"));
        return requests;
    }

    private static List<String> elements(String array) {
        assertThat(array).startsWith("[").endsWith("]");
        return array.length() == 2
                ? List.of()
                : List.of(array.substring(1, array.length() - 1).split(" ", -1));
    }

    @Test
    void slotKeys_countAndNames_areThoseOfTheSlot() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            fill(client, "{tag}", 1500);
            fill(client, "other", 500);
            String slot = client.words("CLUSTER KEYSLOT tag").substring(1);
            assertThat(client.words("CLUSTER COUNTKEYSINSLOT " + slot)).isEqualTo(":1500");
            assertThat(elements(client.words("CLUSTER GETKEYSINSLOT " + slot + " 7")))
                    .hasSize(7)
                    .allSatisfy(key -> assertThat(key).startsWith("'{tag}"));
            assertThat(client.words("CLUSTER COUNTKEYSINSLOT 16384")).isEqualTo("-ERR Invalid slot");
            assertThat(client.words("CLUSTER GETKEYSINSLOT 1 -2")).isEqualTo("-ERR Invalid slot or number of keys");
        }
    }
}
