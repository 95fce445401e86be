package dev.granary.storage.door.command;

import dev.granary.access.Access;
import dev.granary.access.Account;
import dev.granary.access.Accounts;
import dev.granary.resp.Protocol;
import dev.granary.resp.acl.RuleException;
import dev.granary.resp.acl.Selector;
import dev.granary.resp.acl.User;
import dev.granary.resp.acl.UsersFile.UsersFileException;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorCounters.Closing;
import dev.granary.storage.door.state.DoorState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code ACL} about users. What it changes holds at this door, until its process ends or the file of users changes. */
public final class AclUserCommands {

    private static final String NO_FILE =
            "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL"
                    + " SETUSER command, at each storage peer, or name a file by users.file.";

    private AclUserCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put(
                "acl|whoami", call -> call.reply().bulk(call.client().account().name()));
        commands.put("acl|users", AclUserCommands::users);
        commands.put("acl|list", AclUserCommands::list);
        commands.put("acl|getuser", AclUserCommands::getUser);
        commands.put("acl|setuser", AclUserCommands::setUser);
        commands.put("acl|deluser", AclUserCommands::deleteUsers);
        commands.put("acl|load", AclUserCommands::load);
        commands.put("acl|save", AclUserCommands::save);
    }

    private static void users(LocalCall call) {
        List<User> users = call.door().access().accounts().users();
        call.reply().array(users.size());
        users.forEach(user -> call.reply().bulk(user.name()));
    }

    private static void list(LocalCall call) {
        List<User> users = call.door().access().accounts().users();
        call.reply().array(users.size());
        users.forEach(user -> call.reply().bulk("user " + user.name() + " " + user.text()));
    }

    private static void getUser(LocalCall call) {
        Account account = call.door().access().accounts().find(call.text(2));
        if (account == null) {
            call.reply().nothing();
            return;
        }
        User user = account.user();
        call.reply().map(6);
        call.reply().bulk("flags");
        strings(call, user.flags(), true);
        call.reply().bulk("passwords");
        strings(call, user.passwords(), false);
        selector(call, user.root());
        call.reply().bulk("selectors");
        call.reply().array(user.selectors().size());
        for (Selector each : user.selectors()) {
            call.reply().map(3);
            selector(call, each);
        }
    }

    private static void strings(LocalCall call, List<String> strings, boolean isSet) {
        if (isSet && call.client().protocol() == Protocol.RESP3) {
            call.reply().set(strings.size());
        } else {
            call.reply().array(strings.size());
        }
        strings.forEach(call.reply()::bulk);
    }

    private static void selector(LocalCall call, Selector selector) {
        call.reply().bulk("commands");
        call.reply().bulk(selector.commandText());
        call.reply().bulk("keys");
        call.reply().bulk(selector.keyText());
        call.reply().bulk("channels");
        call.reply().bulk(selector.channelText());
    }

    private static void setUser(LocalCall call) {
        String name = call.text(2);
        if (!User.isName(name)) {
            call.reply().error("ERR Usernames can't contain spaces or null characters");
            return;
        }
        List<String> rules = new ArrayList<>();
        for (int i = 3; i < call.count(); i++) {
            rules.add(call.text(i));
        }
        try {
            call.door().access().accounts().set(name, rules);
            call.ok();
        } catch (RuleException e) {
            call.reply().error("ERR " + e.getMessage());
        }
    }

    private static void deleteUsers(LocalCall call) {
        Accounts accounts = call.door().access().accounts();
        for (int i = 2; i < call.count(); i++) {
            if (call.text(i).equals(User.DEFAULT)) {
                call.reply().error("ERR The 'default' user cannot be removed");
                return;
            }
        }
        List<Account> deleted = new ArrayList<>();
        for (int i = 2; i < call.count(); i++) {
            Account account = accounts.remove(call.text(i));
            if (account != null) {
                deleted.add(account);
            }
        }
        call.reply().integer(deleted.size());
        close(call.door(), deleted, call.client());
    }

    /**
     * Closes the connections of accounts that are no more. Any thread, if nobody has asked for it.
     *
     * @param accounts that are gone
     * @param asker gets its reply before; null for nobody
     */
    public static void close(DoorState door, Collection<Account> accounts, @Nullable Client asker) {
        for (Client client : door.clients().all()) {
            if (client == asker && accounts.contains(client.account())) {
                client.link().closeAfterReply();
            } else if (accounts.contains(client.account())) {
                client.link().close(Closing.KILLED);
            }
        }
    }

    private static void load(LocalCall call) {
        Access access = call.door().access();
        if (access.file() == null) {
            call.reply().error(NO_FILE);
            return;
        }
        try {
            access.load(gone -> close(call.door(), gone, call.client()));
            call.ok();
        } catch (IOException e) {
            call.reply().error("ERR Error loading ACLs, opening file '" + access.file() + "': " + e.getMessage());
        } catch (UsersFileException e) {
            call.reply()
                    .error("ERR " + e.getMessage()
                            + ". WARNING: ACL errors detected, no change to the previously active ACL rules was"
                            + " performed");
        }
    }

    private static void save(LocalCall call) {
        Access access = call.door().access();
        call.reply()
                .error(
                        access.file() == null
                                ? NO_FILE
                                : "ERR Granary never writes the file of users, which all storage peers share: change '"
                                        + access.file() + "', on Kubernetes its Secret");
    }
}
