package dev.granary.access;

import dev.granary.net.Connection;
import dev.granary.net.access.UserRights;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.User;
import dev.granary.resp.command.Command;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What the user of one connection of the binary protocol may do, as it is at the moment of each request. Of the
 * connection's I/O thread, except {@link #isGone}.
 */
final class ConnectionRights implements UserRights {

    private static final String HOW =
            ": set ClientOptions.user and ClientOptions.password, or --user and --password-file of granary";

    private final NodeUsers users;
    private final Connection connection;
    private final Account account;
    private final boolean loggedIn;
    private final boolean proved;

    /** @param loggedIn false for the user that everybody is first */
    ConnectionRights(NodeUsers users, Connection connection, Account account, boolean loggedIn) {
        this.users = users;
        this.connection = connection;
        this.account = account;
        this.loggedIn = loggedIn;
        this.proved = loggedIn && !account.user().anyPassword();
    }

    @Override
    public @Nullable ErrorReply refusal(int type, ByteBuf payload) {
        User user = account.user();
        if (loggedIn ? !user.enabled() : !account.isOpen()) {
            return ErrorReply.of(
                    ErrorCode.NOT_AUTHENTICATED,
                    loggedIn ? "the user '" + user.name() + "' is off, or is no more" + HOW : "there is no user" + HOW);
        }
        RequestNeeds needs = users.needs();
        Denial denial = user.isUnlimited() ? null : needs.check(user, type, payload);
        if (denial != null) {
            users.denied(connection, denial, user.name());
            if (type == MessageType.CREATE && needs.allowsToCreateElsewhere(user)) {
                return ErrorReply.of(ErrorCode.OTHER_CREATOR, otherCreator(user.name(), denial.object()));
            }
            return ErrorReply.of(ErrorCode.NOT_PERMITTED, message(user.name(), denial));
        }
        Command administrates = needs.administrates(type);
        if (administrates != null) {
            Access.administrated(user.name(), connection.remoteAddress().toString(), administrates.name());
        }
        return null;
    }

    private static String message(String user, Denial denial) {
        boolean isCommand = denial.reason() == Denial.Reason.COMMAND;
        boolean isChunk = denial.object().startsWith("^");
        return "the user '" + user + "' has no permission "
                + (isCommand ? "for '" : isChunk ? "for the chunks '" : "for the key '") + denial.object()
                + "'; its rules are in the file of users";
    }

    private static String otherCreator(String user, String chunks) {
        return "the user '" + user
                + "' may create chunks on other storage peers, and not on this one: create them there,"
                + " or give it the permission for '" + chunks + "' in the file of users";
    }

    @Override
    public boolean mayAdminister() {
        return proved;
    }

    /** Returns whether the user has logged in, and is no more or off. Any thread. */
    boolean isGone() {
        return loggedIn && !account.user().enabled();
    }
}
