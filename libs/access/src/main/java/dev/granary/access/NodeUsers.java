package dev.granary.access;

import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.Connection;
import dev.granary.net.access.UserRights;
import dev.granary.net.access.Users;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.resp.acl.Denial;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The users of a node in the binary protocol (ADR 0348). They are those of its Redis door, where it has one. Each
 * second it closes the connections of users that are off or gone. Thread-safe.
 */
public final class NodeUsers implements Users, AutoCloseable {

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** As many as {@code acllog-max-len} of Redis. */
    private static final int LOG_ENTRIES = 128;

    private final Access access;
    private final Clock clock;
    private final RequestNeeds needs;
    private final Loop looks;

    /** Of connections that have logged in. */
    private final Map<Connection, ConnectionRights> loggedIn = new ConcurrentHashMap<>();

    /**
     * Users who are looked after from {@link #begin} on.
     *
     * @param access stays the caller's
     * @param nid of the node; known before clients create chunks
     */
    public NodeUsers(Access access, Clock clock, Scheduler scheduler, IntSupplier nid) {
        this.access = access;
        this.clock = clock;
        this.needs = new RequestNeeds(access.accounts().names(), nid);
        this.looks = Loop.every(scheduler, "user-connections", LOOK_NANOS, this::closeGone);
    }

    /** Begins to look after connections. */
    public void begin() {
        looks.begin();
    }

    RequestNeeds needs() {
        return needs;
    }

    @Override
    public UserRights anonymous(Connection connection) {
        return new ConnectionRights(this, connection, access.accounts().ofAll(), false);
    }

    @Override
    public CompletableFuture<Outcome> login(Connection connection, Login login) {
        String name = asBytes(login.user());
        return access.isRight(name, asBytes(login.password()))
                .handle((right, failure) -> outcome(connection, name, failure == null ? right : null));
    }

    /** @param right null when it could not be found out */
    private Outcome outcome(Connection connection, String name, @Nullable Boolean right) {
        if (right == null) {
            return Outcome.refused(
                    ErrorReply.retryLater(BUSY_NANOS, "too many clients log in at once; try again in a second"));
        }
        Account account = access.accounts().find(name);
        if (!right || account == null) {
            denied(connection, new Denial(Denial.Reason.AUTH, "LOGIN", 0), name);
            return Outcome.refused(
                    ErrorReply.of(
                            ErrorCode.NOT_AUTHENTICATED,
                            "there is no user '" + login(name)
                                    + "' that is on and has this password: correct ClientOptions.user"
                                    + " and ClientOptions.password, --user and --password-file of granary, or the file of users"));
        }
        ConnectionRights rights = new ConnectionRights(this, connection, account, true);
        loggedIn.put(connection, rights);
        if (!connection.isOpen()) {
            // Its end may have been told before.
            loggedIn.remove(connection);
        }
        return Outcome.of(rights);
    }

    /** Files of users have a character for each byte, and so have the texts that are read from them. */
    private static String asBytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static String login(String name) {
        return new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    @Override
    public void left(Connection connection) {
        loggedIn.remove(connection);
    }

    /** Notes that something was refused. */
    void denied(Connection connection, Denial denial, String user) {
        String address = connection.remoteAddress().toString();
        access.denied(
                new AclLog.Entry(
                        1, denial.reason(), "binary", denial.object(), user, clock.wallMillis(), "addr=" + address),
                address,
                LOG_ENTRIES);
    }

    private void closeGone() {
        loggedIn.forEach((connection, rights) -> {
            if (rights.isGone()) {
                connection.close();
            }
        });
    }

    @Override
    public void close() {
        looks.stop();
    }
}
