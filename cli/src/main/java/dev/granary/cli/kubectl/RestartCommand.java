package dev.granary.cli.kubectl;

import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Replaces the pods of a Granary, one at a time, as any change of their template does. */
@Command(
        name = "restart",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Replace the pods of a Granary one at a time, each after it has handed over what it has.",
            "'kubectl granary status' shows how far it is. Does not wait.",
        })
final class RestartCommand implements Callable<Integer> {

    /** As 'kubectl rollout restart' calls it; the operator does not take annotations under granary.dev. */
    private static final String RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";

    /** Which pods are replaced. */
    enum Role {
        ALL,
        STORAGE,
        SUPER_PEERS
    }

    @ParentCommand
    private KubectlGranaryCommand parent = new KubectlGranaryCommand();

    @Parameters(paramLabel = "NAME", description = "The Granary.")
    private String name = "";

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            defaultValue = "all",
            description = "all, storage or super-peers (default: ${DEFAULT-VALUE}).")
    private String roleName = "all";

    @Override
    public Integer call() {
        Role role = role(roleName);
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        return parent.kubectl()
                .pass("patch", "granary", name, "--type=merge", "--patch", Json.compact(patch(role, now)));
    }

    private static Role role(String text) {
        return switch (text) {
            case "all" -> Role.ALL;
            case "storage" -> Role.STORAGE;
            case "super-peers" -> Role.SUPER_PEERS;
            default -> throw new UserException("--role is '" + text + "'; it must be all, storage or super-peers");
        };
    }

    /** A merge patch that changes the template of the pods of a role, and nothing else of the spec. */
    static Map<String, Object> patch(Role role, String now) {
        Map<String, Object> pods = Map.of("pod", Map.of("annotations", Map.of(RESTARTED_AT, now)));
        Map<String, Object> spec = new LinkedHashMap<>();
        if (role != Role.SUPER_PEERS) {
            spec.put("storagePeers", pods);
        }
        if (role != Role.STORAGE) {
            spec.put("superPeers", pods);
        }
        return Map.of("spec", spec);
    }
}
