package dev.granary.tools.bench;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryException;
import java.nio.file.Path;
import java.util.List;

/**
 * The process of the client that measures a recovery. Arguments: an empty directory, the number of storage peers, the
 * number of chunks. Prints a JSON object.
 *
 * <p>It runs with the JVM's first compiler (C1) only: it shares the machine with the cluster that it measures, and runs
 * new code at the moment that counts.
 */
public final class ClusterRecoveryMain {

    private static final long HEAP_BYTES = 256L << 20;
    private static final long HEAP_BYTES_A_CHUNK = 32;

    private ClusterRecoveryMain() {}

    /** Runs this main class in its own process and hands its results to the table. */
    static void run(Path directory, int peers, int chunks, RecoveryTable table) {
        new MeasuringProcess(
                        MeasuringProcess.ownClassPath(),
                        HEAP_BYTES + chunks * HEAP_BYTES_A_CHUNK,
                        List.of("-XX:TieredStopAtLevel=1"))
                .run(
                        ClusterRecoveryMain.class.getName(),
                        List.of(directory.toString(), Integer.toString(peers), Integer.toString(chunks)),
                        table);
    }

    /** Measures one recovery. */
    public static void main(String[] arguments) {
        CommandLogging.configure();
        try {
            System.out.println(Json.compact(new ClusterRecovery(Path.of(arguments[0]))
                    .measure(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]))));
        } catch (UserException | GranaryException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }
}
