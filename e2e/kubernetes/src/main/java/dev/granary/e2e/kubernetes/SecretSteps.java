package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The secret of a running cluster changes while a load works: three rolling restarts, after which the old one is
 * refused and no Secret has it any more.
 */
final class SecretSteps {
    /** Three rolling restarts, for each of which a ring of one super-peer grows to three and shrinks again. */
    private static final Duration LIMIT = Duration.ofMinutes(20);

    private static final String FILE = "/etc/granary-secret/cluster.secret";
    private static final String FORMER = "/tmp/former.secret";

    private final Target target;
    private final PluginSteps plugin;
    private final String cluster;

    SecretSteps(Target target, PluginSteps plugin, String cluster) {
        this.target = target;
        this.plugin = plugin;
        this.cluster = cluster;
    }

    /** Changes the secret by the plugin, and compares what pods and Secrets have with what they had. */
    String changes() throws Exception {
        Target.await("nothing is left to do", LIMIT, this::isStable);
        String administrators = cluster + "-granary";
        String before = text(administrators);
        int number = number();
        Check.that(administers(FILE), "who executes commands in a pod cannot administer with the present secret");
        long startNanos = System.nanoTime();
        String asked = plugin.changeSecret(cluster);
        Set<String> phases = new LinkedHashSet<>();
        Target.await("the secret was changed", LIMIT, () -> {
            phases.add(phase());
            return number() == number + 1 && phase().equals("Steady") && isStable();
        });
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        Check.that(
                phases.containsAll(List.of("Accepting", "Proving", "Ending")),
                "these phases alone were seen: %s",
                phases);
        String nodes = administrators + "-nodes-" + 3 * (number + 1);
        Set<String> mounted = mounted();
        Check.that(mounted.equals(Set.of(nodes)), "pods mount %s instead of %s", mounted, nodes);
        String after = text(administrators);
        Check.that(!after.equals(before), "administrators have the old secret");
        Check.that(text(nodes).equals(after), "nodes and administrators have different secrets");
        Set<String> left = secrets();
        Check.that(left.equals(Set.of(administrators, nodes)), "these Secrets are left: %s", left);
        Check.that(administers(FILE), "who executes commands in a pod cannot administer with the new secret");
        Program.Result written = exec("printf %s " + before + " > " + FORMER);
        Check.that(written.exitCode() == 0, "the old secret cannot be written into a pod: %s", written.output());
        Check.that(!administers(FORMER), "the old secret still administers");
        return "%sthe secret was changed within %.1f s, in the phases %s; the old one is refused"
                .formatted(asked, seconds, phases);
    }

    private JsonNode granary() throws Exception {
        return target.get(Target.NAMESPACE, "granaries", cluster);
    }

    private boolean isStable() throws Exception {
        return SocialCluster.isStable(granary())
                && granary().at("/status/storagePeers/live").asInt() == 3;
    }

    private String phase() throws Exception {
        return granary().at("/status/secret/phase").asText();
    }

    /** Returns how many changes have ended. */
    private int number() throws Exception {
        String record = granary().at("/status/secret/record").asText();
        Check.that(
                !record.isEmpty(),
                "the status tells of no secret: %s",
                granary().path("status"));
        return Integer.parseInt(record.substring(0, record.indexOf(' ')));
    }

    private String text(String secret) throws Exception {
        JsonNode data = target.get(Target.NAMESPACE, "secrets", secret).at("/data/cluster.secret");
        return new String(Base64.getDecoder().decode(data.asText()), StandardCharsets.US_ASCII);
    }

    /** Returns the names of the Secrets that have a secret of the cluster. */
    private Set<String> secrets() throws Exception {
        String beginning = cluster + "-granary";
        return target.kubectl()
                .run("get", "secrets", "-n", Target.NAMESPACE, "-o", "name")
                .lines()
                .map(line -> line.substring(line.indexOf('/') + 1))
                .filter(name -> name.equals(beginning) || name.startsWith(beginning + "-nodes-"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<String> mounted() throws Exception {
        Set<String> names = new TreeSet<>();
        for (JsonNode pod : target.podsOf(cluster)) {
            for (JsonNode volume : pod.at("/spec/volumes")) {
                if (volume.path("name").asText().equals("cluster-secret")) {
                    names.add(volume.at("/secret/secretName").asText());
                }
            }
        }
        return names;
    }

    private boolean administers(String file) throws Exception {
        return exec("granary status --seeds localhost:7400 --secret-file " + file)
                        .exitCode()
                == 0;
    }

    private Program.Result exec(String command) throws Exception {
        return target.kubectl()
                .call(null, "exec", cluster + "-super-peer-0", "-n", Target.NAMESPACE, "--", "sh", "-c", command);
    }
}
