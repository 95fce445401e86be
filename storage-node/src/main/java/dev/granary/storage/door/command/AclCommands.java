package dev.granary.storage.door.command;

import dev.granary.access.Account;
import dev.granary.access.AclLog;
import dev.granary.resp.acl.Denial;
import dev.granary.resp.acl.RuleNames;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandErrors;
import dev.granary.resp.command.CommandTable;
import dev.granary.resp.command.KeyPositions;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code ACL} about rules, what is refused, and new passwords. */
final class AclCommands {

    private static final int DEFAULT_BITS = 256;
    private static final int MOST_BITS = 4096;
    private static final int BITS_OF_DIGIT = 4;
    private static final int DEFAULT_LOG_ENTRIES = 10;
    private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

    private AclCommands() {}

    static void addTo(Map<String, LocalCommand> commands) {
        commands.put("acl|cat", AclCommands::categories);
        commands.put("acl|genpass", AclCommands::newPassword);
        commands.put("acl|dryrun", AclCommands::dryRun);
        commands.put("acl|log", AclCommands::log);
        commands.put("acl|help", AclCommands::help);
    }

    private static void categories(LocalCall call) {
        if (call.count() == 2) {
            call.reply().array(RuleNames.CATEGORIES.size());
            RuleNames.CATEGORIES.forEach(call.reply()::bulk);
            return;
        }
        if (call.count() > 3) {
            call.reply().error("ERR unknown subcommand or wrong number of arguments for 'CAT'. Try ACL HELP.");
            return;
        }
        String category = call.text(2).toLowerCase(Locale.ROOT);
        if (!RuleNames.CATEGORIES.contains(category)) {
            call.reply().error("ERR Unknown category '" + call.text(2) + "'");
            return;
        }
        List<String> names = call.door().table().commands().stream()
                .flatMap(command -> Stream.concat(Stream.of(command), command.subcommands().stream()))
                .filter(command -> command.categories().contains(category))
                .map(Command::name)
                .toList();
        call.reply().array(names.size());
        names.forEach(call.reply()::bulk);
    }

    private static void newPassword(LocalCall call) {
        long bits = call.count() == 2 ? DEFAULT_BITS : call.request().number(2, Long.MIN_VALUE);
        if (bits == Long.MIN_VALUE) {
            call.reply().error(LocalCall.NOT_AN_INTEGER);
        } else if (bits < 1 || bits > MOST_BITS) {
            call.reply()
                    .error("ERR ACL GENPASS argument must be the number of bits for the output password, a positive"
                            + " number up to " + MOST_BITS);
        } else {
            int digits = (int) (bits + BITS_OF_DIGIT - 1) / BITS_OF_DIGIT;
            byte[] random = new byte[(digits + 1) / 2];
            call.door().access().random().nextBytes(random);
            call.reply().bulk(HexFormat.of().formatHex(random).substring(0, digits));
        }
    }

    private static void dryRun(LocalCall call) {
        Account account = call.door().access().accounts().find(call.text(2));
        if (account == null) {
            call.reply().error("ERR User '" + call.text(2) + "' not found");
            return;
        }
        CommandTable table = call.door().table();
        Command command = table.find(call.request(), 3);
        if (command == null) {
            call.reply().error("ERR Command '" + call.text(3) + "' not found");
        } else if (!command.takes(call.count() - 3)) {
            call.reply().error(CommandErrors.wrongArity(command));
        } else {
            Denial denial = account.user().check(command, call.request(), 3, new KeyPositions());
            if (denial == null) {
                call.ok();
            } else {
                call.reply().bulk(denial.answer());
            }
        }
    }

    private static void log(LocalCall call) {
        AclLog log = call.door().access().log();
        if (call.count() == 3 && call.is(2, "reset")) {
            log.clear();
            call.ok();
            return;
        }
        long most = call.count() == 2 ? DEFAULT_LOG_ENTRIES : call.request().number(2, Long.MIN_VALUE);
        if (most == Long.MIN_VALUE) {
            call.reply().error(LocalCall.NOT_AN_INTEGER);
            return;
        }
        List<AclLog.Entry> entries = log.newest(most);
        long now = call.door().clock().wallMillis();
        call.reply().array(entries.size());
        for (AclLog.Entry entry : entries) {
            call.reply().map(7);
            call.reply().bulk("count");
            call.reply().integer(entry.count());
            call.reply().bulk("reason");
            call.reply().bulk(entry.reason().word());
            call.reply().bulk("context");
            call.reply().bulk(entry.context());
            call.reply().bulk("object");
            call.reply().bulk(entry.object());
            call.reply().bulk("username");
            call.reply().bulk(entry.user());
            call.reply().bulk("age-seconds");
            call.reply().real(Math.max(0, now - entry.wallMillis()) / MILLIS_PER_SECOND);
            call.reply().bulk("client-info");
            call.reply().bulk(entry.client());
        }
    }

    private static void help(LocalCall call) {
        call.help("""
                CAT [<category>]
                    List all commands that belong to <category>, or all command categories
                    when no category is specified.
                DELUSER <username> [<username> ...]
                    Delete a list of users.
                DRYRUN <username> <command> [<arg> ...]
                    Returns whether the user can execute the given command without executing the command.
                GETUSER <username>
                    Get the user's details.
                GENPASS [<bits>]
                    Generate a secure 256-bit user password. The optional `bits` argument can
                    be used to specify a different size.
                LIST
                    Show users details in config file format.
                LOAD
                    Reload users from the file of users.
                LOG [<count> | RESET]
                    Show the ACL log entries.
                SAVE
                    Refused: Granary never writes the file of users.
                SETUSER <username> <attribute> [<attribute> ...]
                    Create or modify a user with the specified attributes, at this storage peer.
                USERS
                    List all the registered usernames.
                WHOAMI
                    Return the current connection username.""");
    }
}
