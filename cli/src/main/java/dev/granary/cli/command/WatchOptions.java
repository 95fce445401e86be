package dev.granary.cli.command;

import dev.granary.cli.backup.BackupProgress;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryException;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpPort;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options by which people and programs see the progress and the result of a long command. */
public final class WatchOptions {

    private static final long LOOK_MILLIS = 200;

    @Option(
            names = "--progress-port",
            paramLabel = "PORT",
            description = "Tell programs how far it is: GET /status on this port gives JSON.")
    private @Nullable Integer port;

    @Option(
            names = "--result",
            paramLabel = "FILE",
            description = "Write what came of it to a file, as one line of JSON: also when it failed.")
    private @Nullable Path result;

    /** Runs work, shows its progress, and writes its result to the file that an option names. */
    Map<String, Object> watch(String task, BackupProgress progress, Supplier<Map<String, Object>> work) {
        try (HttpPort http = port == null ? null : open(port, progress);
                ProgressBar bar = Progress.bar(task, -1)) {
            Thread watcher = Thread.ofVirtual().start(() -> show(progress, bar));
            try {
                Map<String, Object> outcome = new LinkedHashMap<>(work.get());
                write(outcome);
                return outcome;
            } catch (UserException | GranaryException e) {
                write(Map.of("error", String.valueOf(e.getMessage())));
                throw e;
            } finally {
                watcher.interrupt();
            }
        }
    }

    private static HttpPort open(int port, BackupProgress progress) {
        CollectorRegistry metrics = new CollectorRegistry();
        HttpContent content = new HttpContent() {
            @Override
            public Optional<String> notReadyReason() {
                return Optional.empty();
            }

            @Override
            public String statusJson() {
                return Json.compact(progress.toMap());
            }

            @Override
            public CollectorRegistry metrics() {
                return metrics;
            }
        };
        try {
            return HttpPort.open(new HostAddress("0.0.0.0", port), content);
        } catch (IOException | IllegalArgumentException e) {
            throw new UserException("--progress-port " + port + ": " + e.getMessage(), e);
        }
    }

    private static void show(BackupProgress progress, ProgressBar bar) {
        try {
            while (true) {
                bar.maxHint(progress.totalChunks());
                bar.stepTo(progress.chunks());
                bar.setExtraMessage(progress.step());
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(Map<String, Object> outcome) {
        if (result == null) {
            return;
        }
        try {
            Files.writeString(result, Json.compact(outcome) + "\n");
        } catch (IOException e) {
            throw new UserException("the result cannot be written to " + result + ": " + e.getMessage(), e);
        }
    }
}
