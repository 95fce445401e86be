package dev.granary.e2e.kubernetes;

import static dev.granary.e2e.kubernetes.AlertScenario.fault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.AlertScenario.Fault;
import dev.granary.e2e.kubernetes.AlertScenario.Order;
import dev.granary.e2e.kubernetes.program.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Faults of storage peers, of their disks and memory, and of applications: the scenarios for the alerts on these. */
final class StorageFaults {

    private static final int PEERS = 3;
    private static final String DOOR = "social-redis:6379";
    private static final String MANY_CLIENTS = "40";
    private static final int DISK_MEBIBYTES = 2048;
    private static final String FREE_PERCENT = "7";

    /** How long two of three storage peers stand still each time: less than half a lease. */
    private static final long PAUSE_MILLIS = 2_000;

    /** How long they work in between: they renew their leases, and a few dozen requests are answered. */
    private static final long WORK_MILLIS = 400;

    private static final Duration FILLED = Duration.ofMinutes(3);

    private final SocialCluster social;
    private final Machines machines;
    private final InClusterLoad load;
    private String lostNode = "";
    private boolean hasSmallDisk;
    private List<JsonNode> standing = List.of();
    private @Nullable JsonNode failing;
    private @Nullable Thread stutter;

    StorageFaults(Target target) {
        this.social = new SocialCluster(target);
        this.machines = new Machines(target.options().nodeScripts());
        this.load = new InClusterLoad(target);
    }

    List<AlertScenario> scenarios() {
        return List.of(
                losesNode(),
                getsWrongRequests(),
                getsTooManyClients(),
                lags(),
                runsOutOfDisk(),
                hasSlowDisk(),
                losesDisk(),
                runsOutOfMemory());
    }

    private AlertScenario losesNode() {
        return AlertScenario.of(
                "a node loses its power",
                fault(
                        "a node with a storage peer and a super-peer loses its power",
                        List.of("GranaryCopiesMissing"),
                        () -> {
                            lostNode = expendableNode();
                            machines.powerOff(lostNode);
                        },
                        () -> {
                            if (!lostNode.isEmpty()) {
                                machines.powerOn(lostNode);
                            }
                        }));
    }

    private AlertScenario getsWrongRequests() {
        return AlertScenario.of(
                "an application sends requests that cannot be carried out",
                fault(
                        "a client asks for chunks of 9 MiB, which is more than there may be",
                        List.of("GranaryHighErrorRatio"),
                        () -> load.begin(steadyNode(), "TooLargeCreates", List.of(InClusterLoad.SEEDS, "/tmp")),
                        load::end));
    }

    private AlertScenario getsTooManyClients() {
        return AlertScenario.of(
                "more clients of Redis come than there may be",
                fault(
                        MANY_CLIENTS + " clients of Redis come to doors that take five each",
                        List.of("GranaryRedisClientsRefused"),
                        () -> load.begin(steadyNode(), "redis.RedisLoad", List.of(DOOR, MANY_CLIENTS, "/tmp")),
                        load::end));
    }

    private AlertScenario lags() {
        return AlertScenario.of(
                "storage peers stand still for moments",
                fault(
                        "two of three storage peers stand still (SIGSTOP) for 2 s, again and again, under load",
                        List.of("GranaryReplicationLag"),
                        () -> {
                            load.begin(steadyNode());
                            standing = social.running("storage").subList(1, PEERS);
                            stutter =
                                    Thread.ofPlatform().daemon().name("stutter").start(this::stutter);
                        },
                        () -> {
                            Thread running = stutter;
                            if (running != null) {
                                running.interrupt();
                                running.join();
                                stutter = null;
                            }
                            goOn();
                            load.end();
                        }));
    }

