package dev.granary.e2e.kubernetes;

import static dev.granary.e2e.kubernetes.AlertScenario.fault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.AlertScenario.Fault;
import dev.granary.e2e.kubernetes.AlertScenario.Order;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Faults of super-peers, of the operator, of backups and of users: the scenarios for the alerts on these. */
final class ControlFaults {

    /** The cluster whose name is taken for a while, so that the operator can make nothing of it. */
    static final String LONELY = "lonely";

    /** The cluster whose ring is not complete for a while. */
    static final String SCATTERED = "scattered";

    private static final String RING_LABEL = "granary-e2e-ring";

    /** The backup that fails. */
    static final String FAILED_BACKUP = "in-vain";

    /** The schedule whose last backup is old. */
    static final String OLD_SCHEDULE = "forgotten";

    /** The GranaryUser that asks for what its cluster does not have. */
    static final String VAIN_USER = "nobody";

    private static final int LONELY_PEERS = 2;
    private static final String SUPER_PEER = LONELY + "-super-peer-0";
    private static final int SUPER_PEER_HTTP_PORT = 7401;
    private static final int SUPER_PEERS = 3;
    private static final int STORAGE_PEERS = 3;
    private static final String CONTROL_THREAD = "control";
    /** Nobody pulls it, as no cluster is made meanwhile. */
    private static final String NEWER_IMAGE = "localhost/granary-of-another-version:1";

    private static final String BAD_IMAGE = "localhost/granary-that-is-not-there:1";

    /** Longer than a lease and several scrapes. */
    private static final int STANDSTILL_SECONDS = 12;

    private static final int SEEN_SECONDS = 6;
    private static final int ROUNDS = 2;

    private final Target target;
    private final SocialCluster social;
    private final Machines machines;
    private final DataSteps data;
    private List<JsonNode> standing = List.of();
    private @Nullable JsonNode frozen;
    private String formerImage = "";

    ControlFaults(Target target, DataSteps data) {
        this.target = target;
        this.social = new SocialCluster(target);
        this.machines = new Machines(target.options().nodeScripts());
        this.data = data;
    }

    /** Scenarios that come before those that last beside the others: an operator that starts forgets what it saw. */
    List<AlertScenario> first() {
        return List.of(
                AlertScenario.of(
                        "the ring has one super-peer",
                        fault(
                                "the resource asks for one super-peer",
                                List.of("GranarySuperPeersBelowThree"),
                                () -> {}, // It was made so.
                                () -> social.patch("{\"spec\":{\"superPeers\":{\"min\":3}}}"))),
                AlertScenario.of(
                        "the operator has another image than the clusters",
                        fault(
                                "the operator is started again with another image for new clusters, and then with the"
                                        + " former one",
                                List.of("GranaryImageOutdated"),
                                () -> {
                                    formerImage = social.imageOfNewClusters();
                                    social.imageOfNewClusters(NEWER_IMAGE);
                                },
                                () -> social.imageOfNewClusters(formerImage))),
                AlertScenario.of(
                        "there is no operator",
                        fault(
                                        "the Deployment of the operator is scaled to 0",
                                        List.of("GranaryOperatorWithoutLeader"),
                                        () -> social.operators(0),
                                        () -> social.operators(1))
                                .about("")));
    }

    /** Scenarios that take minutes, in which nothing is to be done. */
    List<AlertScenario> beside() {
        return List.of(
                beside("a backup fails", failingBackup()),
                beside("a schedule has no backup for days", oldSchedule()),
                beside("a user is not in force", vainUser()),
                beside("the operator can do nothing for a cluster", takenName(), lostZones()));
    }

    private static AlertScenario beside(String name, Fault... faults) {
        return new AlertScenario(name, Order.BESIDE_THE_OTHERS, List.of(faults));
    }

    /** The scenarios that remain. */
    List<AlertScenario> others() {
        return List.of(founds(), updates(), loses());
    }

    private Fault failingBackup() {
        return fault(
                        "the volume of a backup is not there until its deadline of 60 s",
                        List.of("GranaryBackupFailed"),
                        () -> apply("GranaryBackup", FAILED_BACKUP, "  job: {deadlineSeconds: 60}"),
                        () -> delete("granarybackups/" + FAILED_BACKUP))
                .about(FAILED_BACKUP);
    }

