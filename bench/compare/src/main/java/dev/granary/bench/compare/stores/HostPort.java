package dev.granary.bench.compare.stores;

/** An address of a server. */
record HostPort(String host, int port) {

    /** Reads {@code host:port}. */
    static HostPort of(String text) {
        int colon = text.lastIndexOf(':');
        return new HostPort(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
