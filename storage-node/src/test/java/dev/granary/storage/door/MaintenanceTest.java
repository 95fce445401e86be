package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.RedirectMode;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@code CLIENT MAINT_NOTIFICATIONS}, and who is told what on a real connection. */
class MaintenanceTest {

    private static final int OTHER = 0x4000;
    private static final HostAddress HERE = new HostAddress("10.0.0.1", 6379);
    private static final HostAddress THERE = new HostAddress("10.0.0.2", 6379);
    private static final String ON = "CLIENT MAINT_NOTIFICATIONS ON moving-endpoint-type internal-ip";
    private static final long PATIENCE_SECONDS = 20;
    private static final long SECOND = 1_000_000_000;
    private static final String ONLY_SOME_WORDS =
            "-ERR moving-endpoint-type must be internal-ip, internal-fqdn, external-ip, external-fqdn or none";

    /** A door of a cluster of two. */
    private static OpenDoor cluster(RedirectMode redirect) throws Exception {
        OpenDoor open = new OpenDoor(DoorLimits.defaults(), redirect, HERE);
        open.peer().addDoor(OTHER, THERE);
        open.peer().addDoor(LonePeer.NID, HERE);
        return open;
    }

    private static OpenDoor cluster() throws Exception {
        return cluster(RedirectMode.AWARE);
    }

    private static RespClient subscribed(OpenDoor open, String handshake) throws IOException {
        RespClient client = open.client();
        client.words("HELLO 3");
        assertThat(client.words(handshake)).isEqualTo("+OK");
        return client;
    }

    /** Returns a client that knows of the cluster. */
    private static RespClient clusterClient(OpenDoor open) throws IOException {
        RespClient client = subscribed(open, ON);
        client.words("CLUSTER SLOTS");
        return client;
    }

    /** Returns that nothing was pushed: the next that comes is the reply. */
    private static void assertQuiet(RespClient client) throws IOException {
        assertThat(client.words("PING quiet")).isEqualTo("'quiet'");
        assertThat(client.words("PING still")).isEqualTo("'still'");
    }

    private static long seconds(String moving) {
        return Long.parseLong(moving.split(" ", -1)[2].substring(1));
    }

