package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.UserException;
import dev.granary.cli.command.NodePages;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pages of clusters whose HTTP ports have TLS ({@code spec.tls.http}). The API server can pass on requests, and shows
 * no certificate; so a port is forwarded, and the certificate that is for monitoring is shown (ADR 0359).
 */
final class ForwardedPages {

    private static final Pattern FORWARDING = Pattern.compile("Forwarding from 127\\.0\\.0\\.1:(\\d+) -> .*");

    private final Kubectl kubectl;

    /** By namespace and name, the Granarys that are known. A command reads many pages of few clusters. */
    private final Map<String, JsonNode> granaries = new ConcurrentHashMap<>();

    /** By namespace and name, how the pages of a cluster are read. */
    private final Map<String, NodePages> readers = new ConcurrentHashMap<>();

    ForwardedPages(Kubectl kubectl) {
        this.kubectl = kubectl;
    }

    /** Whether the HTTP ports of a Granary have TLS. */
    boolean areNeeded(String namespace, String cluster) {
        return granary(namespace, cluster).at("/spec/tls/http").asBoolean();
    }

    /** Whether a page of this cluster was read before, so that nobody has to ask the API server for it. */
    boolean areRead(String namespace, String cluster) {
        return readers.containsKey(nameOf(namespace, cluster));
    }

    private static String nameOf(String namespace, String cluster) {
        return namespace + "/" + cluster;
    }

    private JsonNode granary(String namespace, String cluster) {
        return granaries.computeIfAbsent(
                nameOf(namespace, cluster), name -> kubectl.get("granary", cluster, "--namespace=" + namespace));
    }

    /** Certificates are renewed, and TLS can be switched: what is known may be out of date. */
    private void forget(String namespace, String cluster) {
        granaries.remove(nameOf(namespace, cluster));
        readers.remove(nameOf(namespace, cluster));
    }

    /**
     * Returns a page.
     *
     * @param target a pod or a Service, such as {@code pod/social-storage-0}
     */
    String read(String namespace, String cluster, String target, int port, String path) {
        NodePages pages = readers.computeIfAbsent(nameOf(namespace, cluster), name -> pages(namespace, cluster));
        Process forwarding =
                kubectl.start("port-forward", "--namespace=" + namespace, "--address=127.0.0.1", target, ":" + port);
        try (BufferedReader said = forwarding.inputReader()) {
            String line = said.readLine();
            Matcher local = FORWARDING.matcher(line == null ? "" : line);
            if (!local.matches()) {
                throw new UserException("kubectl does not forward port " + port + " of " + target + ": "
                        + String.join(" ", forwarding.errorReader().lines().toList()));
            }
            return pages.read("127.0.0.1:" + local.group(1), path);
        } catch (IOException e) {
            forget(namespace, cluster);
            throw new UserException(path + " of " + target + " cannot be read: " + e.getMessage(), e);
        } finally {
            forwarding.destroy();
        }
    }

    private NodePages pages(String namespace, String cluster) {
        JsonNode others = granary(namespace, cluster).at("/spec/tls/secrets");
        String secret = others.isMissingNode()
                ? cluster + "-granary-tls-monitor"
                : others.path(others.has("monitor") ? "monitor" : "operator")
                        .path("name")
                        .asText();
        JsonNode data =
                kubectl.get("secret", secret, "--namespace=" + namespace).path("data");
        return NodePages.ofTexts(text(data, "tls.crt"), text(data, "tls.key"), text(data, "ca.crt"));
    }

    private static String text(JsonNode data, String key) {
        return new String(Base64.getDecoder().decode(data.path(key).asText()), StandardCharsets.ISO_8859_1);
    }
}
