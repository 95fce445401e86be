package dev.granary.overlay;

import dev.granary.schema.U16;

/**
 * Where a node listens. Never an identity: a node keeps its NID when its address changes (SAFETY rule "bootstrap and
 * restart").
 *
 * @param host a DNS name, an IPv4 address, or an IPv6 address without brackets; at most 253 characters
 * @param port 0..65535; 0 ("any free port") makes sense only where a process is told to listen
 */
public record HostAddress(String host, @U16 int port) {

    private static final int MAX_HOST_CHARS = 253;
    private static final int MAX_PORT = 65535;

    /** Checks the two parts. */
    public HostAddress {
        checkHost(host);
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("port " + port + " of host '" + host + "' is not in 0.." + MAX_PORT);
        }
    }

    /**
     * Reads {@code host:port} or {@code [IPv6 address]:port}.
     *
     * @throws IllegalArgumentException saying what is wrong with the text; port 0 is refused, as it cannot be reached
     */
    public static HostAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("address '" + text + "' has no port; write host:port");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
            if (host.indexOf(':') < 0) {
                throw new IllegalArgumentException(
                        "address '" + text + "' has brackets around what is no IPv6 address");
            }
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    "address '" + text + "' has several colons; write an IPv6 address as [address]:port");
        }
        HostAddress address = new HostAddress(host, parsePort(text, text.substring(colon + 1)));
        if (address.port == 0) {
            throw new IllegalArgumentException("address '" + text + "' has port 0; 1.." + MAX_PORT + " are allowed");
        }
        return address;
    }

    private static int parsePort(String text, String digits) {
        boolean numeric = !digits.isEmpty() && digits.length() <= 5;
        for (int i = 0; i < digits.length(); i++) {
            numeric &= digits.charAt(i) >= '0' && digits.charAt(i) <= '9';
        }
        if (!numeric) {
            throw new IllegalArgumentException(
                    "address '" + text + "' has the port '" + digits + "'; 1.." + MAX_PORT + " are allowed");
        }
        return Integer.parseInt(digits);
    }

    private static void checkHost(String host) {
        if (host.isEmpty() || host.length() > MAX_HOST_CHARS) {
            throw new IllegalArgumentException("host '" + host + "' has " + host.length() + " characters; 1 to "
                    + MAX_HOST_CHARS + " are allowed");
        }
        boolean ipv6 = host.indexOf(':') >= 0;
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean nameChar = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            boolean ok = nameChar || c == '.' || c == '-' || c == '_' || (ipv6 && (c == ':' || c == '%'));
            if (!ok) {
                throw new IllegalArgumentException("host '" + host + "' has the character '" + c
                        + "', which is allowed in no host name or IP address");
            }
        }
    }

    /** {@code host:port}, an IPv6 address in brackets: what {@link #parse} reads. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
