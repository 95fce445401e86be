package dev.granary.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.overlay.Nid;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Shows and follows rebalance plans for commands. */
final class Plans {

    private static final long LOOK_MILLIS = 250;
    private static final long SAY_EVERY_LOOKS = 8;

    private Plans() {}

    /** The name of a plan, such as {@code 0x4000/1}. */
    static String nameOf(PlanReply plan) {
        return Nid.toHex(plan.homeNid()) + "/" + plan.number();
    }

    /** All plans of the super-peers. */
    static List<JsonNode> all(ClusterAdmin admin) {
        return all(admin, "plans");
    }

    /** The moves of hot chunks that the super-peers propose. */
    static List<JsonNode> proposals(ClusterAdmin admin) {
        return all(admin, "proposals");
    }

    private static List<JsonNode> all(ClusterAdmin admin, String field) {
        List<JsonNode> found = new ArrayList<>();
        for (String text : admin.plansJson()) {
            Json.parse("the list of plans", text).path(field).forEach(found::add);
        }
        return found;
    }

    private static JsonNode found(ClusterAdmin admin, String name) {
        return all(admin).stream()
                .filter(plan -> plan.path("plan").asText().equals(name))
                .findFirst()
                .orElseThrow(() -> new UserException("the super-peers have no record of plan " + name
                        + " any more; 'granary plan show' lists those that they have"));
    }

    /**
     * Prints the plan that was begun, and follows it to its end if {@code wait} is set. Programs get the plan once, as
     * it was looked at last.
     *
     * @return the exit code: 0 when everything has moved, or without a wait
     */
    static int follow(ClusterAdmin admin, PlanReply begun, boolean wait, OutputOption output, PrintStream out) {
        String name = nameOf(begun);
        boolean text = output.isText();
        if (text) {
            out.printf(
                    Locale.ROOT,
                    "plan %s: %s moves, %s%n",
                    name,
                    Sizes.count(begun.moves()),
                    Sizes.bytes(begun.bytes()));
        }
        if (!wait) {
            if (text) {
                out.println("it goes on; 'granary plan show' shows how far it is, 'granary plan abort " + name
                        + "' ends it");
            } else {
                output.print(found(admin, name), out);
            }
            return 0;
        }
        for (long looks = 1; ; looks++) {
            JsonNode plan = found(admin, name);
            String state = plan.path("state").asText();
            if (!state.equals("running")) {
                if (text) {
                    out.println(describe(plan));
                } else {
                    output.print(plan, out);
                }
                return state.equals("done") ? 0 : 1;
            }
            if (text && looks % SAY_EVERY_LOOKS == 0) {
                out.println(describe(plan));
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted; the plan goes on", e);
        }
    }

    /** One line about a plan. */
    static String describe(JsonNode plan) {
        String failed = plan.path("movesFailed").asLong() == 0
                ? ""
                : ", " + Sizes.count(plan.path("movesFailed").asLong()) + " failed";
        String note = plan.path("note").asText();
        return String.format(
                Locale.ROOT,
                "plan %s: %s %s is %s, %s of %s moves and %s of %s done%s%s",
                plan.path("plan").asText(),
                plan.path("kind").asText(),
                plan.path("nid").asText(),
                plan.path("state").asText(),
                Sizes.count(plan.path("movesDone").asLong()),
                Sizes.count(plan.path("moves").asLong()),
                Sizes.bytes(plan.path("bytesDone").asLong()),
                Sizes.bytes(plan.path("bytes").asLong()),
                failed,
                note.isEmpty() ? "" : " (" + note + ")");
    }
}
