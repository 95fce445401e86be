package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Installs, tests and removes the chart. */
final class InstallationSteps {

    /** The operator's Lease for leader election; as with most operators, only the end of the namespace removes it. */
    private static final String LEASE = "lease.coordination.k8s.io/" + Target.RELEASE + "-operator";

    private final Target target;
    private final Inventory inventory;
    private Set<String> before = Set.of();
    private Set<String> outsideBefore = Set.of();

    InstallationSteps(Target target) {
        this.target = target;
        this.inventory = new Inventory(target.kubectl());
    }

    /** Refuses a cluster that already has a Granary, because the tests must not touch what was there before. */
    void refuseUsedCluster() throws IOException, InterruptedException {
        Program.Result crd = target.kubectl().call(null, "get", "crd", Target.CRD);
        Check.that(
                crd.exitCode() != 0,
                "this cluster has the CRD %s already: the tests remove what they install, so they want a cluster"
                        + " without Granary",
                Target.CRD);
        for (String namespace : namespaces()) {
            Program.Result found = target.kubectl().call(null, "get", "namespace", namespace);
            Check.that(found.exitCode() != 0, "this cluster has a namespace %s already", namespace);
        }
    }

    Step installs() {
        return Step.essential("helm install brings the operator, in a namespace that enforces restricted pods", () -> {
            outsideBefore = inventory.outsideNamespaces();
            target.createNamespace(Target.OPERATOR_NAMESPACE, "restricted");
            target.createNamespace(Target.NAMESPACE, "restricted");
            target.createNamespace(Target.RDMA_NAMESPACE, "privileged");
            before = inventory.ofNamespace(Target.OPERATOR_NAMESPACE);
            String chart = target.options().project().resolve("helm/granary").toString();
            target.helm().run("lint", "--strict", chart);
            List<String> arguments = new ArrayList<>(List.of(
                    "install",
                    Target.RELEASE,
                    chart,
                    "--namespace",
                    Target.OPERATOR_NAMESPACE,
                    "--wait",
                    "--timeout",
                    "180s"));
            arguments.addAll(imageValues());
            String notes = target.helm().run(arguments.toArray(String[]::new));
            target.kubectl().run("wait", "--for=condition=Established", "crd/" + Target.CRD, "--timeout=30s");
            return notes;
        });
    }

    Step passesItsTest() {
        return Step.of(
                "helm test passes: the operator is ready, and the API server would take a Granary", () -> target.helm()
                        .run("test", Target.RELEASE, "--namespace", Target.OPERATOR_NAMESPACE, "--timeout", "120s"));
    }

    Step leavesOnlyTheCrd() {
        return Step.of("helm uninstall leaves only the CRDs, which it keeps on purpose, and the released Lease", () -> {
            target.helm().run("uninstall", Target.RELEASE, "--namespace", Target.OPERATOR_NAMESPACE, "--wait");
            Target.await("everything of the operator is gone", Duration.ofSeconds(90), () -> left().isEmpty());
            List<String> kept = new ArrayList<>();
            for (String crd : Target.CRDS) {
                kept.add(target.kubectl().run("get", "crd", crd, "-o", "name").strip());
                target.kubectl().run("delete", "crd", crd, "--timeout=60s");
            }
            deleteNamespaces();
            Set<String> left = outsideLeft();
            Check.that(left.isEmpty(), "left behind: %s", left);
            return kept + " were kept, and then removed by hand";
        });
    }

    /** Removes everything that the steps may have made, wherever they stopped. */
    void removeAll() throws IOException, InterruptedException {
        for (String namespace : namespaces()) {
            target.kubectl()
                    .call(null, "delete", "granaries", "--all", "-n", namespace, "--ignore-not-found", "--timeout=60s");
        }
        target.helm()
                .call(
                        null,
                        "uninstall",
                        Target.RELEASE,
                        "--namespace",
                        Target.OPERATOR_NAMESPACE,
                        "--ignore-not-found");
        for (String crd : Target.CRDS) {
            target.kubectl().call(null, "delete", "crd", crd, "--ignore-not-found", "--timeout=60s");
        }
        deleteNamespaces();
    }

    private void deleteNamespaces() throws IOException, InterruptedException {
        // In one call they go at the same time.
        List<String> arguments = new ArrayList<>(List.of("delete", "namespace"));
        arguments.addAll(namespaces());
        arguments.addAll(List.of("--ignore-not-found", "--timeout=120s"));
        target.kubectl().call(null, arguments.toArray(String[]::new));
    }

    private static List<String> namespaces() {
        return List.of(Target.NAMESPACE, Target.RDMA_NAMESPACE, Target.OPERATOR_NAMESPACE);
    }

    private Set<String> left() throws IOException, InterruptedException {
        return Inventory.appeared(
                before, inventory.ofNamespace(Target.OPERATOR_NAMESPACE), name -> !name.equals(LEASE));
    }

    private Set<String> outsideLeft() throws IOException, InterruptedException {
        // Volumes of deleted claims go later; the cluster's own step waits for them.
        return new TreeSet<>(Inventory.appeared(
                outsideBefore, inventory.outsideNamespaces(), name -> !name.startsWith("persistentvolume/")));
    }

    private List<String> imageValues() {
        String operator = target.options().operatorImage();
        String image = target.options().image();
        return List.of(
                "--set",
                "image.registry=,image.repository=" + repository(operator) + ",image.tag=" + tag(operator),
                "--set",
                "granaryImage.registry=,granaryImage.repository=" + repository(image) + ",granaryImage.tag="
                        + tag(image));
    }

    private static String repository(String image) {
        return image.substring(0, image.lastIndexOf(':'));
    }

    private static String tag(String image) {
        return image.substring(image.lastIndexOf(':') + 1);
    }
}
