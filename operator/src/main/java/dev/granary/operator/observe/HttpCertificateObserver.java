package dev.granary.operator.observe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.client.ClientTlsText;
import dev.granary.operator.certificate.Taken;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks by HTTP: {@code GET /tls}. */
public final class HttpCertificateObserver implements CertificateObserver, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpCertificateObserver.class);

    private final PageReader pages = new PageReader();
    private final ObjectMapper json = new ObjectMapper();

    /** Makes an observer. */
    public HttpCertificateObserver() {}

    @Override
    public Taken.Answer ask(String host, int port, @Nullable ClientTlsText tls) {
        HostAddress address = new HostAddress(host, port);
        try {
            return read(address.toString(), pages.read(host, port, "/tls", tls));
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("address", address).setCause(e).log("a process does not tell its certificates");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Taken.Answer(address.toString(), null, List.of());
    }

    @Override
    public void close() {
        pages.close();
    }

    private Taken.Answer read(String place, byte[] body) throws IOException {
        try {
            JsonNode page = json.readTree(body);
            JsonNode own = page.path("certificate");
            List<String> trusted = new ArrayList<>();
            page.path("authorities")
                    .forEach(authority -> trusted.add(authority.path("sha256").asText()));
            return new Taken.Answer(
                    place,
                    own.isObject()
                            ? new Taken.Shown(
                                    own.path("issuer").asText(),
                                    own.path("sha256").asText())
                            : null,
                    trusted);
        } catch (JsonProcessingException e) {
            throw new IOException("/tls is not JSON: " + e.getOriginalMessage(), e);
        }
    }
}
