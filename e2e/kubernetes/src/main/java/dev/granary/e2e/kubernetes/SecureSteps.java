package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A cluster with TLS and users, while its certificates, its CA and the passwords of its users change. Clients that read
 * the new files get no error; clients without a certificate, password or permission are refused.
 */
final class SecureSteps {
    /** The names of these cases on the command line. */
    static final List<String> NAMES =
            List.of("tls-rotate", "ca-rotate", "secret-change", "users", "tls-http", "network-policy");

    private static final String CLUSTER = "secure";
    private static final String SEEDS = CLUSTER + ":7400";
    private static final String DOOR = CLUSTER + "-redis." + Target.NAMESPACE + ".svc:6379";
    private static final String COPIED = CLUSTER + "-copied";
    private static final String CLIENTS = "8";
    private static final Duration LIMIT = Duration.ofMinutes(6);

    /** The kubelet looks at a Secret that changes after a minute or two. */
    private static final Duration SECRET_LIMIT = Duration.ofMinutes(4);

    private static final String CPU = "{\"resources\":{\"requests\":{\"cpu\":\"110m\"}}}";

    private final Target target;
    private final Report report;
    private final DataSteps data;
    private final PluginSteps plugin;
    private final InClusterLoad load;

    SecureSteps(Target target, Report report, DataSteps data, PluginSteps plugin) {
        this.target = target;
        this.report = report;
        this.data = data;
        this.plugin = plugin;
        this.load = new InClusterLoad(target);
    }

    /** Returns the steps for the cases that are asked for, none when there are none. */
    List<Step> of(Set<String> asked) {
        if (asked.stream().noneMatch(NAMES::contains)) {
            return List.of();
        }
        List<Step> steps = new ArrayList<>();
        steps.add(Step.of("a cluster with TLS becomes ready, and strangers get nothing", this::becomesReady));
        if (asked.contains("tls-rotate")) {
            steps.add(Step.of("TLS: all certificates change under load", () -> during("tls-rotate", this::renews)));
        }
        if (asked.contains("ca-rotate")) {
            steps.add(Step.of(
                    "TLS: the CA changes under load, then every pod is replaced",
                    () -> during("ca-rotate", this::changesTheCa)));
        }
        if (asked.contains("secret-change")) {
            SecretSteps secret = new SecretSteps(target, plugin, CLUSTER);
            steps.add(
                    Step.of("the cluster's secret changes under load", () -> during("secret-change", secret::changes)));
        }
        if (asked.contains("users")) {
            steps.add(Step.of("users: a password changes under load", this::changesThePassword));
        }
        if (asked.contains("tls-http")) {
            HttpTlsSteps http = new HttpTlsSteps(target, plugin, CLUSTER);
            steps.add(Step.of(
                    "TLS: the HTTP ports get it and lose it under load",
                    () -> during("tls-http", http::turnsOnAndOff)));
        }
        if (asked.contains("network-policy")) {
            PolicySteps policies = new PolicySteps(target, load, CLUSTER);
            steps.add(Step.of(
                    "network-policy: a running cluster is closed to strangers",
                    () -> during("network-policy", policies::closesAndOpens)));
            steps.add(Step.of(
                    "network-policy: behind closed doors a cluster is backed up, sleeps and wakes",
                    policies::worksBehindClosedDoors));
        }
        steps.add(Step.of("the cluster with TLS goes without a trace", this::goes));
        return steps;
    }

    private String becomesReady() throws Exception {
        apply("first");
        Target.await(
                "the cluster with TLS is ready",
                LIMIT,
                () -> SocialCluster.isStable(granary())
                        && granary().at("/status/storagePeers/live").asInt() == 3);
        Map<String, JsonNode> shown = shown();
        Check.that(shown.size() >= 4, "too few processes show a certificate: %s", shown.keySet());
        String log;
        try {
            log = data.runJob(
                    "stranger", List.of("create", "--size", "32", "--count", "1", "--seeds", SEEDS, "--deadline", "5"));
        } catch (AssertionError refused) {
            String said = String.valueOf(refused.getMessage());
            Check.contains(said, CLUSTER + ":7400");
            return shown.size() + " processes show certificates; without TLS: "
                    + said.lines().skip(1).findFirst().orElse("");
        }
        throw new AssertionError("a client without TLS was served:\n" + log);
    }

