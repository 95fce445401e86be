package dev.granary.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.UserException;
import dev.granary.cli.command.ConnectOptions;
import dev.granary.client.GranaryException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.client.admin.HotKeys;
import dev.granary.net.message.SlotGroupMessages;
import dev.granary.overlay.Nid;
import java.io.Console;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what a cluster is busy with, once or again and again. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Show storage peers by load or fill, hot ranges, keys and chunks, recoveries and plans, as they are now.",
            "On a terminal the view is renewed each second until you press q; otherwise it is printed once.",
            "Loads, ranges and chunks are what storage peers have told in the last twenty seconds.",
            "Keys are data: they are shown to who may see the status and read all keys.",
        },
        footer = {"", "  granary top --sort fill", "  granary top --hot 30", "  granary top --once -o json"})
public final class TopCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Option(names = "--once", description = "Print one look and end.")
    private boolean once;

    @Option(
            names = "--every",
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Time between two looks (default: ${DEFAULT-VALUE}).")
    private double everySeconds;

    @Option(
            names = "--sort",
            paramLabel = "ORDER",
            defaultValue = "load",
            description = "Order of storage peers: load, fill, chunks or name (default: ${DEFAULT-VALUE}).")
    private TopLook.Order order = TopLook.Order.LOAD;

    @Option(
            names = "--hot",
            paramLabel = "COUNT",
            defaultValue = "10",
            description = "How many of the hottest ranges, keys and chunks are shown, of each up to "
                    + SlotGroupMessages.MAX_HOT_KEYS + " (default: ${DEFAULT-VALUE}).")
    private int hot;

    @Option(names = "--no-keys", description = "Ask for no keys, where others look on.")
    private boolean noKeys;

    /** The answer that this user may not see keys. */
    private @Nullable HotKeys refused;

    @Override
    public Integer call() {
        // At least a tenth of a second: each look asks all super-peers.
        if (!(everySeconds >= 0.1 && everySeconds <= 3600)) {
            throw new UserException("--every is " + everySeconds + "; it must be 0.1 to 3600 seconds");
        }
        if (hot < 0 || hot > SlotGroupMessages.MAX_HOT_KEYS) {
            throw new UserException("--hot is " + hot + "; it must be 0 to " + SlotGroupMessages.MAX_HOT_KEYS);
        }
        try (ClusterAdmin admin = connect.administer()) {
            if (!output.isText()) {
                output.print(look(admin), System.out);
            } else if (once || !isTerminal()) {
                TopText.lines(look(admin), hot).forEach(System.out::println);
            } else {
                watch(admin);
            }
        }
        return 0;
    }

    private TopLook look(ClusterAdmin admin) {
        JsonNode status = Json.parse("the cluster's status", admin.statusJson());
        List<JsonNode> plans = new ArrayList<>();
        for (String text : admin.plansJson()) {
            plans.add(Json.parse("the list of plans", text));
        }
        return TopLook.of(status, plans, keys(admin, status), order);
    }

    private HotKeys keys(ClusterAdmin admin, JsonNode status) {
        if (refused != null) {
            return refused;
        }
        List<Integer> owners = new ArrayList<>();
        for (JsonNode peer : status.path("storagePeers")) {
            if (hot > 0 && !noKeys && peer.path("state").asText().equals("live")) {
                owners.add(Nid.parse(peer.path("nid").asText()));
            }
        }
        HotKeys told = admin.hotKeys(owners, hot);
        // Storage peers count each refusal and write it to the audit log, so the command asks no second time.
        if (told.missing().values().stream().anyMatch(HotKeys.Missing::refused)) {
            refused = told;
        }
        return told;
    }

    private void watch(ClusterAdmin admin) {
        long everyMillis = Duration.ofNanos((long) (everySeconds * 1e9)).toMillis();
        List<String> lines = List.of();
        try (TopScreen screen = TopScreen.open()) {
            do {
                List<String> shown;
                try {
                    lines = TopText.lines(look(admin), hot);
                    shown = lines;
                } catch (GranaryException e) {
                    // The view goes on when the cluster answers again; until then it is known to be old.
                    shown = new ArrayList<>(List.of("NO ANSWER, what follows is old: " + e.getMessage(), ""));
                    shown.addAll(lines);
                }
                screen.show(shown);
            } while (!screen.endedWithin(everyMillis));
        }
    }

    @SuppressWarnings("SystemConsoleNull") // a Java runtime without the module jdk.internal.le may have none
    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }
}