    private static void await(CompletableFuture<Void> future) throws Exception {
        future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static double notices(OpenDoor open, String kind) {
        CollectorRegistry registry = new CollectorRegistry();
        assertThat(new DoorMetrics(registry, open.door())).isNotNull();
        return registry.getSampleValue("granary_redis_notices_total", new String[] {"kind"}, new String[] {kind});
    }

    @Test
    void handshake_words_areUnderstoodOrRefused() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = open.client()) {
            client.words("HELLO 3");
            for (String good : List.of(
                    "client maint_notifications on",
                    "CLIENT MAINT_NOTIFICATIONS ON moving-endpoint-type none",
                    "CLIENT MAINT_NOTIFICATIONS ON MOVING-ENDPOINT-TYPE External-FQDN",
                    "CLIENT MAINT_NOTIFICATIONS OFF",
                    "CLIENT MAINT_NOTIFICATIONS OFF")) {
                assertThat(client.words(good)).as(good).isEqualTo("+OK");
            }
            for (String bad : List.of(
                    "CLIENT MAINT_NOTIFICATIONS YES",
                    "CLIENT MAINT_NOTIFICATIONS ON moving-endpoint-type",
                    "CLIENT MAINT_NOTIFICATIONS ON endpoint internal-ip",
                    "CLIENT MAINT_NOTIFICATIONS OFF moving-endpoint-type none")) {
                assertThat(client.words(bad)).as(bad).isEqualTo("-ERR syntax error");
            }
            assertThat(client.words("CLIENT MAINT_NOTIFICATIONS ON moving-endpoint-type ip"))
                    .isEqualTo(ONLY_SOME_WORDS);
            assertThat(client.words("CLIENT MAINT_NOTIFICATIONS"))
                    .isEqualTo("-ERR wrong number of arguments for 'client|maint_notifications' command");
            assertThat(client.words("CLIENT HELP")).contains("MAINT_NOTIFICATIONS ON [moving-endpoint-type <type>]");
            assertThat(client.words("COMMAND DOCS client|maint_notifications"))
                    .contains("Controls whether the connection is told of planned maintenance");
            assertThat(client.words("COMMAND INFO client|maint_notifications")).contains(":-3");
        }
    }

    @Test
    void handshake_resp2_saysWhatToDo() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = open.client()) {
            assertThat(client.words(ON)).isEqualTo("-ERR CLIENT MAINT_NOTIFICATIONS needs RESP3; send HELLO 3 first");
            assertThat(client.words("CLIENT MAINT_NOTIFICATIONS OFF")).isEqualTo("+OK");
            CompletableFuture<Void> left = open.door().leave();
            assertThat(left).isDone();
            open.door().groupLeaves(1);
            assertQuiet(client);
        }
    }

    @Test
    void leave_nobodyHasAsked_endsAtOnce() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = open.client();
                RespClient off = subscribed(open, ON);
                RespClient reset = subscribed(open, ON)) {
            client.words("HELLO 3");
            off.words("CLIENT MAINT_NOTIFICATIONS OFF");
            reset.words("RESET");
            reset.words("HELLO 3");
            assertThat(open.door().leave()).isDone();
            for (RespClient each : List.of(client, off, reset)) {
                assertQuiet(each);
            }
            assertThat(notices(open, "moving")).isZero();
        }
    }

    @Test
    void leave_noOtherDoor_endsAtOnce() throws Exception {
        try (OpenDoor open = new OpenDoor();
                RespClient client = subscribed(open, ON)) {
            assertThat(open.door().leave()).isDone();
            assertQuiet(client);
        }
    }

    @Test
    void leave_clientGoes_isToldFirstAndEndsSoon() throws Exception {
        try (OpenDoor open = cluster();
                RespClient plain = subscribed(open, ON);
                RespClient silent = open.client()) {
            silent.words("HELLO 3");
            long begin = System.nanoTime();
            CompletableFuture<Void> left = open.door().leave();
            String moving = plain.read();
            assertThat(moving)
                    .startsWith(">['MOVING' :")
                    .endsWith(" :" + Maintenance.MOVING_SECONDS + " '10.0.0.2:6379']");
            // It serves until the client goes.
            assertThat(left).isNotDone();
            assertThat(plain.words("SET a 1")).isEqualTo("+OK");
            assertQuiet(silent);
            plain.close();
            await(left);
            assertThat(System.nanoTime() - begin).isLessThan(5 * SECOND);
            assertThat(notices(open, "moving")).isEqualTo(1);
        }
    }

    @Test
    void leave_clientStays_servesAsLongAsItSaid() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = subscribed(open, "CLIENT MAINT_NOTIFICATIONS ON moving-endpoint-type none")) {
            CompletableFuture<Void> left = open.door().leave();
            String moving = client.read();
            long told = System.nanoTime();
            assertThat(moving).endsWith(" :5 nil]");
            left.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(System.nanoTime() - told).isBetween(5 * SECOND - SECOND / 20, 8 * SECOND);
            // It was told once.
            assertQuiet(client);
        }
    }

    @Test
    void leave_clientThatConnectsMeanwhile_isToldWhatIsLeft() throws Exception {
        try (OpenDoor open = cluster();
                RespClient early = subscribed(open, ON)) {
            CompletableFuture<Void> left = open.door().leave();
            String first = early.read();
            Thread.sleep(1_200);
            try (RespClient late = subscribed(open, ON)) {
                String second = late.read();
                assertThat(seconds(second)).isBetween(2L, 4L);
                assertThat(second.split(" ", -1)[1]).isEqualTo(first.split(" ", -1)[1]);
            }
            early.close();
            await(left);
        }
    }

    @Test
    void leave_clusterClient_isNotToldAndNotAwaited() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = clusterClient(open)) {
            assertThat(open.door().leave()).isDone();
            assertQuiet(client);
        }
    }

    /** Known by the name of its library and its host, which nobody has looked at before. */
    @Test
    void leave_otherConnectionOfAClusterClient_isNotTold() throws Exception {
        try (OpenDoor open = cluster();
                RespClient asks = open.client();
                RespClient client = subscribed(open, ON)) {
            asks.words("CLIENT SETINFO LIB-NAME go-redis");
            asks.words("CLUSTER SLOTS");
            client.words("CLIENT SETINFO LIB-NAME go-redis");
            await(open.door().leave());
            assertQuiet(client);
        }
    }

    @Test
    void leave_clientsDoNotReachAnnouncedAddresses_areToldNone() throws Exception {
        try (OpenDoor open = cluster(RedirectMode.NEVER);
                RespClient client = subscribed(open, ON)) {
            CompletableFuture<Void> left = open.door().leave();
            assertThat(client.read()).endsWith(" :5 nil]");
            client.close();
            await(left);
        }
        try (OpenDoor open = cluster();
                RespClient client = subscribed(open, ON.replace("internal", "external"))) {
            CompletableFuture<Void> left = open.door().leave();
            assertThat(client.read()).endsWith(" :5 nil]");
            client.close();
            await(left);
        }
    }

    /** A client that goes at once would lose the transaction. */
    @Test
    void leave_openTransaction_isToldBehindTheReplyOfExec() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = subscribed(open, ON);
                RespClient witness = subscribed(open, ON)) {
            assertThat(client.words("WATCH a")).isEqualTo("+OK");
            CompletableFuture<Void> left = open.door().leave();
            witness.read();
            assertQuiet(client);
            assertThat(client.words("MULTI")).isEqualTo("+OK");
            assertThat(client.words("SET a 1")).isEqualTo("+QUEUED");
            assertThat(client.words("GET a")).isEqualTo("+QUEUED");
            assertThat(client.words("EXEC")).isEqualTo("[+OK '1']");
            assertThat(client.read()).startsWith(">['MOVING' :").endsWith("'10.0.0.2:6379']");
            client.close();
            witness.close();
            await(left);
        }
    }

    /** The reply is on its way when the notice comes: it is not cut in two. */
    @Test
    void notices_amongPipelines_comeBetweenReplies() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = clusterClient(open)) {
            String large = "x".repeat(20_000);
            client.ask("SET", "a", large);
            int requests = 400;
            int groups = 50;
            Thread teller = Thread.ofPlatform().start(() -> {
                for (int group = 0; group < groups; group++) {
                    open.door().groupLeaves(group);
                }
            });
            byte[] pipeline = RespClient.request("GET", "a");
            Thread sender = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < requests; i++) {
                        client.send(pipeline);
                    }
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            int replies = 0;
            int pushes = 0;
            while (replies < requests || pushes < groups) {
                String read = client.read();
                if (read.startsWith(">")) {
                    assertThat(read).endsWith(" '" + pushes * 64 + "-" + (pushes * 64 + 63) + "']");
                    pushes++;
                } else {
                    assertThat(read).hasSize(large.length() + 2);
                    replies++;
                }
            }
            teller.join();
            sender.join();
            assertThat(notices(open, "smigrating")).isEqualTo(groups);
        }
    }

    @Test
    void groupMoves_clusterClient_isToldAndOthersAreNot() throws Exception {
        try (OpenDoor open = cluster();
                RespClient client = clusterClient(open);
                RespClient plain = subscribed(open, ON);
                RespClient silent = open.client()) {
            silent.words("HELLO 3");
            silent.words("CLUSTER SLOTS");
            open.door().groupLeaves(3);
            open.door().groupLeft(3, OTHER);
            open.door().groupLeft(4, LonePeer.NID);
            String begun = client.read();
            String ended = client.read();
            String stayed = client.read();
            assertThat(begun).startsWith(">['SMIGRATING' :").endsWith(" '192-255']");
            assertThat(ended).startsWith(">['SMIGRATED' :").endsWith(" [['10.0.0.1:6379' '10.0.0.2:6379' '192-255']]]");
            assertThat(stayed).endsWith(" [['10.0.0.1:6379' '10.0.0.1:6379' '256-319']]]");
            assertThat(List.of(begun, ended, stayed))
                    .extracting(each -> each.split(" ", -1)[1])
                    .isSorted();
            assertQuiet(plain);
            assertQuiet(silent);
            assertThat(notices(open, "smigrating")).isEqualTo(1);
            assertThat(notices(open, "smigrated")).isEqualTo(2);
            // It speaks RESP2 from now on, which has no such pushes.
            client.words("HELLO 2");
            open.door().groupLeaves(3);
            assertQuiet(client);
        }
    }
}