    private String during(String name, InClusterLoad.Deed deed) throws Exception {
        load.begin(node(), "LoadProgram", List.of(SEEDS, CLIENTS, "/tmp"));
        return checked(load.whileWorking(name, InClusterLoad.BEFORE_SECONDS, deed));
    }

    private String checked(InClusterLoad.Outcome outcome) {
        CaseResult result = outcome.result();
        report.add(result);
        Check.that(
                result.clientErrors() == 0 && result.lostWrites() == 0,
                "%s%n%d operations without an answer, %d wrong answers:%n%s",
                outcome.seen(),
                result.clientErrors(),
                result.lostWrites(),
                outcome.log());
        return outcome.seen() + "; " + result;
    }

    private String renews() throws Exception {
        Map<String, JsonNode> before = shown();
        String copied = copiesTheClient();
        long startNanos = System.nanoTime();
        annotate("renew-certificates");
        Target.await("every process shows another certificate", SECRET_LIMIT, () -> shown().entrySet().stream()
                .noneMatch(now -> fingerprint(now.getValue())
                        .equals(fingerprint(before.getOrDefault(now.getKey(), now.getValue())))));
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        Check.that(shown().keySet().equals(before.keySet()), "pods were replaced: %s", shown().keySet());
        return "%d processes took other certificates within %.1f s; ".formatted(before.size(), seconds)
                + revokes(copied);
    }

    /** Copies the certificate of clients, as somebody might who should not, and returns it. */
    private String copiesTheClient() throws Exception {
        JsonNode client = target.get(Target.NAMESPACE, "secrets", CLUSTER + "-granary-tls-client");
        ObjectNode copy = Formats.JSON.createObjectNode();
        copy.put("apiVersion", "v1").put("kind", "Secret").putObject("metadata").put("name", COPIED);
        copy.set("data", client.path("data"));
        target.apply(copy.toString());
        data.runJob("copied", COPIED, create());
        return text(client);
    }

    private static List<String> create() {
        return List.of("create", "--size", "32", "--count", "1", "--seeds", SEEDS, "--tls", "/tls", "--deadline", "20");
    }

    private static String text(JsonNode secret) {
        return new String(
                Base64.getDecoder().decode(secret.path("data").path("tls.crt").asText()), StandardCharsets.US_ASCII);
    }

    /** Revokes a certificate that was renewed, once the load has another one. */
    private String revokes(String copied) throws Exception {
        Target.await("the load has another certificate", SECRET_LIMIT, () -> !target.kubectl()
                .run("exec", InClusterLoad.NAME, "-n", Target.NAMESPACE, "--", "cat", "/tls/tls.crt")
                .strip()
                .equals(copied.strip()));
        X509Certificate old = (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(copied.getBytes(StandardCharsets.US_ASCII)));
        long startNanos = System.nanoTime();
        target.patch(
                CLUSTER,
                "{\"spec\":{\"tls\":{\"revokedSerials\":[\""
                        + old.getSerialNumber().toString(16) + "\"]}}}");
        Target.await("every process has the revocation list", SECRET_LIMIT, () -> {
            for (JsonNode pod : pods()) {
                if (!page(pod, "metrics").contains("granary_tls_revoked_certificates 1.0")) {
                    return false;
                }
            }
            return true;
        });
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        try {
            data.runJob("revoked", COPIED, create());
        } catch (AssertionError refused) {
            Check.contains(String.valueOf(refused.getMessage()), "was revoked");
            return "every process had the revocation list after %.1f s, and refused a copied certificate"
                    .formatted(seconds);
        }
        throw new AssertionError("a client with a certificate that was revoked was served");
    }

