package dev.granary.operator;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Asks one URL and exits with 0 when the answer is 200. {@code helm test} runs it, because the image has no other HTTP
 * client.
 */
public final class HttpProbeMain {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private HttpProbeMain() {}

    /** Asks the URL in the only argument. */
    public static void main(String[] args) throws InterruptedException {
        System.exit(run(args));
    }

    static int run(String[] args) throws InterruptedException {
        if (args.length != 1) {
            System.err.println("Usage: http-probe URL");
            return 2;
        }
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(args[0])).timeout(TIMEOUT).build();
        try (HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build()) {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            System.out.print(args[0] + " answered " + response.statusCode() + ": " + response.body());
            return response.statusCode() == 200 ? 0 : 1;
        } catch (IOException e) {
            System.err.println(args[0] + " does not answer: " + e);
            return 1;
        }
    }
}