    private void stutter() {
        try {
            while (true) {
                for (JsonNode pod : standing) {
                    machines.fault(pod, "stop");
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                goOn();
                TimeUnit.MILLISECONDS.sleep(WORK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception | AssertionError e) {
            System.out.println("storage peers do not stand still any more: " + e);
        }
    }

    private void goOn() throws Exception {
        for (JsonNode pod : standing) {
            machines.fault(social.again(pod), "go");
        }
    }

    private AlertScenario runsOutOfDisk() {
        return new AlertScenario(
                "a disk fills up",
                Order.NESTED,
                List.of(
                        fault(
                                "the volume of a storage peer is filled until " + FREE_PERCENT + " % are free",
                                List.of("GranaryLogDiskFillingUp"),
                                () -> {
                                    giveSmallDisk();
                                    onVolume("leave-free", FREE_PERCENT);
                                },
                                () -> onVolume("make-room")),
                        fault(
                                "it is filled until nothing is free, while clients write",
                                List.of("GranaryLogDiskFull"),
                                () -> {
                                    load.begin(steadyNode());
                                    onVolume("keep-full");
                                },
                                () -> {
                                    onVolume("make-room");
                                    load.end();
                                })));
    }

    /** A folder of the machine's disk cannot be filled without harm: a disk of its own is put in its place, once. */
    private void giveSmallDisk() throws Exception {
        if (hasSmallDisk) {
            return;
        }
        JsonNode pod = victim();
        String name = SocialCluster.name(pod);
        long before = social.starts(name);
        machines.fault(pod, "stop");
        onVolume("small-disk", Integer.toString(DISK_MEBIBYTES));
        machines.killProcess(pod);
        Target.await(name + " joins again", SocialCluster.LIMIT, () -> social.starts(name) > before);
        social.whole(PEERS, PEERS);
        hasSmallDisk = true;
    }

    /** Writes with the durability synced wait for the disks of all backups. */
    private AlertScenario hasSlowDisk() {
        return AlertScenario.of(
                "a disk is slow",
                fault(
                        "the disk of a storage peer stands still for 2 s (fsfreeze), again and again, while clients"
                                + " write with the durability synced",
                        List.of("GranaryHighLatency"),
                        () -> {
                            giveSmallDisk();
                            load.beginSynced(steadyNode());
                            onVolume("slow-down");
                        },
                        () -> {
                            onVolume("speed-up");
                            load.end();
                        }));
    }

    private AlertScenario losesDisk() {
        return AlertScenario.of(
                "a disk fails",
                fault(
                        "every write of a storage peer to a file fails (EFBIG), while clients write",
                        List.of("GranaryLogDiskFailed"),
                        () -> {
                            load.begin(steadyNode());
                            JsonNode pod = victim();
                            failing = pod;
                            machines.fault(pod, "refuse-writes");
                        },
                        () -> {
                            JsonNode pod = failing;
                            if (pod != null) {
                                machines.fault(social.again(pod), "take-writes");
                                failing = null;
                            }
                            load.end();
                        }));
    }

    private AlertScenario runsOutOfMemory() {
        return new AlertScenario(
                "the memory is full",
                Order.NESTED,
                List.of(
                        fault(
                                "a client creates chunks until no storage peer has room for more",
                                List.of("GranaryNoHeadroom", "GranaryMemoryNearlyFull", "GranaryMemoryFull"),
                                () -> {
                                    load.begin(steadyNode(), "FillingCreates", List.of(InClusterLoad.SEEDS, "/tmp"));
                                    load.awaitOutput("FILLED", FILLED);
                                },
                                () -> {
                                    load.askToStop();
                                    load.awaitOutput("EMPTIED", FILLED);
                                    load.end();
                                }),
                        fault(
                                "the resource asks for two storage peers, which have no room for all",
                                List.of("GranaryStopBlocked"),
                                () -> social.scale(PEERS - 1),
                                () -> social.scale(PEERS)),
                        twoStandStill()));
    }

    private Fault twoStandStill() {
        return fault(
                "two of three storage peers stand still (SIGSTOP), and the third has no room for what they had",
                List.of("GranaryStoragePeerGone", "GranaryZonesRecovering", "GranaryWritesRefused"),
                () -> {
                    standing = social.running("storage").subList(1, PEERS);
                    for (JsonNode pod : standing) {
                        machines.fault(pod, "stop");
                    }
                },
                () -> {
                    goOn();
                    Target.await("their zones have owners again", SocialCluster.LIMIT, () -> {
                        JsonNode zones = social.view().path("zones");
                        return zones.path("inSync").asInt() > 0
                                && zones.path("recovering").asInt() == 0;
                    });
                });
    }

    /** The storage peer whose disk gets faults. */
    private JsonNode victim() throws Exception {
        return social.running("storage").getLast();
    }

    private void onVolume(String deed, String... more) throws Exception {
        JsonNode pod = victim();
        machines.faultOfFolder(SocialCluster.node(pod), deed, social.volume(SocialCluster.name(pod)), more);
    }

    /** Returns the Kubernetes node of the cluster's DNS, which stays as it is. */
    private String steadyNode() throws Exception {
        return social.nodesOfDns().first();
    }

    /** Returns a node with a storage peer and a super-peer, and neither the operator nor the cluster's DNS. */
    private String expendableNode() throws Exception {
        List<String> nodes = new ArrayList<>();
        social.running("storage").forEach(pod -> nodes.add(SocialCluster.node(pod)));
        nodes.retainAll(
                social.running("super-peer").stream().map(SocialCluster::node).toList());
        nodes.remove(SocialCluster.node(social.operatorPod()));
        nodes.removeAll(social.nodesOfDns());
        Check.that(!nodes.isEmpty(), "every node with both kinds of peers runs the operator or the cluster's DNS");
        return nodes.getFirst();
    }
}
