package dev.granary.operator.observe;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.client.ClientTlsText;
import dev.granary.net.tls.NodeTrust;
import dev.granary.net.tls.TlsException;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Reads pages of processes by HTTP, with TLS or without. Thread-safe. */
final class PageReader implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /** A client has a thread. More clusters than these take turns. */
    private static final int MOST_CLIENTS = 16;

    private final HttpClient plain = builder().build();

    @GuardedBy("this")
    private final Deque<Secured> secured = new ArrayDeque<>();

    /** A client that proves itself to one cluster. */
    private record Secured(ClientTlsText tls, HttpClient client) {}

    private static HttpClient.Builder builder() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT);
    }

    /**
     * Returns a page.
     *
     * @param tls with what the operator proves itself; {@code null} for a port without TLS
     * @throws IOException when there is no answer, or another one than 200
     */
    byte[] read(String host, int port, String path, @Nullable ClientTlsText tls)
            throws IOException, InterruptedException {
        URI uri = URI.create((tls == null ? "http://" : "https://") + new HostAddress(host, port) + path);
        HttpResponse<byte[]> response = (tls == null ? plain : clientOf(tls))
                .send(HttpRequest.newBuilder(uri).timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException(path + " answered " + response.statusCode());
        }
        return response.body();
    }

    private synchronized HttpClient clientOf(ClientTlsText tls) throws TlsException {
        for (Secured each : secured) {
            if (each.tls().equals(tls)) {
                secured.remove(each);
                secured.addFirst(each);
                return each.client();
            }
        }
        HttpClient made = builder()
                .sslContext(NodeTrust.ofTexts(
                        tls.certificate(),
                        tls.key(),
                        tls.ca(),
                        InstantSource.system().instant()))
                .build();
        secured.addFirst(new Secured(tls, made));
        if (secured.size() > MOST_CLIENTS) {
            // It ends when its requests have.
            secured.removeLast().client().shutdown();
        }
        return made;
    }

    @Override
    public synchronized void close() {
        plain.close();
        secured.forEach(each -> each.client().close());
    }
}
