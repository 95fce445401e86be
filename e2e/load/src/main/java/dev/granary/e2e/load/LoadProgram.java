package dev.granary.e2e.load;

import dev.granary.client.ClientOptions;
import dev.granary.client.ClientTls;
import dev.granary.client.Durability;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The load as a process. It works until a file appears, and ends with one line of JSON. Another file holds notes for
 * the table of seconds: what was done to the cluster, and when. What failed or took too long before the first note,
 * while clients and caches warm up, is not blamed on what is done then.
 */
public final class LoadProgram {

    private static final long LOOK_MILLIS = 100;
    private static final int PROBES = 300;
    private static final int PAUSE_MILLIS = 10;

    /** The beginning of the line that says for how many whole seconds clients have worked. */
    public static final String SECONDS = "SECONDS ";

    /** The beginning of the line with the results. */
    public static final String RESULT = "RESULT ";

    /** The beginning of the lines of the history, if one is written; they end the output. */
    public static final String HISTORY = "HISTORY ";

    private LoadProgram() {}

    /**
     * Runs the load.
     *
     * @param arguments seeds separated by commas, the number of clients, the folder in which the files {@code stop} and
     *     {@code notes} appear, and the durability of writes unless it is that of the cluster
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        work(arguments);
        String folder = System.getProperty(LoadHistory.FOLDER);
        if (folder != null) {
            try (DirectoryStream<Path> histories = Files.newDirectoryStream(Path.of(folder))) {
                for (Path history : histories) {
                    Files.readAllLines(history).forEach(line -> System.out.println(HISTORY + line));
                }
            }
        }
    }

    private static void work(String[] arguments) throws IOException, InterruptedException {
        ClientOptions options = ClientOptions.of(arguments[0].split(",", -1));
        Path certificates = Certificates.folder();
        if (certificates != null) {
            options =
                    options.toBuilder().tls(ClientTls.ofDirectory(certificates)).build();
        }
        String user = System.getenv("GRANARY_USER");
        if (user != null) {
            options = options.toBuilder()
                    .user(user)
                    .password(System.getenv("GRANARY_PASSWORD"))
                    .build();
        }
        if (arguments.length > 3) {
            options = options.withDurability(Durability.valueOf(arguments[3].toUpperCase(Locale.ROOT)));
        }
        Path stop = Path.of(arguments[2], "stop");
        Path notes = Path.of(arguments[2], "notes");
        try (Load load = Load.start(options, Integer.parseInt(arguments[1]), PAUSE_MILLIS);
                Probes probes = Probes.start(load, options, PROBES)) {
            System.out.println("STARTED");
            int noted = 0;
            int early = 0;
            int seconds = 0;
            while (!Files.exists(stop)) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                List<String> lines = Files.exists(notes) ? Files.readAllLines(notes) : List.of();
                if (noted == 0 && !lines.isEmpty()) {
                    early = load.failures().size();
                }
                for (; noted < lines.size(); noted++) {
                    load.note(lines.get(noted));
                }
                int worked = load.operationsBySecond().size() - 1;
                if (worked > seconds) {
                    seconds = worked;
                    System.out.println(SECONDS + seconds);
                }
            }
            long unservedP99Millis = probes.unservedMillis(99);
            probes.close();
            load.stop();
            System.out.println(RESULT
                    + "{\"operations\":%d,\"wrong\":%d,\"failures\":%d,\"failuresBefore\":%d,\"unservedP99Millis\":%d,\"bySecond\":%s}"
                            .formatted(
                                    load.operations(),
                                    load.wrongAnswers().size(),
                                    load.failures().size() - early,
                                    early,
                                    unservedP99Millis,
                                    load.operationsBySecond()));
        }
    }
}
