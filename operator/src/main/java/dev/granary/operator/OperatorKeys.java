package dev.granary.operator;

import static dev.granary.process.config.ConfigKey.optional;
import static dev.granary.process.config.ConfigKey.required;
import static dev.granary.process.config.ConfigKey.withDefault;

import dev.granary.operator.plan.Names;
import dev.granary.process.LogFormat;
import dev.granary.process.LogLevel;
import dev.granary.process.config.ConfigKey;
import dev.granary.process.config.ConfigSchema;
import dev.granary.process.config.ConfigType;
import dev.granary.process.config.ConfigTypes;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The operator's configuration keys. */
final class OperatorKeys {
    static final ConfigKey<Set<String>> NAMESPACES = optional(
            "operator.namespaces",
            new NamespaceList(),
            "all namespaces",
            "Namespaces whose Granary resources this operator runs, with commas between them.");
    static final ConfigKey<Boolean> LEADER_ELECTION = withDefault(
            "operator.leader.election",
            ConfigTypes.bool(),
            "true",
            "Whether this operator waits until it holds its Lease before it acts.");
    static final ConfigKey<String> LEASE_NAME = withDefault(
            "operator.lease.name",
            ConfigTypes.name(),
            Names.FIELD_MANAGER,
            "Name of the Lease for leader election. Operators with the same Lease stand by for one another.");
    static final ConfigKey<String> LEASE_NAMESPACE = optional(
            "operator.lease.namespace",
            ConfigTypes.name(),
            "the namespace of the pod",
            "Namespace of the Lease for leader election.");
    static final ConfigKey<Boolean> WATCH_NODES = withDefault(
            "operator.watch.nodes",
            ConfigTypes.bool(),
            "true",
            "Whether it watches for nodes that are cordoned or about to be removed, to empty pods on them; needs the"
                    + " right to list and watch nodes.");
    static final ConfigKey<String> IMAGE = required(
            "image", ConfigTypes.text(), "Image of super-peers and storage peers, where a resource names none.");
    static final ConfigKey<PullPolicy> PULL_POLICY = withDefault(
            "image.pull.policy",
            ConfigTypes.choice(PullPolicy.class),
            "ifnotpresent",
            "When that image is pulled, where a resource does not say.");
    static final ConfigKey<String> HTTP_HOST = withDefault(
            "http.host",
            ConfigTypes.host(),
            "0.0.0.0",
            "Local address of the HTTP port (/healthz, /readyz, /metrics, /status).");
    static final ConfigKey<Integer> HTTP_PORT = withDefault("http.port", ConfigTypes.port(), "8080", "HTTP port.");
    static final ConfigKey<LogFormat> LOG_FORMAT =
            withDefault("log.format", ConfigTypes.choice(LogFormat.class), "json", "How log lines are written.");
    static final ConfigKey<LogLevel> LOG_LEVEL =
            withDefault("log.level", ConfigTypes.choice(LogLevel.class), "info", "From which level on it logs.");

    private OperatorKeys() {}

    static ConfigSchema schema() {
        return new ConfigSchema(List.of(
                IMAGE,
                PULL_POLICY,
                NAMESPACES,
                LEADER_ELECTION,
                LEASE_NAME,
                LEASE_NAMESPACE,
                WATCH_NODES,
                HTTP_HOST,
                HTTP_PORT,
                LOG_FORMAT,
                LOG_LEVEL));
    }

    /** The pull policies of Kubernetes. All choices of configuration keys are lower case. */
    enum PullPolicy {
        ALWAYS("Always"),
        IFNOTPRESENT("IfNotPresent"),
        NEVER("Never");

        final String kubernetesName;

        PullPolicy(String kubernetesName) {
            this.kubernetesName = kubernetesName;
        }
    }

    /** Names of namespaces, separated by commas. */
    private static final class NamespaceList implements ConfigType<Set<String>> {
        @Override
        public Set<String> parse(String text) {
            Set<String> names = new TreeSet<>();
            for (String name :
                    Arrays.stream(text.split(",", -1)).map(String::strip).toList()) {
                if (!name.matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")) {
                    throw new IllegalArgumentException("has '" + name + "', which is not the name of a namespace");
                }
                names.add(name);
            }
            return names;
        }

        @Override
        public String allowed() {
            return "names of namespaces with commas between them, such as shop,search";
        }
    }
}
