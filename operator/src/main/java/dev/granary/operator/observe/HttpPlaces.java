package dev.granary.operator.observe;

import dev.granary.client.ClientTlsText;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where processes answer by HTTP. Immutable.
 *
 * @param hosts addresses of pods, without ports
 * @param secured those whose HTTP ports have TLS
 * @param tls with what the operator proves itself there; {@code null} when it is not known
 */
public record HttpPlaces(
        List<String> hosts, Set<String> secured, @Nullable ClientTlsText tls) {
    /** Copies the addresses. */
    public HttpPlaces {
        hosts = List.copyOf(hosts);
        secured = Set.copyOf(secured);
    }

    /** Returns processes whose HTTP ports have no TLS. */
    public static HttpPlaces plain(List<String> hosts) {
        return new HttpPlaces(hosts, Set.of(), null);
    }

    /** Says where they are, and no key. */
    @Override
    public String toString() {
        return hosts.toString();
    }
}
