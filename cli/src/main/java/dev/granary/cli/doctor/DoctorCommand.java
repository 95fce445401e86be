package dev.granary.cli.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.UserException;
import dev.granary.cli.command.ConnectOptions;
import dev.granary.client.GranaryException;
import dev.granary.client.admin.ClusterAdmin;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says what is wrong with a cluster. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Look a cluster over: what is wrong, since when, what to do, and the runbook about it.",
            "Asks a super-peer for the status, and the HTTP port of each process for its metrics, twice in a second.",
            "Exit codes: 0 nothing is wrong, 1 something is, 2 the cluster cannot be looked at.",
        },
        footer = {"", "  granary doctor", "  granary doctor --seeds HOST:7400 -o json"})
public final class DoctorCommand implements Callable<Integer> {

    /** The exit code when the cluster cannot be looked at. */
    public static final int CANNOT_LOOK = 2;

    private static final long PAUSE_MILLIS = 1_000;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOption output = new OutputOption();

    @Override
    public Integer call() {
        JsonNode status;
        try (ClusterAdmin admin = connect.administer()) {
            status = Json.parse("the cluster's status", admin.statusJson());
        } catch (UserException | GranaryException e) {
            System.err.println("granary: the cluster cannot be looked at: " + e.getMessage());
            return CANNOT_LOOK;
        }
        Evidence evidence =
                Evidence.of(status, MetricPages.of(status, connect.pages()).look(DoctorCommand::pause), Instant.now());
        Diagnosis diagnosis = Diagnosis.make(ClusterChecks.ALL, evidence);
        if (output.isText()) {
            diagnosis.print(System.out);
        } else {
            output.print(diagnosis, System.out);
        }
        return diagnosis.exitCode();
    }

    /** Waits between two looks at counters. */
    public static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }
}
