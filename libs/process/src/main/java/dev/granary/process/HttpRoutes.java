package dev.granary.process;

import io.prometheus.client.exporter.common.TextFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Which page lies at which path. Thread-safe. */
final class HttpRoutes {

    private static final String JSON = "application/json";

    private final HttpContent content;

    /** By the path below which each lies; a longer path is asked before its beginnings. */
    private final Map<String, HttpPages> pages = new TreeMap<>(Comparator.reverseOrder());

    HttpRoutes(HttpContent content, Map<String, HttpPages> more) {
        this.content = content;
        pages.putAll(content.pages());
        pages.putAll(more);
    }

    /** Returns whether a page tells only whether the process lives, or is ready: to everybody. */
    static boolean isProbe(String path) {
        return path.equals("/healthz") || path.equals("/readyz");
    }

    /** Answers one of these. A caller that may read nothing else does not learn why. */
    HttpAnswer probe(String path, boolean tellsWhy) {
        boolean isReady = path.equals("/readyz");
        Optional<String> reason = isReady ? content.notReadyReason() : content.notAliveReason();
        if (reason.isEmpty()) {
            return HttpAnswer.text(200, isReady ? "ready\n" : "ok\n");
        }
        return HttpAnswer.text(
                503, "not " + (isReady ? "ready" : "alive") + (tellsWhy ? ": " + reason.get() : "") + "\n");
    }

    /** Answers a request for another page. */
    HttpAnswer answer(String path, @Nullable String accepted, @Nullable String knownTag) {
        if (path.equals("/metrics")) {
            return metrics(accepted);
        }
        if (path.equals("/status")) {
            return new HttpAnswer(
                    200, Map.of("Content-Type", JSON), (content.statusJson() + "\n").getBytes(StandardCharsets.UTF_8));
        }
        for (Map.Entry<String, HttpPages> each : pages.entrySet()) {
            if (path.equals(each.getKey()) || path.startsWith(each.getKey() + "/")) {
                return each.getValue().answer(path, knownTag);
            }
        }
        return HttpAnswer.text(404, "not found: try /status\n");
    }

    private HttpAnswer metrics(@Nullable String accepted) {
        String type = TextFormat.chooseContentType(accepted);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(16_384);
        try (Writer writer = new OutputStreamWriter(bytes, StandardCharsets.UTF_8)) {
            TextFormat.writeFormat(type, writer, content.metrics().metricFamilySamples());
        } catch (IOException e) {
            throw new UncheckedIOException("metrics cannot be written to memory", e);
        }
        return new HttpAnswer(200, Map.of("Content-Type", type), bytes.toByteArray());
    }
}