    /** Nobody can wait for days: the CronJob's status is set to what it would be then. */
    private Fault oldSchedule() {
        return fault(
                        "the last backup of a schedule was nine days ago, and the one of an hour ago has failed (status"
                                + " of the CronJob)",
                        List.of("GranaryBackupTooOld"),
                        () -> {
                            ZonedDateTime far =
                                    ZonedDateTime.now(ZoneOffset.UTC).plusHours(12);
                            apply(
                                    "GranaryBackupSchedule",
                                    OLD_SCHEDULE,
                                    "  schedule: \"%d %d * * *\"".formatted(far.getMinute(), far.getHour()));
                            Target.await(
                                    "the CronJob is made",
                                    Duration.ofMinutes(1),
                                    () -> target.kubectl()
                                                    .call(null, "get", "cronjob", cronJob(), "-n", Target.NAMESPACE)
                                                    .exitCode()
                                            == 0);
                            patchCronJob(
                                    Instant.now().minus(1, ChronoUnit.HOURS),
                                    Instant.now().minus(9, ChronoUnit.DAYS));
                        },
                        () -> patchCronJob(Instant.now().minus(1, ChronoUnit.HOURS), Instant.now()))
                .about(OLD_SCHEDULE);
    }

    private Fault vainUser() {
        return fault(
                        "a GranaryUser is made for a cluster whose users are no GranaryUsers",
                        List.of("GranaryUserNotReady"),
                        () -> apply(Resources.read(Resources.ALERT_USER).replace("@NAME@", VAIN_USER)),
                        () -> delete("granaryusers/" + VAIN_USER))
                .about(VAIN_USER);
    }

    private static String cronJob() {
        return OLD_SCHEDULE + "-backups";
    }

    private void patchCronJob(Instant lastSchedule, Instant lastSuccess) throws Exception {
        target.kubectl()
                .run(
                        "patch",
                        "cronjob",
                        cronJob(),
                        "-n",
                        Target.NAMESPACE,
                        "--subresource=status",
                        "--type=merge",
                        "-p",
                        "{\"status\":{\"lastScheduleTime\":\"%s\",\"lastSuccessfulTime\":\"%s\"}}"
                                .formatted(
                                        lastSchedule.truncatedTo(ChronoUnit.SECONDS),
                                        lastSuccess.truncatedTo(ChronoUnit.SECONDS)));
    }

    private Fault takenName() {
        return fault(
                        "the Service of a cluster belongs to somebody else, for five minutes and more",
                        List.of("GranaryOperatorFailing", "GranaryDegraded", "GranaryOperatorNotReconciling"),
                        () -> target.kubectl()
                                .run(
                                        "patch",
                                        "service",
                                        LONELY,
                                        "-n",
                                        Target.NAMESPACE,
                                        "--type=json",
                                        "-p",
                                        "[{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences\"}]"),
                        () -> delete("service/" + LONELY))
                .about(LONELY)
                .within(Duration.ofMinutes(8));
    }

    /** What is lost stays lost: the alert goes with the cluster. */
    private Fault lostZones() {
        return fault(
                        "both storage peers of a cluster lose their volumes at once, and a person accepts the loss; at the"
                                + " end the cluster is deleted",
                        List.of("GranaryZonesLost"),
                        () -> {
                            Target.await(
                                    "the Service is there again",
                                    Duration.ofMinutes(2),
                                    () -> target.kubectl()
                                                    .call(null, "get", "service", LONELY, "-n", Target.NAMESPACE)
                                                    .exitCode()
                                            == 0);
                            data.runJob("lonely", List.of("create", "lost soon", "--seeds", LONELY + ":7400"));
                            loseVolumes();
                            acceptLoss();
                        },
                        () -> delete("granaries/" + LONELY))
                .about(LONELY);
    }

    private void loseVolumes() throws Exception {
        List<String> lost = new ArrayList<>();
        for (int i = 0; i < LONELY_PEERS; i++) {
            JsonNode pod = target.get(Target.NAMESPACE, "pods", LONELY + "-storage-" + i);
            machines.fault(pod, "stop");
            lost.add("pvc/" + SocialCluster.claim(pod));
            lost.add("pod/" + SocialCluster.name(pod));
        }
        List<String> arguments = new ArrayList<>(List.of("delete", "-n", Target.NAMESPACE));
        arguments.addAll(lost);
        arguments.addAll(List.of("--grace-period=0", "--force", "--wait=false"));
        target.kubectl().run(arguments.toArray(String[]::new));
    }

    /** Nobody says by itself that a disk never comes back: the zones wait for it until a person does. */
    private void acceptLoss() throws Exception {
        Target.await("zones wait for their copies", Duration.ofMinutes(2), () -> !waitingZones()
                .isEmpty());
        for (String zone : waitingZones()) {
            target.kubectl()
                    .run(
                            "exec",
                            SUPER_PEER,
                            "-n",
                            Target.NAMESPACE,
                            "--",
                            "granary",
                            "recover",
                            zone,
                            "--accept-loss",
                            "--seeds",
                            "localhost:7400");
        }
    }

    private List<String> waitingZones() throws Exception {
        List<String> zones = new ArrayList<>();
        String status = target.apiServer()
                .page(Target.NAMESPACE, SUPER_PEER, SUPER_PEER_HTTP_PORT, "/status")
                .orElse("{}");
        Target.json(status)
                .at("/zones/recoveries")
                .forEach(recovery -> zones.add(recovery.path("zone").asText()));
        return zones;
    }

