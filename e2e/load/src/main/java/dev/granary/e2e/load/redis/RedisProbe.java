package dev.granary.e2e.load.redis;

import dev.granary.e2e.load.Certificates;
import java.io.IOException;
import java.util.Arrays;

/** One request on a connection of its own, for what a user may do and what not. Prints the reply or the error. */
public final class RedisProbe {

    private static final String NOBODY = "-";

    private RedisProbe() {}

    /**
     * Sends the request.
     *
     * @param arguments {@code tls} or {@code plain}, host and port, {@code user:password} or {@code -} for
     *     nobody, and the words of the request
     */
    public static void main(String[] arguments) {
        Access access = Access.of(
                arguments[0].equals("tls") ? Certificates.folder() : null,
                arguments[2].equals(NOBODY) ? null : arguments[2]);
        try (RespConnection connection = RespConnection.to(arguments[1], access)) {
            System.out.println("REPLY " + connection.call(Arrays.copyOfRange(arguments, 3, arguments.length)));
        } catch (IOException e) {
            System.out.println("ERROR " + e.getMessage());
        }
    }
}
