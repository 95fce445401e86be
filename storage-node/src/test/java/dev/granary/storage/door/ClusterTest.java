package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.KeySlot;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.RedirectMode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** {@code CLUSTER}, and who is redirected. */
class ClusterTest {

    private static final int OTHER = 0x4000;
    private static final HostAddress OTHER_DOOR = new HostAddress("other.example", 6379);
    private static final HostAddress ADVERTISED = new HostAddress("own.example", 7000);

    private static final String MOVED = "-MOVED " + slot("a") + " other.example:6379";

    private static int slot(String key) {
        return KeySlot.of(key.getBytes(StandardCharsets.US_ASCII));
    }

    /** A door of a cluster of two: the other storage peer owns the slot group of the key "a" alone. */
    private static OpenDoor cluster(RedirectMode redirect) throws Exception {
        OpenDoor open = new OpenDoor(DoorLimits.defaults(), redirect, ADVERTISED);
        open.peer().addDoor(OTHER, OTHER_DOOR);
        open.peer().addDoor(LonePeer.NID, ADVERTISED);
        open.peer().owner(SlotGroup.ofSlot(slot("a")), OTHER);
        return open;
    }

    private static String id(int nid) {
        return "0".repeat(36) + Nid.toHex(nid).substring(2);
    }

    @Test
    void slots_ofTwoPeers_areRunsWithTheirDoors() throws Exception {
        try (OpenDoor open = cluster(RedirectMode.AWARE);
                RespClient client = open.client()) {
            int first = SlotGroup.firstSlot(SlotGroup.ofSlot(slot("a")));
            int last = first + SlotGroup.SLOTS - 1;
            String other = "['other.example' :6379 '" + id(OTHER) + "' []]";
            String own = "['own.example' :7000 '" + id(LonePeer.NID) + "' []]";
            assertThat(client.words("CLUSTER SLOTS"))
                    .isEqualTo("[[:" + first + " :" + last + " " + other + "] [:0 :" + (first - 1) + " " + own + "] [:"
                            + (last + 1) + " :16383 " + own + "]]");
            assertThat(client.words("CLUSTER NODES"))
                    .isEqualTo("'" + id(OTHER) + " other.example:6379@6379 master - 0 0 0 connected " + first + "-"
                            + last
                            + "\n" + id(LonePeer.NID) + " own.example:7000@7000 myself,master - 0 0 0 connected 0-"
                            + (first - 1) + " " + (last + 1) + "-16383\n'");
            assertThat(client.words("HELLO 3")).contains("'mode': 'cluster'", "'role': 'master'");
            assertThat(client.words("CLUSTER SHARDS"))
                    .startsWith("[{'slots': [:" + first + " :" + last + "], 'nodes': [{'id': '" + id(OTHER)
                            + "', 'port': :6379, 'ip': 'other.example', 'endpoint': 'other.example', 'role': 'master',"
                            + " 'replication-offset': :0, 'health': 'online'}]} {'slots': [:0 :");
            assertThat(client.words("CLUSTER MYID")).isEqualTo("'" + id(LonePeer.NID) + "'");
            assertThat(client.words("CLUSTER MYSHARDID")).isEqualTo("'" + id(LonePeer.NID) + "'");
            assertThat(client.words("CLUSTER INFO"))
                    .contains("cluster_state:ok", "cluster_known_nodes:2", "cluster_size:2", "cluster_slots_ok:16384");
            assertThat(client.words("CLUSTER LINKS")).isEqualTo("[]");
            assertThat(client.words("CLUSTER COUNT-FAILURE-REPORTS " + id(OTHER)))
                    .isEqualTo(":0");
            assertThat(client.words("CLUSTER REPLICAS nobody")).isEqualTo("-ERR Unknown node nobody");
            assertThat(client.words("CLUSTER MEET 127.0.0.1 1"))
                    .isEqualTo("-ERR unknown subcommand 'MEET'. Try CLUSTER HELP.");
        }
    }

