package dev.granary.cli.kubectl;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Writes a bundle for support. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Write all that support needs to see of a Granary into one .zip: objects, conditions, events, logs,",
            "metrics, status, findings. Secrets are not read, and values that look like secrets are removed.",
            "Read it before you send it: logs and names may tell more than you want to.",
        })
final class ReportCommand implements Callable<Integer> {

    @ParentCommand
    private KubectlGranaryCommand parent = new KubectlGranaryCommand();

    @Parameters(paramLabel = "NAME", description = "The Granary.")
    private String name = "";

    @Option(names = "--file", paramLabel = "FILE", description = "Default: NAME-report-TIME.zip in this folder.")
    private @Nullable Path file;

    @Option(
            names = "--tail",
            paramLabel = "LINES",
            defaultValue = "5000",
            description = "How many lines of each log are taken (default: ${DEFAULT-VALUE}).")
    private int tail;

    @Override
    public Integer call() {
        if (tail < 1) {
            throw new UserException("--tail is " + tail + "; it must be at least 1");
        }
        Kubectl kubectl = parent.kubectl();
        // Fails here when there is no such Granary, before there is a file.
        kubectl.get("granary", name);
        Instant now = Instant.now();
        String folder = TransferObject.nameFor(name + "-report", now);
        Path target = file == null ? Path.of(folder + ".zip") : file;
        List<String> missing;
        try (ZipOutputStream archive = new ZipOutputStream(Files.newOutputStream(target))) {
            missing = new SupportReport(kubectl, name, folder, tail, archive).write(now);
        } catch (IOException e) {
            throw new UserException(target + " cannot be written: " + e.getMessage(), e);
        }
        missing.forEach(each -> System.err.println("not in the report: " + each));
        System.out.println(target);
        return 0;
    }
}
