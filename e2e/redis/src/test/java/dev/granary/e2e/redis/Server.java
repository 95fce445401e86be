package dev.granary.e2e.redis;

import java.util.concurrent.ThreadLocalRandom;

/** The server that is tested. */
record Server(String host, int port) {

    /** Returns the server for programs that know no cluster. */
    static Server plain() {
        return of("granary.redis.plain");
    }

    /** Returns a node of the cluster. */
    static Server cluster() {
        return of("granary.redis.cluster");
    }

    private static Server of(String property) {
        String address = System.getProperty(property, "");
        int colon = address.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalStateException(
                    "no server is named by " + property + "; start these tests by e2e/redis/run");
        }
        return new Server(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }

    /** Returns what the keys of one test begin with, so that no two tests meet. */
    static String prefix(String client) {
        return "e2e:" + client + ":"
                + Long.toHexString(ThreadLocalRandom.current().nextLong()) + ":";
    }
}
