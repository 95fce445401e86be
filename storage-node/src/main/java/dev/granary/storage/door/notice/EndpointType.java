package dev.granary.storage.door.notice;

import dev.granary.overlay.HostAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a client wants to be told of the door to which it shall go: {@code moving-endpoint-type}. A door announces one
 * address (ADR 0264). Clients find by themselves, from the address that they dialled, whether they are inside or
 * outside; one that is outside is not sent to an address that means something inside only.
 */
public enum EndpointType {
    INTERNAL_IP(false),
    INTERNAL_FQDN(false),
    EXTERNAL_IP(true),
    EXTERNAL_FQDN(true),
    /** No address: the client connects again to the one that it knows. Also that of clients that name no type. */
    NONE(false);

    /** Loopback, link-local, private and shared addresses: RFC 1122, 3927, 1918 and 6598. */
    private static final Pattern INTERNAL_ADDRESS =
            Pattern.compile("(127|10)\\..*|169\\.254\\..*|192\\.168\\..*|172\\.(1[6-9]|2\\d|3[01])\\..*"
                    + "|100\\.(6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\..*");

    /** Names without a domain, and those of Kubernetes and of local networks. */
    private static final Pattern INTERNAL_NAME =
            Pattern.compile("[^.]+|.*\\.(svc|local|internal|localhost)", Pattern.CASE_INSENSITIVE);

    private final boolean outside;

    EndpointType(boolean outside) {
        this.outside = outside;
    }

    /** Returns the type with a name such as {@code internal-ip}, in any case; null if there is none. */
    public static @Nullable EndpointType find(String name) {
        for (EndpointType type : values()) {
            if (type.name().equals(name.toUpperCase(Locale.ROOT).replace('-', '_'))) {
                return type;
            }
        }
        return null;
    }

    /** Returns a door as clients of this type are told; null if they shall use the address that they know. */
    public @Nullable HostAddress seen(HostAddress door) {
        String host = door.host();
        // Clients read host:port, and take an address of IPv6 apart at its first colon.
        boolean unreadable = host.indexOf(':') >= 0;
        boolean unreachable = outside
                && (INTERNAL_ADDRESS.matcher(host).matches()
                        || INTERNAL_NAME.matcher(host).matches());
        return this == NONE || unreadable || unreachable ? null : door;
    }
}
