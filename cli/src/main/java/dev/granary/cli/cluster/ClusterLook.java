package dev.granary.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryClient;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.overlay.Nid;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Reads what measurements and recordings need from the status of a cluster. */
public final class ClusterLook {

    private static final long COPIES_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(240);
    private static final long LOOK_MILLIS = 500;

    private ClusterLook() {}

    /** The NIDs of all storage peers. */
    public static List<Integer> nids(GranaryClient client) {
        return status(client).path("storagePeers").findValuesAsText("nid").stream()
                .map(Nid::parse)
                .toList();
    }

    /** The NID of the storage peer with this name. */
    public static int nidOf(GranaryClient client, String name) {
        for (JsonNode peer : status(client).path("storagePeers")) {
            if (peer.path("name").asText().equals(name)) {
                return Nid.parse(peer.path("nid").asText());
            }
        }
        throw new UserException("there is no storage peer " + name);
    }

    /** Waits until every zone has all its copies. */
    public static void awaitCopies(GranaryClient client) {
        long begin = System.nanoTime();
        JsonNode zones;
        do {
            pause();
            zones = status(client).path("zones");
            if (System.nanoTime() - begin > COPIES_LIMIT_NANOS) {
                throw new UserException("some zones still lack copies after "
                        + TimeUnit.NANOSECONDS.toSeconds(COPIES_LIMIT_NANOS) + " s: " + zones);
            }
        } while (zones.path("degraded").asInt() > 0
                || zones.path("recovering").asInt() > 0
                || zones.path("inSync").asInt() == 0);
    }

    private static JsonNode status(GranaryClient client) {
        return Json.parse("the cluster's status", ClusterAdmin.of(client).statusJson());
    }

    /** Waits before the next request. */
    public static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }
}
