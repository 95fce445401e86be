package dev.granary.net.access;

import dev.granary.net.Connection;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Login;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The users of a node: who of those that have proved neither the cluster's secret nor a certificate may send what (ADR
 * 0348). It closes the connections of users that are no more. Thread-safe.
 */
public interface Users {

    /** Returns the rights of a connection that has greeted, and has not logged in. */
    UserRights anonymous(Connection connection);

    /** Compares the password of a login. Completes on any thread, and never with a failure. */
    CompletableFuture<Outcome> login(Connection connection, Login login);

    /** Learns that a connection has ended. */
    void left(Connection connection);

    /** What has become of a login: the rights of the user, or why there are none. */
    record Outcome(@Nullable UserRights rights, @Nullable ErrorReply refusal) {

        /** The password is right. */
        public static Outcome of(UserRights rights) {
            return new Outcome(rights, null);
        }

        /** The password is wrong, or could not be compared. */
        public static Outcome refused(ErrorReply why) {
            return new Outcome(null, why);
        }
    }
}
