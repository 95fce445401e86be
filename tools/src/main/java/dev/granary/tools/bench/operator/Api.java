package dev.granary.tools.bench.operator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;

/** The few requests to an API server that the benchmark needs. Thread-safe. */
final class Api implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final String url;
    private final String token;
    private final HttpClient http;

    Api(String url, String token, SSLContext trust) {
        this.url = url;
        this.token = token;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(trust)
                .connectTimeout(TIMEOUT)
                .build();
    }

    /** Whether the server reports that it is ready. */
    boolean isReady() throws InterruptedException {
        try {
            return send(request("/readyz").GET()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    JsonNode get(String path) throws IOException, InterruptedException {
        return answer(path, request(path).GET());
    }

    /** A list with only the metadata of its objects. */
    JsonNode metadata(String path) throws IOException, InterruptedException {
        return answer(
                path,
                request(path)
                        .header("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
                        .GET());
    }

    void create(String path, Map<String, ?> object) throws IOException, InterruptedException {
        answer(
                path,
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(Json.compact(object))));
    }

    void createYaml(String path, String yaml) throws IOException, InterruptedException {
        answer(path, request(path).header("Content-Type", "application/yaml").POST(BodyPublishers.ofString(yaml)));
    }

    void patchStatus(String path, Map<String, ?> status) throws IOException, InterruptedException {
        answer(
                path,
                request(path + "/status")
                        .header("Content-Type", "application/merge-patch+json")
                        .method("PATCH", BodyPublishers.ofString(Json.compact(Map.of("status", status)))));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .timeout(TIMEOUT)
                .header("Authorization", "Bearer " + token);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private JsonNode answer(String path, HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = send(request);
        if (response.statusCode() / 100 != 2) {
            throw new UserException("the API server answered " + response.statusCode() + " to " + path + ": "
                    + response.body().lines().findFirst().orElse(""));
        }
        return Json.parse("the answer to " + path, response.body());
    }

    @Override
    public void close() {
        http.close();
    }
}
