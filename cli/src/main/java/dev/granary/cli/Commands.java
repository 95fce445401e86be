package dev.granary.cli;

import dev.granary.cli.command.BackupCommand;
import dev.granary.cli.command.CreateCommand;
import dev.granary.cli.command.DeleteCommand;
import dev.granary.cli.command.DownCommand;
import dev.granary.cli.command.DrainCommand;
import dev.granary.cli.command.GetCommand;
import dev.granary.cli.command.HibernateCommand;
import dev.granary.cli.command.LoadCommand;
import dev.granary.cli.command.LockCommand;
import dev.granary.cli.command.MigrateCommand;
import dev.granary.cli.command.NameCommand;
import dev.granary.cli.command.PasswordCommand;
import dev.granary.cli.command.PlanCommand;
import dev.granary.cli.command.PutCommand;
import dev.granary.cli.command.RecoverCommand;
import dev.granary.cli.command.RestoreCommand;
import dev.granary.cli.command.RingCommand;
import dev.granary.cli.command.SetCommand;
import dev.granary.cli.command.StatusCommand;
import dev.granary.cli.command.UnparkCommand;
import dev.granary.cli.command.UpCommand;
import dev.granary.cli.command.VerifyCommand;
import dev.granary.cli.doctor.DoctorCommand;
import dev.granary.cli.log.LogCommand;
import dev.granary.cli.top.TopCommand;
import java.util.List;
import java.util.Set;

/**
 * The commands of this jar. Each is loaded only when it is asked for: to load all of them takes longer than most of
 * them run.
 */
final class Commands {

    /** Their names, in the order in which the help shows them. */
    static final List<String> NAMES = List.of(
            "up",
            "down",
            "status",
            "top",
            "doctor",
            "create",
            "get",
            "put",
            "set",
            "delete",
            "name",
            "lock",
            "migrate",
            "drain",
            "plan",
            "recover",
            "hibernate",
            "unpark",
            "ring",
            "backup",
            "restore",
            "password",
            "load",
            "verify",
            "log");

    /** Those that do nothing but ask a cluster, and are over soon. */
    static final Set<String> CONNECTING =
            Set.of("status", "top", "doctor", "create", "get", "put", "set", "delete", "name", "lock", "plan", "ring");

    private Commands() {}

    /** The class of a command. */
    static Class<?> of(String name) {
        return switch (name) {
            case "up" -> UpCommand.class;
            case "down" -> DownCommand.class;
            case "status" -> StatusCommand.class;
            case "top" -> TopCommand.class;
            case "doctor" -> DoctorCommand.class;
            case "create" -> CreateCommand.class;
            case "get" -> GetCommand.class;
            case "put" -> PutCommand.class;
            case "set" -> SetCommand.class;
            case "delete" -> DeleteCommand.class;
            case "name" -> NameCommand.class;
            case "lock" -> LockCommand.class;
            case "migrate" -> MigrateCommand.class;
            case "drain" -> DrainCommand.class;
            case "password" -> PasswordCommand.class;
            case "plan" -> PlanCommand.class;
            case "recover" -> RecoverCommand.class;
            case "hibernate" -> HibernateCommand.class;
            case "unpark" -> UnparkCommand.class;
            case "ring" -> RingCommand.class;
            case "backup" -> BackupCommand.class;
            case "restore" -> RestoreCommand.class;
            case "load" -> LoadCommand.class;
            case "verify" -> VerifyCommand.class;
            case "log" -> LogCommand.class;
            default -> throw new IllegalArgumentException("no command is called " + name);
        };
    }
}
