package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The API server must refuse wrong YAML with a message that a person understands. */
final class RefusalSteps {

    /** A wrong spec, and what the message must name: the field, and what is allowed. */
    private record Wrong(String what, String spec, List<String> expected) {}

    private static final List<Wrong> ALL = List.of(
            new Wrong(
                    "negative replicas",
                    "storagePeers: {replicas: -1}",
                    List.of("storagePeers.replicas", "greater than or equal to 1")),
            new Wrong(
                    "memory below the minimum",
                    "storagePeers: {memory: 64Mi}",
                    List.of("storagePeers.memory", "at least 512Mi")),
            new Wrong(
                    "memory that is no quantity",
                    "storagePeers: {memory: plenty}",
                    List.of("storagePeers.memory", "quantity")),
            new Wrong("an unknown field", "storagePeers: {replicsa: 3}", List.of("spec.storagePeers.replicsa")),
            new Wrong(
                    "more super-peers at least than at most",
                    "superPeers: {min: 5, max: 3}",
                    List.of("superPeers.min must not be greater than superPeers.max")));

    private final Target target;

    RefusalSteps(Target target) {
        this.target = target;
    }

    Step refusesWrongResources() {
        return Step.of("the API server refuses wrong resources and says why", () -> {
            List<String> messages = new ArrayList<>();
            for (Wrong wrong : ALL) {
                messages.add(wrong.what() + ": " + refused(wrong));
                // Server-side apply takes another path through the API server.
                refused(wrong, "--server-side");
            }
            String left = target.kubectl().run("get", "granaries", "-n", Target.NAMESPACE, "-o", "name");
            Check.that(left.isBlank() || left.startsWith("No resources"), "a wrong resource was stored: %s", left);
            return String.join("\n", messages);
        });
    }

    /** As a dry run: the examples are larger than the nodes of these tests. */
    Step takesTheExamplesOfTheGuide() {
        return Step.of("the API server takes the examples of the guide", () -> {
            Path examples = target.options().project().resolve("docs/guides/resource");
            String taken = target.kubectl()
                    .run("apply", "-n", Target.NAMESPACE, "--dry-run=server", "-f", examples.toString());
            Check.contains(
                    taken, "granary.dev/social", "granary.dev/catalog", "granary.dev/fast", "granary.dev/sessions");
            return taken;
        });
    }

    Step refusesWrongChanges() {
        return Step.of("the API server refuses wrong changes of a living cluster", () -> {
            Program.Result result =
                    target.kubectl().call(null, "scale", "gran/social", "-n", Target.NAMESPACE, "--replicas=0");
            Check.that(result.exitCode() != 0, "0 replicas were accepted: %s", result.output());
            Check.contains(result.output(), "storagePeers.replicas");
            Program.Result shrink = target.kubectl()
                    .call(
                            null,
                            "patch",
                            "gran/social",
                            "-n",
                            Target.NAMESPACE,
                            "--type=merge",
                            "-p",
                            "{\"spec\":{\"storagePeers\":{\"volume\":{\"size\":\"1Gi\"}}}}");
            Check.that(shrink.exitCode() != 0, "a smaller volume was accepted: %s", shrink.output());
            Check.contains(shrink.output(), "can only grow");
            return result.output().strip() + "\n" + shrink.output().strip();
        });
    }

    private String refused(Wrong wrong, String... more) throws Exception {
        String yaml = """
                apiVersion: granary.dev/v1alpha1
                kind: Granary
                metadata: {name: wrong}
                spec:
                  %s
                """.formatted(wrong.spec());
        List<String> arguments = new ArrayList<>(List.of("apply", "-n", Target.NAMESPACE, "-f", "-"));
        arguments.addAll(List.of(more));
        Program.Result result = target.kubectl().call(yaml, arguments.toArray(String[]::new));
        Check.that(result.exitCode() != 0, "%s was accepted:%n%s", wrong.what(), result.output());
        Check.contains(result.output(), wrong.expected().toArray(String[]::new));
        return result.output().strip();
    }
}