    private String changesTheCa() throws Exception {
        Map<String, JsonNode> before = shown();
        String ca = granary().at("/status/tls/caNotAfter").asText();
        long startNanos = System.nanoTime();
        annotate("renew-ca");
        Target.await("the CA changes", Duration.ofMinutes(1), () -> !step().equals("Steady"));
        Target.await("the change of the CA has ended", Duration.ofMinutes(12), () -> step().equals("Steady"));
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        Target.await("every process trusts the new CA alone", SECRET_LIMIT, () -> shown().entrySet().stream()
                .allMatch(now -> now.getValue().path("authorities").size() == 1
                        && !now.getValue()
                                .at("/authorities/0/sha256")
                                .equals(before.getOrDefault(now.getKey(), now.getValue())
                                        .at("/authorities/0/sha256"))));
        Check.that(
                !granary().at("/status/tls/caNotAfter").asText().equals(ca),
                "the status still has the CA until %s",
                ca);
        target.patch(CLUSTER, "{\"spec\":{\"superPeers\":" + CPU + ",\"storagePeers\":" + CPU + "}}");
        Target.await("every pod was replaced", LIMIT, () -> isRolled() && SocialCluster.isStable(granary()));
        return "the CA was changed within %.1f s, and %d pods were replaced".formatted(seconds, before.size());
    }

    private boolean isRolled() throws Exception {
        for (JsonNode pod : pods()) {
            if (!pod.at("/spec/containers/0/resources/requests/cpu").asText().equals("110m")) {
                return false;
            }
        }
        return true;
    }

    private String changesThePassword() throws Exception {
        // A client opens a connection when slots move to another storage peer; the first password may be refused then.
        load.begin(node(), "redis.RedisLoad", List.of(DOOR, CLIENTS, "/tmp", "app:first,second"));
        return checked(load.whileWorking("users", InClusterLoad.BEFORE_SECONDS, () -> {
            require("tls", "app:wrong", "ERROR WRONGPASS", "GET", "e2e:a");
            require("tls", "app:first", "ERROR NOPERM", "GET", "other");
            require("tls", "app:first", "ERROR NOPERM", "CONFIG", "GET", "maxclients");
            require("plain", "app:first", "ERROR ", "GET", "e2e:a");
            require("tls", "-", "ERROR NOAUTH", "GET", "e2e:a");
            long startNanos = System.nanoTime();
            apply("first", "second");
            await("the second password is good", "app:second", "REPLY");
            double seconds = (System.nanoTime() - startNanos) / 1e9;
            apply("second");
            await("the first password is none", "app:first", "ERROR WRONGPASS");
            require("tls", "app:second", "REPLY", "GET", "e2e:a");
            return "a wrong password, none, other keys, commands of administrators and connections without TLS were"
                    + " refused; a password that was added held within %.1f s; ".formatted(seconds)
                    + aVisitorComesAndGoes();
        }));
    }

    /** A user that may only read is made, spoilt and deleted, while the load of another one goes on. */
    private String aVisitorComesAndGoes() throws Exception {
        target.apply(visitor("%R~e2e:* +get"));
        await("the visitor is known", "visitor:first", "REPLY");
        require("tls", "visitor:first", "ERROR NOPERM", "SET", "e2e:a", "x");
        target.apply(visitor("%R~e2e:* +gett"));
        Target.await("the wrong rule is told", Duration.ofMinutes(1), () -> target.get(
                        Target.NAMESPACE, "granaryusers", "visitor")
                .at("/status/conditions/0/reason")
                .asText()
                .equals("InvalidRules"));
        require("tls", "visitor:first", "REPLY", "GET", "e2e:a");
        target.kubectl().run("delete", "granaryuser", "visitor", "-n", Target.NAMESPACE);
        long startNanos = System.nanoTime();
        await("the visitor is unknown", "visitor:first", "ERROR WRONGPASS");
        return "a deleted user was refused within %.1f s".formatted((System.nanoTime() - startNanos) / 1e9);
    }

