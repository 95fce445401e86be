package dev.granary.access;

import dev.granary.env.Clock;
import dev.granary.net.access.PageReaders;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.Command;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * The users of a node as readers of its pages: those with the permission of {@code granary.status} whom a password has
 * proved (ADR 0359). Thread-safe.
 */
public final class PageUsers implements PageReaders {

    /** The permission of all pages. */
    private static final String PERMISSION = "granary.status";

    private static final int LOG_ENTRIES = 128;

    private final Access access;
    private final Clock clock;
    private final Command permission;

    /** @param access stays the caller's */
    public PageUsers(Access access, Clock clock) {
        this.access = access;
        this.clock = clock;
        this.permission = Objects.requireNonNull(access.accounts().names().find(PERMISSION), PERMISSION);
    }

    @Override
    public CompletableFuture<Outcome> mayRead(String user, String password, String page, SocketAddress client) {
        return access.isRight(user, password)
                .handle((right, failure) -> failure == null ? outcome(right, user, page, client) : Outcome.BUSY);
    }

    private Outcome outcome(boolean right, String name, String page, SocketAddress client) {
        Account account = access.accounts().find(name);
        if (!right || account == null) {
            denied(Denial.Reason.AUTH, page, name, client);
            return Outcome.WRONG;
        }
        User user = account.user();
        if (user.anyPassword() || lacks(user)) {
            denied(Denial.Reason.COMMAND, PERMISSION, name, client);
            return Outcome.DENIED;
        }
        return Outcome.YES;
    }

    private boolean lacks(User user) {
        return !user.isUnlimited() && user.check(permission) != null;
    }

    private void denied(Denial.Reason reason, String object, String user, SocketAddress client) {
        String address = client.toString();
        access.denied(
                new AclLog.Entry(1, reason, "http", object, user, clock.wallMillis(), "addr=" + address),
                address,
                LOG_ENTRIES);
    }
}
