package dev.granary.operator.backup;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.operator.api.backup.TransferStatus.Progress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks a Job's pod for its progress by HTTP. */
public final class HttpProgressReader implements ProgressReader, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpProgressReader.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final int port;
    private final ObjectMapper json = new ObjectMapper();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    /** Makes a reader that asks on the port on which the Jobs of this operator answer. */
    public HttpProgressReader() {
        this(TransferJobs.PROGRESS_PORT);
    }

    HttpProgressReader(int port) {
        this.port = port;
    }

    @Override
    public @Nullable Progress ask(String address) {
        String host = address.contains(":") ? "[" + address + "]" : address;
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + host + ":" + port + "/status"))
                .timeout(TIMEOUT)
                .build();
        try {
            HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
            return response.statusCode() == 200 ? json.readValue(response.body(), Progress.class) : null;
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("address", address).setCause(e).log("a pod does not report its progress");
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
