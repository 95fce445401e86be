package dev.granary.superpeer.console;

import dev.granary.env.Clock;
import dev.granary.process.HttpAnswer;
import dev.granary.process.HttpPages;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The console of a super-peer: {@code /console/} is a page, which asks for {@code /console/data} each second. Links in
 * it are relative, so that it works behind a proxy that puts something before the path. Called by HTTP threads.
 */
public final class Console implements HttpPages {

    /** Where the pages lie. */
    public static final String PATH = "/console";

    private static final String FOLDER = PATH + "/";
    private static final String DATA = FOLDER + "data";
    private static final HttpAnswer OFF = HttpAnswer.text(
            404,
            "The console is off. To see it, start this super-peer with console=true in its configuration, or"
                    + " GRANARY_CONSOLE=true in its environment.\n");

    /** A browser loads, frames and sends nothing but what the page needs. */
    private static final Map<String, String> SECURITY = Map.of(
            "Content-Security-Policy",
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Resource-Policy",
            "same-origin");

    private final ConsoleFiles files = ConsoleFiles.load();
    private final ConsoleData data;

    private Console(ConsoleData data) {
        this.data = data;
    }

    /**
     * Returns the console.
     *
     * @param gather begins to put the data together; called by HTTP threads
     */
    public static HttpPages on(Supplier<CompletableFuture<String>> gather, Clock clock) {
        return new Console(new ConsoleData(gather, clock));
    }

    /** Returns pages that say how to have the console. */
    public static HttpPages off() {
        return (path, knownTag) -> OFF;
    }

    @Override
    public HttpAnswer answer(String path, @Nullable String knownTag) {
        HttpAnswer answer = find(path, knownTag);
        Map<String, String> headers = new HashMap<>(SECURITY);
        headers.putAll(answer.headers());
        return new HttpAnswer(answer.code(), headers, answer.body());
    }

    private HttpAnswer find(String path, @Nullable String knownTag) {
        if (path.equals(PATH)) {
            return new HttpAnswer(307, Map.of("Location", "console/"), new byte[0]);
        }
        if (path.equals(DATA)) {
            return data();
        }
        HttpAnswer file = path.startsWith(FOLDER) ? files.answer(path.substring(FOLDER.length()), knownTag) : null;
        return file == null ? HttpAnswer.text(404, "not found: try " + FOLDER + "\n") : file;
    }

    private HttpAnswer data() {
        try {
            return new HttpAnswer(
                    200, Map.of("Content-Type", "application/json", "Cache-Control", "no-store"), data.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return noData("this super-peer stops");
        } catch (TimeoutException e) {
            return noData(e.getMessage());
        } catch (ExecutionException e) {
            return noData(String.valueOf(e.getCause()));
        }
    }

    private static HttpAnswer noData(@Nullable String why) {
        return HttpAnswer.text(503, "there are no data: " + why + "\n");
    }
}