    private AlertScenario founds() {
        return AlertScenario.of(
                "super-peers of a new cluster find no node",
                fault(
                                "one node may run super-peers, and each of three wants one of its own; at the end the"
                                        + " cluster is deleted",
                                List.of("GranaryRingIncomplete"),
                                () -> {
                                    label(nodes().getFirst(), "=here");
                                    apply(Resources.read(Resources.ALERT_RING));
                                },
                                () -> {
                                    for (String node : nodes()) {
                                        label(node, "=here");
                                    }
                                    Target.await(
                                            "the ring is complete",
                                            SocialCluster.LIMIT,
                                            () -> SocialCluster.isStable(
                                                    target.get(Target.NAMESPACE, "granaries", SCATTERED)));
                                    delete("granaries/" + SCATTERED);
                                    for (String node : nodes()) {
                                        label(node, "-");
                                    }
                                })
                        .about(SCATTERED));
    }

    private List<String> nodes() throws Exception {
        JsonNode all = Target.json(target.kubectl().run("get", "nodes", "-o", "json"));
        List<String> nodes = new ArrayList<>();
        all.path("items").forEach(node -> nodes.add(SocialCluster.name(node)));
        return nodes;
    }

    private void label(String node, String change) throws Exception {
        target.kubectl().run("label", "node", node, RING_LABEL + change, "--overwrite");
    }

    private AlertScenario updates() {
        return AlertScenario.of(
                "an update cannot work",
                fault(
                        "the resource asks for an image that is not there",
                        List.of("GranaryUpdateRolledBack"),
                        () -> social.patch("{\"spec\":{\"image\":\"" + BAD_IMAGE + "\"}}"),
                        () -> social.patch(
                                "{\"spec\":{\"image\":\"" + target.options().image() + "\"}}")));
    }

    private AlertScenario loses() {
        return new AlertScenario(
                "super-peers stand still",
                Order.IN_TURN,
                List.of(
                        fault(
                                "the thread of a super-peer that carries out its loops stands still (freezer)",
                                List.of("GranaryLoopStandsStill"),
                                () -> {
                                    JsonNode pod = social.running("super-peer").getLast();
                                    frozen = pod;
                                    machines.fault(pod, "freeze", CONTROL_THREAD);
                                },
                                () -> {
                                    JsonNode pod = frozen;
                                    if (pod != null) {
                                        machines.fault(social.again(pod), "thaw");
                                        frozen = null;
                                    }
                                }),
                        fault(
                                "all super-peers stand still (SIGSTOP); a storage peer, in whose log bytes were"
                                        + " overwritten, starts again",
                                List.of(
                                        "GranaryStoragePeerWithoutLease",
                                        "GranaryCopiesDamaged",
                                        "GranaryClusterUnreachable"),
                                () -> {
                                    awaitRing();
                                    stopSuperPeers();
                                    breakCopies();
                                },
                                this::goOn),
                        fault(
                                "all super-peers stand still for longer than a lease, twice",
                                List.of("GranaryLeaseFlapping"),
                                this::standStillTwice,
                                this::goOn)));
    }

    private void awaitRing() throws Exception {
        social.whole(STORAGE_PEERS, SUPER_PEERS);
    }

    private void stopSuperPeers() throws Exception {
        standing = social.running("super-peer");
        for (JsonNode pod : standing) {
            machines.fault(pod, "stop");
        }
    }

    private void goOn() throws Exception {
        for (JsonNode pod : standing) {
            machines.fault(social.again(pod), "go");
        }
        standing = List.of();
    }

    /** While no super-peer answers, the storage peer shows what it has found, and nobody gives it other copies. */
    private void breakCopies() throws Exception {
        JsonNode pod = social.running("storage").getFirst();
        machines.fault(pod, "stop");
        machines.faultOfFolder(SocialCluster.node(pod), "break-copies", social.volume(SocialCluster.name(pod)));
        machines.killProcess(pod);
    }

    private void standStillTwice() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            awaitRing();
            TimeUnit.SECONDS.sleep(SEEN_SECONDS);
            stopSuperPeers();
            TimeUnit.SECONDS.sleep(STANDSTILL_SECONDS);
            goOn();
        }
        awaitRing();
    }

    private void apply(String kind, String name, String more) throws Exception {
        String yaml = Resources.read(Resources.ALERT_BACKUPS)
                .replace("@KIND@", kind)
                .replace("@NAME@", name)
                .replace("@MORE@", more);
        apply(yaml);
    }

    private void apply(String yaml) throws Exception {
        Program.Result applied = target.kubectl().call(yaml, "apply", "-n", Target.NAMESPACE, "-f", "-");
        Check.that(applied.exitCode() == 0, "%s", applied.output());
    }

    private void delete(String what) throws Exception {
        target.kubectl().run("delete", what, "-n", Target.NAMESPACE, "--ignore-not-found", "--timeout=60s");
    }
}
