package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import java.time.Duration;

/**
 * Clients of Redis in a pod, half of which know of clusters. They connect to the Service of the doors; those that know
 * of clusters go on to the addresses that the doors announce. Each checks every answer, and at the end all its keys.
 */
final class RedisSteps {
    /** The name of this case on the command line. */
    static final String NAME = "redis";

    private static final String LONG_NAME = "clients of Redis: ";
    private static final String VICTIM = "social-storage-1";
    private static final int MOST_CLIENTS = 5_000;

    private final Target target;
    private final Report report;
    private final SocialCluster social;
    private final InClusterLoad load;

    RedisSteps(Target target, Report report) {
        this.target = target;
        this.report = report;
        this.social = new SocialCluster(target);
        this.load = new InClusterLoad(target);
    }

    /** The shortest use of the doors, for which nothing is destroyed. The dashboards need it. */
    Step serves() {
        return Step.of(
                LONG_NAME + "they write and read keys through the Service",
                () -> run(NAME + "-serves", () -> {
                    String wide = target.kubectl().run("get", "gran", "-n", Target.NAMESPACE, "-o", "wide");
                    Check.contains(wide, "REDIS", door());
                    return door();
                }));
    }

    /** A storage peer goes without a warning, and all are replaced one after the other; no key is lost. */
    Step survives() {
        return Step.of(
                LONG_NAME + "their keys outlive a storage peer and a rolling update",
                () -> run(NAME, () -> {
                    deletesPod();
                    rolls();
                    return VICTIM + " was deleted, and every storage peer was replaced";
                }));
    }

    private String door() throws Exception {
        return social.resource().at("/status/endpoints/redis").asText();
    }

    private String run(String name, InClusterLoad.Deed deed) throws Exception {
        String door = door();
        Check.that(door.equals("social-redis." + Target.NAMESPACE + ".svc:6379"), "the door is at '%s'", door);
        String node = SocialCluster.node(social.operatorPod());
        InClusterLoad.Outcome outcome = load.duringRedis(name, node, door, InClusterLoad.BEFORE_SECONDS, deed);
        CaseResult result = outcome.result();
        report.add(result);
        Check.that(
                result.clientErrors() == 0 && result.lostWrites() == 0,
                "%s%n%d operations without an answer, %d wrong answers:%n%s",
                outcome.seen(),
                result.clientErrors(),
                result.lostWrites(),
                outcome.log());
        Check.that(
                !outcome.log().contains("\"redirects\":0,"),
                "no client was redirected, so nobody has used an announced address:%n%s",
                outcome.log());
        return outcome.seen() + "; " + result;
    }

    private void deletesPod() throws Exception {
        JsonNode before = target.get(Target.NAMESPACE, "pods", VICTIM);
        int superPeers = social.resource().at("/status/ring/size").asInt();
        target.kubectl().run("delete", "pod", VICTIM, "-n", Target.NAMESPACE, "--wait=false");
        Target.await("another " + VICTIM + " runs", Duration.ofMinutes(2), () -> {
            for (JsonNode pod : social.running("storage")) {
                if (SocialCluster.name(pod).equals(VICTIM)) {
                    return !pod.at("/metadata/uid").equals(before.at("/metadata/uid"));
                }
            }
            return false;
        });
        social.whole(3, superPeers);
    }

    private void rolls() throws Exception {
        social.patch("{\"spec\":{\"redis\":{\"maxClients\":" + MOST_CLIENTS + "}}}");
        Target.await("every storage peer has the new template", SocialCluster.LIMIT, () -> {
            for (JsonNode pod : social.running("storage")) {
                if (!pod.at("/spec/containers/0/env").toString().contains("\"" + MOST_CLIENTS + "\"")) {
                    return false;
                }
            }
            return SocialCluster.isStable(social.resource());
        });
    }
}