    @Test
    void slots_withoutOwnersOrDoors_areAllAnnounced() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = open.client()) {
            open.peer().nid(Nid.NONE);
            for (int group = 0; group < SlotGroup.COUNT; group++) {
                open.peer().owner(group, group % 2 == 0 ? Nid.NONE : 0x2000);
            }
            assertThat(client.words("CLUSTER SLOTS"))
                    .isEqualTo("[[:0 :16383 ['127.0.0.1' :" + open.address().port() + " '" + id(Nid.NONE) + "' []]]]");
            assertThat(client.words("CLUSTER INFO")).contains("cluster_state:fail");
            open.peer().nid(LonePeer.NID);
            open.peer().addDoor(OTHER, OTHER_DOOR);
            String nodes = client.words("CLUSTER NODES").replace("'", "");
            assertThat(nodes.lines()).hasSize(2).allSatisfy(line -> assertThat(slots(line))
                    .isBetween(4000, 12000));
            assertThat(nodes.lines().mapToInt(ClusterTest::slots).sum()).isEqualTo(KeySlot.COUNT);
        }
    }

    private static int slots(String line) {
        String[] words = line.split(" ", -1);
        int slots = 0;
        for (int i = 8; i < words.length; i++) {
            String[] ends = words[i].split("-", -1);
            slots += Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1;
        }
        return slots;
    }

    @Test
    void redirect_aware_onlyThoseThatHaveAsked() throws Exception {
        try (OpenDoor open = cluster(RedirectMode.AWARE);
                RespClient plain = open.client();
                RespClient aware = open.client()) {
            assertThat(plain.words("SET a 1")).isEqualTo("+OK");
            aware.words("CLUSTER SLOTS");
            assertThat(aware.words("GET a")).isEqualTo(MOVED);
            assertThat(aware.words("MGET a {a}2")).isEqualTo(MOVED);
            // Who asks for several slots at once wants them from here.
            assertThat(aware.words("MGET a b")).isEqualTo("['1' nil]");
            assertThat(aware.words("GET b")).isEqualTo("nil");
            assertThat(aware.words("ASKING")).isEqualTo("+OK");
            assertThat(aware.words("GET a")).isEqualTo("'1'");
            assertThat(aware.words("GET a")).isEqualTo(MOVED);
            assertThat(plain.words("GET a")).isEqualTo("'1'");
            assertThat(open.door().state().counters().redirectsSum()).isEqualTo(3);
        }
    }

    @Test
    void redirect_aware_otherConnectionsOfTheSameLibraryToo() throws Exception {
        try (OpenDoor open = cluster(RedirectMode.AWARE);
                RespClient before = open.client();
                RespClient asks = open.client();
                RespClient otherLibrary = open.client()) {
            before.words("CLIENT SETINFO LIB-NAME lettuce");
            asks.words("CLIENT SETINFO LIB-NAME lettuce");
            otherLibrary.words("CLIENT SETINFO LIB-NAME jedis");
            assertThat(before.words("GET a")).isEqualTo("nil");
            asks.words("CLUSTER SHARDS");
            assertThat(before.words("GET a")).isEqualTo(MOVED);
            assertThat(otherLibrary.words("GET a")).isEqualTo("nil");
            try (RespClient later = open.client()) {
                later.words("CLIENT SETINFO LIB-NAME lettuce");
                assertThat(later.words("GET a")).isEqualTo(MOVED);
            }
        }
    }

    @Test
    void redirect_alwaysOrNever_concernsAll() throws Exception {
        try (OpenDoor open = cluster(RedirectMode.ALWAYS);
                RespClient client = open.client()) {
            assertThat(client.words("GET a")).isEqualTo(MOVED);
            open.peer().owner(SlotGroup.ofSlot(slot("a")), 0x2000);
            // Nobody knows a door of that one.
            assertThat(client.words("GET a")).isEqualTo("nil");
        }
        try (OpenDoor open = cluster(RedirectMode.NEVER);
                RespClient client = open.client()) {
            client.words("CLUSTER NODES");
            assertThat(client.words("GET a")).isEqualTo("nil");
        }
    }

    @Test
    void redirect_whileQueueing_abortsTheTransaction() throws Exception {
        try (OpenDoor open = cluster(RedirectMode.ALWAYS);
                RespClient client = open.client()) {
            client.words("MULTI");
            assertThat(client.words("SET a 1")).isEqualTo(MOVED);
            assertThat(client.words("EXEC")).startsWith("-EXECABORT");
        }
    }
}
