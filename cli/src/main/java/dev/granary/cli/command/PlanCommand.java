package dev.granary.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.overlay.Nid;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows, aborts and makes rebalance plans. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description = "Show and end the plans by which chunks move between storage peers.",
        footer = {"", "  granary plan show --moves", "  granary plan abort 0x4000/1"})
public final class PlanCommand implements Runnable {

    /** What programs get. */
    private record Shown(List<JsonNode> plans, List<JsonNode> proposals) {}

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Say what to do: show, abort or spread.");
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Show the plans that run and the last ones that have ended, and which hot chunks should move.",
            })
    int show(
            @Mixin ConnectOptions connect,
            @Mixin OutputOption output,
            @Option(names = "--moves", description = "List the moves as well: chunks, destination, bytes.")
                    boolean moves,
            @Option(names = "--json", description = "Print the plans as one JSON array on one line.") boolean json) {
        List<JsonNode> plans;
        List<JsonNode> proposals;
        try (ClusterAdmin admin = connect.administer()) {
            plans = Plans.all(admin);
            proposals = Plans.proposals(admin);
        }
        if (json) {
            System.out.println(Json.compact(plans));
            return 0;
        }
        if (!output.isText()) {
            output.print(new Shown(plans, proposals), System.out);
            return 0;
        }
        if (plans.isEmpty()) {
            System.out.println("no plans");
        }
        for (JsonNode plan : plans) {
            System.out.println(Plans.describe(plan));
            if (moves) {
                plan.path("list").forEach(PlanCommand::print);
            }
        }
        for (JsonNode proposal : proposals) {
            System.out.printf(
                    Locale.ROOT,
                    "proposed: granary migrate %s --to %s   (used %s times a second, %s of %s, %s of %s)%n",
                    proposal.path("cid").asText(),
                    proposal.path("target").asText(),
                    Sizes.count(proposal.path("perSecond").asLong()),
                    Sizes.count(proposal.path("sourcePerSecond").asLong()),
                    proposal.path("source").asText(),
                    Sizes.count(proposal.path("targetPerSecond").asLong()),
                    proposal.path("target").asText());
        }
        return 0;
    }

    private static void print(JsonNode move) {
        System.out.printf(
                Locale.ROOT,
                "  %s..%s to %s  %10s chunks %12s  %s%n",
                move.path("from").asText(),
                move.path("to").asText(),
                move.path("target").asText(),
                Sizes.count(move.path("chunks").asLong()),
                Sizes.bytes(move.path("bytes").asLong()),
                move.path("state").asText());
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "End a plan: no move begins any more, those under way are given up, what has moved stays.",
                "A storage peer whose drain is aborted takes new chunks again.",
            })
    int abort(
            @Mixin ConnectOptions connect,
            @Parameters(paramLabel = "PLAN", description = "As 'granary plan show' calls it, such as 0x4000/1.")
                    String plan) {
        String[] parts = plan.split("/", -1);
        int home;
        long number;
        try {
            home = Nid.parse(parts[0]);
            number = Long.parseLong(parts[parts.length - 1]);
        } catch (IllegalArgumentException e) {
            throw new UserException("'" + plan + "' is not the name of a plan, such as 0x4000/1", e);
        }
        if (parts.length != 2) {
            throw new UserException("'" + plan + "' is not the name of a plan, such as 0x4000/1");
        }
        try (ClusterAdmin admin = connect.administer()) {
            admin.abortPlan(home, number);
        }
        System.out.println("plan " + plan + " is aborted");
        return 0;
    }

    @Command(
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Have a storage peer take its share of what the others have; a new one does so by itself.")
    int spread(
            @Mixin ConnectOptions connect,
            @Parameters(
                            paramLabel = "NID",
                            converter = NidConverter.class,
                            description = "The storage peer, such as 0x4000; 'granary status' lists them.")
                    int nid,
            @Mixin OutputOption output,
            @Option(names = "--no-wait", description = "Return when the plan is made, not when it has ended.")
                    boolean noWait) {
        try (ClusterAdmin admin = connect.administer()) {
            return Plans.follow(admin, admin.startSpread(nid), !noWait, output, System.out);
        }
    }
}
