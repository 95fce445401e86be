package dev.granary.e2e.kubernetes;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options that the run script passes to the runner, each as {@code --name value}.
 *
 * @param project the root folder of the project
 * @param kubectl the program; it works on the cluster of the environment's KUBECONFIG
 * @param helm the program
 * @param prometheus the program
 * @param promtool the program
 * @param image the granary image, as {@code repository:tag}
 * @param operatorImage the operator's image, as {@code repository:tag}
 * @param cluster the kind of the cluster, for the report
 * @param reportFolder the folder for logs and the report
 * @param json a second file for the report, or null
 * @param preparation a file with the phases before the steps and their durations, or null
 * @param all whether the cases under load run, too
 * @param only the names of the cases to run; unless {@code all} is set, the other steps run only if these cases need
 *     them; empty for all cases
 * @param alerts in the case alerts, the alerts whose faults are made; empty for all
 * @param nodeScripts the folder of scripts that reach processes and power of the nodes; null if they are out of reach
 * @param cycles how many faults the case chaos makes
 * @param seed the seed that chooses these faults
 * @param leaseSeconds the length of leases in the cases with faults; null for that of a resource that does not say
 * @param keep whether everything is left in place at the end
 */
record Options(
        Path project,
        Path kubectl,
        Path helm,
        Path prometheus,
        Path promtool,
        String image,
        String operatorImage,
        String cluster,
        Path reportFolder,
        @Nullable Path json,
        @Nullable Path preparation,
        boolean all,
        Set<String> only,
        Set<String> alerts,
        @Nullable Path nodeScripts,
        int cycles,
        long seed,
        @Nullable Integer leaseSeconds,
        boolean keep) {

    private static final Set<String> NAMES = Set.of(
            "project",
            "kubectl",
            "helm",
            "prometheus",
            "promtool",
            "image",
            "operator-image",
            "cluster",
            "report-folder",
            "json",
            "preparation",
            "all",
            "only",
            "alerts",
            "node-scripts",
            "cycles",
            "seed",
            "lease-seconds",
            "keep");

    /** Parses the arguments; the IllegalArgumentException names the wrong or missing one. */
    static Options parse(String[] arguments) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (!NAMES.contains(name) || i + 1 == arguments.length) {
                throw new IllegalArgumentException("unknown option or no value: " + arguments[i]);
            }
            values.put(name, arguments[i + 1]);
        }
        if (values.containsKey("alerts") && !set(values, "only").contains(AlertCase.NAME)) {
            throw new IllegalArgumentException("--alerts goes with the case " + AlertCase.NAME);
        }
        return new Options(
                Path.of(required(values, "project")),
                Path.of(required(values, "kubectl")),
                Path.of(required(values, "helm")),
                Path.of(required(values, "prometheus")),
                Path.of(required(values, "promtool")),
                required(values, "image"),
                required(values, "operator-image"),
                required(values, "cluster"),
                Path.of(required(values, "report-folder")),
                optionalPath(values, "json"),
                optionalPath(values, "preparation"),
                Boolean.parseBoolean(values.getOrDefault("all", "false")),
                set(values, "only"),
                set(values, "alerts"),
                optionalPath(values, "node-scripts"),
                Integer.parseInt(values.getOrDefault("cycles", "10")),
                Long.parseLong(values.getOrDefault("seed", "1")),
                optionalNumber(values, "lease-seconds"),
                Boolean.parseBoolean(values.getOrDefault("keep", "false")));
    }

    private static Set<String> set(Map<String, String> values, String name) {
        String value = values.get(name);
        return value == null ? Set.of() : Set.of(value.split(",", -1));
    }

    private static String required(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + " is missing");
        }
        return value;
    }

    private static @Nullable Integer optionalNumber(Map<String, String> values, String name) {
        String value = values.get(name);
        return value == null ? null : Integer.valueOf(value);
    }

    private static @Nullable Path optionalPath(Map<String, String> values, String name) {
        String value = values.get(name);
        return value == null ? null : Path.of(value);
    }
}