    private static String visitor(String rules) {
        return """
                apiVersion: granary.dev/v1alpha1
                kind: GranaryUser
                metadata: {name: visitor}
                spec:
                  granaryRef: {name: %s}
                  passwords: [{secretRef: {name: %s-users, key: first}}]
                  rules: "%s"
                """.formatted(CLUSTER, CLUSTER, rules);
    }

    private void await(String what, String login, String beginning) throws Exception {
        Target.await(
                what, SECRET_LIMIT, () -> probe("tls", login, "GET", "e2e:a").startsWith(beginning));
    }

    private void require(String tls, String login, String beginning, String... words) throws Exception {
        String answer = probe(tls, login, words);
        Check.that(answer.startsWith(beginning), "%s as %s, %s: %s", String.join(" ", words), login, tls, answer);
    }

    /** Sends one request from the pod of the load, on a connection of its own. */
    private String probe(String tls, String login, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("redis.RedisProbe", tls, DOOR, login));
        command.addAll(List.of(words));
        return load.runBeside(command).strip();
    }

    private String goes() throws Exception {
        target.kubectl()
                .run(
                        "delete",
                        "granaryuser",
                        CLUSTER + "-app",
                        CLUSTER + "-load",
                        "-n",
                        Target.NAMESPACE,
                        "--timeout=60s");
        target.kubectl().run("delete", "gran", CLUSTER, "-n", Target.NAMESPACE, "--timeout=120s");
        target.kubectl()
                .run("delete", "secret", CLUSTER + "-users", COPIED, "-n", Target.NAMESPACE, "--ignore-not-found");
        Target.await(
                "its Secrets and pods are gone",
                Duration.ofMinutes(2),
                () -> pods().isEmpty()
                        && !target.kubectl()
                                .run("get", "secrets", "-n", Target.NAMESPACE, "-o", "name")
                                .contains(CLUSTER + "-"));
        return "no Secret is left";
    }

    private void apply(String... passwords) throws Exception {
        String refs = List.of(passwords).stream()
                .map(password -> "{secretRef: {name: " + CLUSTER + "-users, key: " + password + "}}")
                .collect(Collectors.joining(", ", "[", "]"));
        target.apply(Resources.read(Resources.SECURE).replace("@PASSWORDS@", refs));
    }

    private void annotate(String wish) throws Exception {
        target.kubectl()
                .run(
                        "annotate",
                        "gran/" + CLUSTER,
                        "-n",
                        Target.NAMESPACE,
                        "--overwrite",
                        "granary.dev/" + wish + "=" + System.currentTimeMillis());
    }

    private JsonNode granary() throws Exception {
        return target.get(Target.NAMESPACE, "granaries", CLUSTER);
    }

    private String step() throws Exception {
        return granary().at("/status/tls/step").asText();
    }

    /** The load must not be on a node whose pods it would wait for; the operator's node has room. */
    private String node() throws Exception {
        return SocialCluster.node(new SocialCluster(target).operatorPod());
    }

    private List<JsonNode> pods() throws Exception {
        return target.podsOf(CLUSTER);
    }

    private static String fingerprint(JsonNode page) {
        return page.at("/certificate/sha256").asText();
    }

    /** Returns what each process says of its certificates, by the name of its pod and the pod's UID. */
    private Map<String, JsonNode> shown() throws Exception {
        Map<String, JsonNode> shown = new TreeMap<>();
        for (JsonNode pod : pods()) {
            String name = SocialCluster.name(pod);
            shown.put(name + "/" + pod.at("/metadata/uid").asText(), Target.json(page(pod, "tls")));
        }
        return shown;
    }

    /** Returns a page of a process's HTTP port. */
    private String page(JsonNode pod, String page) throws Exception {
        String name = SocialCluster.name(pod);
        String port = name.startsWith(CLUSTER + "-super-peer") ? "7401" : "7501";
        return target.kubectl()
                .run(
                        "get",
                        "--raw",
                        "/api/v1/namespaces/" + Target.NAMESPACE + "/pods/" + name + ":" + port + "/proxy/" + page);
    }
}
