package dev.granary.resp;

/**
 * The most that one client may send.
 *
 * @param arguments arguments of a request, its command's name included
 * @param argumentBytes bytes of one argument
 * @param requestBytes bytes of a whole request as it is sent: what one client can make the server hold for it
 * @param lineBytes bytes of an inline request, or of a line that says how many arguments or bytes follow
 * @param unauthenticatedArguments arguments of a request of a client that has yet to authenticate
 * @param unauthenticatedArgumentBytes bytes of one argument of such a client
 */
public record RequestLimits(
        int arguments,
        int argumentBytes,
        int requestBytes,
        int lineBytes,
        int unauthenticatedArguments,
        int unauthenticatedArgumentBytes) {

    /** As Redis has them, except for arguments of at most 16 MiB (Redis: 512 MiB) and requests of at most 64 MiB. */
    public static final RequestLimits DEFAULT = new RequestLimits(1 << 20, 16 << 20, 64 << 20, 64 << 10, 10, 16 << 10);

    /** Positions within a request are ints. */
    private static final int MOST_BYTES = 1 << 30;

    public RequestLimits {
        atLeast(1, arguments, "arguments");
        atLeast(1, argumentBytes, "argumentBytes");
        atLeast(1, requestBytes, "requestBytes");
        atLeast(1, lineBytes, "lineBytes");
        atLeast(1, unauthenticatedArguments, "unauthenticatedArguments");
        atLeast(1, unauthenticatedArgumentBytes, "unauthenticatedArgumentBytes");
        if (requestBytes > MOST_BYTES || lineBytes > requestBytes) {
            throw new IllegalArgumentException("requestBytes is " + requestBytes + " and lineBytes " + lineBytes
                    + "; requests have at most " + MOST_BYTES + " bytes, and lines are no longer than requests");
        }
    }

    private static void atLeast(int least, int value, String name) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is " + value + ", must be at least " + least);
        }
    }
}
