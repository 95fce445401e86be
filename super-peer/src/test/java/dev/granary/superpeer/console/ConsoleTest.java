package dev.granary.superpeer.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.BootClock;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpPages;
import dev.granary.process.HttpPort;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Console} and its {@link ConsoleFiles} behind a real port. */
class ConsoleTest {

    private static final List<String> FILES =
            List.of("", "console.css", "console.js", "dom.js", "model.js", "ring.js", "seen.js");

    private final HttpClient client = HttpClient.newHttpClient();
    private CompletableFuture<String> gathered = CompletableFuture.completedFuture("{\"at\":\"now\"}");
    private HttpPort port = open(Console.on(() -> gathered, BootClock.orSystemClock()));

    private record Content(HttpPages console) implements HttpContent {
        @Override
        public Optional<String> notReadyReason() {
            return Optional.empty();
        }

        @Override
        public String statusJson() {
            return "{}";
        }

        @Override
        public CollectorRegistry metrics() {
            return new CollectorRegistry();
        }

        @Override
        public Map<String, HttpPages> pages() {
            return Map.of(Console.PATH, console);
        }
    }

    private static HttpPort open(HttpPages console) {
        try {
            return HttpPort.open(new HostAddress("127.0.0.1", 0), new Content(console));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        port.close();
        client.close();
    }

    private HttpResponse<String> get(String path, String... headers) throws Exception {
        return send("GET", path, headers);
    }

    private HttpResponse<String> send(String method, String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.port() + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String header(HttpResponse<String> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/console", "/console/", "/console/data", "/console/console.js"})
    void console_off_says404AndHowToHaveIt(String path) throws Exception {
        port.close();
        port = open(Console.off());
        HttpResponse<String> answer = get(path);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("console=true").contains("GRANARY_CONSOLE=true");
        assertThat(get("/status").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"'',text/html", "console.css,text/css", "console.js,text/javascript", "seen.js,text/javascript"})
    void console_aFile_hasItsTypeAndIsSentOnce(String name, String type) throws Exception {
        HttpResponse<String> first = get("/console/" + name);
        HttpResponse<String> again = get("/console/" + name, "If-None-Match", header(first, "ETag"));
        HttpResponse<String> other = get("/console/" + name, "If-None-Match", "\"other\"");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(header(first, "Content-Type")).isEqualTo(type + "; charset=utf-8");
        assertThat(first.body()).hasSizeGreaterThan(500);
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(other.statusCode()).isEqualTo(200);
    }

    @Test
    void console_withoutItsSlash_leadsThereBehindAnyProxy() throws Exception {
        HttpResponse<String> answer = get("/console");

        assertThat(answer.statusCode()).isEqualTo(307);
        assertThat(header(answer, "Location")).isEqualTo("console/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/console/", "/console/data", "/console/console.css", "/console/none"})
    void console_anyAnswer_letsABrowserLoadNothingElse(String path) throws Exception {
        HttpResponse<String> answer = get(path);

        assertThat(header(answer, "Content-Security-Policy"))
                .startsWith("default-src 'self';")
                .contains("frame-ancestors 'none'");
        assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(answer, "Referrer-Policy")).isEqualTo("no-referrer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS"})
    void console_otherMethods_areRefused(String method) throws Exception {
        assertThat(send(method, "/console/").statusCode()).isEqualTo(405);
        assertThat(send(method, "/console/data").statusCode()).isEqualTo(405);
    }

    @Test
    void data_gathered_isTheJsonThatNobodyKeeps() throws Exception {
        HttpResponse<String> answer = get("/console/data");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"at\":\"now\"}");
        assertThat(header(answer, "Content-Type")).isEqualTo("application/json");
        assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
        assertThat(send("HEAD", "/console/data").body()).isEmpty();
    }

    @Test
    void data_cannotBeGathered_is503WithTheReason() throws Exception {
        gathered = CompletableFuture.failedFuture(new IllegalStateException("planted"));
        HttpResponse<String> answer = get("/console/data");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("there are no data").contains("planted");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/console/none", "/console/../status", "/consolex", "/console/data/x", "/console/console.html/"})
    void console_otherPaths_are404(String path) throws Exception {
        assertThat(get(path).statusCode()).isEqualTo(404);
    }

    @Test
    void files_whatTheyLoad_isAmongThem() throws Exception {
        Pattern loads = Pattern.compile("(?:<link[^>]* href=|<script[^>]* src=|from )[\"']([^\"']+)[\"']");
        int found = 0;
        for (String name : FILES) {
            String text = get("/console/" + name).body();
            List<String> loaded = loads.matcher(text)
                    .results()
                    .map((MatchResult each) -> each.group(1).replaceFirst("^\\./", ""))
                    .toList();
            assertThat(FILES).as("files that '%s' loads", name).containsAll(loaded);
            found += loaded.size();
            assertThat(text.replace("http://www.w3.org/2000/svg", "").replace("http://${", ""))
                    .as("'%s' names no address outside", name)
                    .doesNotContain("http:", "https:", "//cdn");
        }
        assertThat(found).isGreaterThan(6);
    }
}
