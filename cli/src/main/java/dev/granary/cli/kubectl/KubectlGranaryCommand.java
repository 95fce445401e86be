package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.cli.base.VersionProvider;
import dev.granary.cli.doctor.Diagnosis;
import dev.granary.cli.doctor.DoctorCommand;
import dev.granary.cli.top.TopLook;
import dev.granary.cli.top.TopText;
import dev.granary.client.admin.HotKeys;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code kubectl granary}: what an administrator of a cluster needs, with nothing but kubectl. */
@Command(
        name = "kubectl granary",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        description = "Granary clusters on Kubernetes. It calls kubectl, so it sees what kubectl may see.",
        subcommands = {
            RestartCommand.class,
            HibernateCommand.class,
            ChangeSecretCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            ReportCommand.class
        })
public final class KubectlGranaryCommand implements Runnable {

    private static final String LEAVE = "granary.dev/leave";

    /** Arcs and sums as programs get them. */
    private record Ranges(JsonNode arcs, JsonNode totals) {}

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-n", "--namespace"},
            scope = ScopeType.INHERIT,
            paramLabel = "NAMESPACE",
            description = "Default: that of the kubeconfig's context.")
    private @Nullable String namespace;

    @Option(
            names = "--context",
            scope = ScopeType.INHERIT,
            paramLabel = "CONTEXT",
            description = "Context of the kubeconfig.")
    private @Nullable String context;

    @Option(
            names = "--kubectl",
            scope = ScopeType.INHERIT,
            hidden = true,
            defaultValue = "kubectl",
            paramLabel = "PROGRAM",
            description = "The program to call.")
    private String program = "kubectl";

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Name a command.");
    }

    private @Nullable Kubectl kubectl;

    /** The kubectl of the options; one for the whole command, as it keeps what it has read of clusters. */
    synchronized Kubectl kubectl() {
        Kubectl made = kubectl;
        if (made == null) {
            made = new Kubectl(program, context, namespace);
            kubectl = made;
        }
        return made;
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Conditions, and every pod that goes or is replaced.")
    int status(@Mixin OutputOption output, @Parameters(paramLabel = "NAME", description = "The Granary.") String name) {
        JsonNode granary = kubectl().get("granary", name);
        if (!output.isText()) {
            output.print(granary.path("status"), System.out);
            return 0;
        }
        PrintStream out = System.out;
        out.printf(
                Locale.ROOT,
                "%s: %s storage peers, %s super-peers, %s chunks, memory %s%n%n",
                name,
                granary.at("/status/summary/peers").asText("-"),
                granary.at("/status/summary/superPeers").asText("-"),
                Sizes.count(granary.at("/status/chunks/count").asLong()),
                granary.at("/status/summary/memory").asText("-"));
        for (JsonNode condition : granary.at("/status/conditions")) {
            out.printf(
                    Locale.ROOT,
                    "  %-15s %-8s %-22s %s%n",
                    condition.path("type").asText(),
                    condition.path("status").asText(),
                    condition.path("reason").asText(),
                    condition.path("message").asText());
        }
        for (JsonNode stop : granary.at("/status/stops")) {
            out.printf(
                    Locale.ROOT,
                    "%n  %s goes (%s): %s, %s%s",
                    stop.path("pod").asText(),
                    stop.path("reason").asText(),
                    stop.path("phase").asText(),
                    stop.path("message").asText(),
                    progress(stop));
        }
        JsonNode secret = granary.at("/status/secret");
        if (secret.has("phase") && !secret.path("phase").asText().equals("Steady")) {
            out.printf(
                    Locale.ROOT,
                    "%n  the secret changes: %s, %s%n",
                    secret.path("phase").asText(),
                    secret.path("message").asText());
        }
        out.println();
        return 0;
    }

    private static String progress(JsonNode stop) {
        if (!stop.has("bytes")) {
            return "";
        }
        String left = stop.has("secondsLeft") ? ", " + stop.path("secondsLeft").asLong() + " s left" : "";
        return " (" + stop.path("bytesDone").asText() + " of "
                + stop.path("bytes").asText() + left + ")";
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "The storage peers by load or fill, the hottest ranges and the recoveries, as they are now.")
    int top(
            @Mixin OutputOption output,
            @Option(
                            names = "--sort",
                            paramLabel = "ORDER",
                            defaultValue = "load",
                            description = "load, fill, chunks or name (default: ${DEFAULT-VALUE}).")
                    TopLook.Order order,
            @Option(
                            names = "--hot",
                            paramLabel = "COUNT",
                            defaultValue = "10",
                            description = "How many of the hottest ranges are shown (default: ${DEFAULT-VALUE}).")
                    int hot,
            @Parameters(paramLabel = "NAME", description = "The Granary.") String name) {
        if (hot < 0) {
            throw new UserException("--hot is " + hot + "; it must not be negative");
        }
        // Plans, hot chunks and hot keys are asked for by the binary protocol, which the API server does not pass on.
        TopLook look = TopLook.of(fetchStatus(name), List.of(), new HotKeys(List.of(), Map.of()), order);
        if (output.isText()) {
            TopText.lines(look, hot).forEach(System.out::println);
        } else {
            output.print(look, System.out);
        }
        return 0;
    }

    private JsonNode fetchStatus(String name) {
        return kubectl().fetch(name, ClusterVisit.SUPER_PEER_HTTP, "/status");
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Who answers for which arc, and how many ranges and chunks there are.")
    int ranges(@Mixin OutputOption output, @Parameters(paramLabel = "NAME", description = "The Granary.") String name) {
        JsonNode status = fetchStatus(name);
        if (!output.isText()) {
            output.print(new Ranges(status.at("/ring/superPeers"), status.path("totals")), System.out);
            return 0;
        }
        System.out.printf(Locale.ROOT, "%-8s %-28s %-12s %s%n", "ARC OF", "SUPER-PEER", "ANSWERED BY", "VOTES IN");
        for (JsonNode member : status.at("/ring/superPeers")) {
            System.out.printf(
                    Locale.ROOT,
                    "%-8s %-28s %-12s %d groups%n",
                    member.path("nid").asText(),
                    member.path("name").asText(),
                    member.path("arcServedBy").asText("NOBODY"),
                    member.path("votes").asInt());
        }
        System.out.printf(
                Locale.ROOT,
                "%n%s ranges, %s chunks, %s of payload%n",
                Sizes.count(status.at("/totals/ranges").asLong()),
                Sizes.count(status.at("/totals/chunks").asLong()),
                Sizes.bytes(status.at("/totals/payloadBytes").asLong()));
        return 0;
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Have a pod hand over what it has; then it may be evicted.",
                "'kubectl granary status' shows how far it is.",
            })
    int drain(
            @Parameters(paramLabel = "POD", description = "A pod of a Granary.") String pod,
            @Option(names = "--undo", description = "The pod stays, and takes chunks again.") boolean undo) {
        String change = undo ? LEAVE + "-" : LEAVE + "=requested";
        return kubectl().pass("annotate", "--overwrite", "pod", pod, change);
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Logs of one pod, or the last lines of all pods of a Granary.")
    int logs(
            @Parameters(paramLabel = "NAME", description = "A Granary, or one of its pods.") String name,
            @Option(names = "--previous", description = "Of the process before the last restart.") boolean previous,
            @Option(names = "--tail", defaultValue = "50", paramLabel = "LINES", description = "Default: 50.")
                    int tail) {
        List<String> arguments = new ArrayList<>(List.of("logs", "--tail=" + tail, "--prefix"));
        if (previous) {
            arguments.add("--previous");
        }
        boolean isGranary = !kubectl()
                .run("get", "granary", name, "--ignore-not-found", "-o", "name")
                .isBlank();
        if (isGranary) {
            arguments.addAll(List.of("-l", "granary.dev/cluster=" + name, "--max-log-requests=100"));
        } else {
            arguments.add(name);
        }
        return kubectl().pass(arguments.toArray(String[]::new));
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Look a Granary over: what is wrong, since when, what to do, and the runbook about it.",
                "Looks at the resource, its pods, the cluster's status, the metrics of all processes and the operator.",
                "Exit codes: 0 nothing is wrong, 1 something is, 2 the Granary cannot be looked at.",
            })
    int doctor(@Mixin OutputOption output, @Parameters(paramLabel = "NAME", description = "The Granary.") String name) {
        Diagnosis diagnosis;
        try {
            diagnosis = Diagnosis.make(ResourceChecks.ALL, new ClusterVisit(kubectl()).look(name));
        } catch (UserException e) {
            System.err.println("the Granary cannot be looked at: " + e.getMessage());
            return DoctorCommand.CANNOT_LOOK;
        }
        if (output.isText()) {
            diagnosis.print(System.out);
        } else {
            output.print(diagnosis, System.out);
        }
        return diagnosis.exitCode();
    }

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /** Runs a command line in this process and returns its exit code. */
    public static int execute(String... args) {
        return new CommandLine(new KubectlGranaryCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                    if (failure instanceof UserException) {
                        commandLine.getErr().println(failure.getMessage());
                    } else {
                        failure.printStackTrace(commandLine.getErr());
                    }
                    commandLine.getErr().flush();
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(args);
    }
}
