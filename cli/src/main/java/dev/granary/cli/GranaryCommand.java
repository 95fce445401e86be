package dev.granary.cli;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.UserException;
import dev.granary.cli.base.VersionProvider;
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
import dev.granary.cli.command.PlanCommand;
import dev.granary.cli.command.PutCommand;
import dev.granary.cli.command.RecoverCommand;
import dev.granary.cli.command.RestoreCommand;
import dev.granary.cli.command.RingCommand;
import dev.granary.cli.command.StatusCommand;
import dev.granary.cli.command.UnparkCommand;
import dev.granary.cli.command.UpCommand;
import dev.granary.cli.command.VerifyCommand;
import dev.granary.cli.log.LogCommand;
import dev.granary.client.GranaryException;
import java.util.Arrays;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;

/** The {@code granary} command. Exit codes: 0 success, 1 failure, 2 wrong usage. */
@Command(
        name = "granary",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        description = "A cloud cache for billions of tiny objects.",
        footer = {
            "",
            "Start here: 'granary up' starts a cluster to play with.",
            "Tab completion: source <(granary generate-completion)",
        },
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            CreateCommand.class,
            GetCommand.class,
            PutCommand.class,
            DeleteCommand.class,
            NameCommand.class,
            LockCommand.class,
            MigrateCommand.class,
            DrainCommand.class,
            PlanCommand.class,
            RecoverCommand.class,
            HibernateCommand.class,
            UnparkCommand.class,
            RingCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            LoadCommand.class,
            VerifyCommand.class,
            LogCommand.class,
            AutoComplete.GenerateCompletion.class,
            CommandLine.HelpCommand.class,
        })
public final class GranaryCommand implements Runnable {

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(this), "Name a command.");
    }

    public static void main(String[] args) {
        CommandLogging.configure();
        System.exit(execute(args));
    }

    /** Runs a command line in this process and returns its exit code. */
    public static int execute(String... args) {
        return withExtensions(new CommandLine(new GranaryCommand()))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                    boolean expected = failure instanceof UserException || failure instanceof GranaryException;
                    if (expected) {
                        commandLine.getErr().println("granary: " + failure.getMessage());
                    } else {
                        failure.printStackTrace(commandLine.getErr());
                    }
                    commandLine.getErr().flush();
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(args);
    }

    private static CommandLine withExtensions(CommandLine commandLine) {
        UsageMessageSpec usage = commandLine.getCommandSpec().usageMessage();
        for (Extension extension : ServiceLoader.load(Extension.class)) {
            extension.commands().forEach(commandLine::addSubcommand);
            usage.footer(Stream.of(
                            Stream.of(""),
                            extension.hints().stream(),
                            Arrays.stream(usage.footer()).skip(1))
                    .flatMap(lines -> lines)
                    .toArray(String[]::new));
        }
        return commandLine;
    }
}
