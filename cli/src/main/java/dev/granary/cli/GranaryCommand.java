package dev.granary.cli;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.base.VersionProvider;
import dev.granary.client.GranaryException;
import dev.granary.net.netty.FirstConnection;
import java.util.Arrays;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;

/**
 * The {@code granary} command. Exit codes: 0 success, 1 failure, 2 wrong usage. Its commands are in {@link Commands}: a
 * run that names one of them loads no other.
 */
@Command(
        name = "granary",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        description = "A cloud cache for billions of tiny objects.",
        footer = {
            "",
            "Start here: 'granary up' starts a cluster to play with.",
            "Tab completion: source <(granary generate-completion)",
        })
public final class GranaryCommand implements Runnable {

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(this), "Name a command.");
    }

    public static void main(String[] args) {
        CommandLogging.configure();
        if (args.length > 0 && Commands.CONNECTING.contains(args[0])) {
            Thread.ofPlatform().daemon().name("first-connection").start(GranaryCommand::readyConnection);
        }
        System.exit(execute(args));
    }

    /** Does a third of the work of a short command, which a second processor can do beside the command line. */
    private static void readyConnection() {
        var _ = Json.parse("a number", "0");
        FirstConnection.ready();
    }

    /** Runs a command line in this process and returns its exit code. */
    public static int execute(String... args) {
        String first = args.length == 0 ? "" : args[0];
        return commandLine(first)
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

    /** A command line with one command, or with all of them when the first argument names none. */
    private static CommandLine commandLine(String first) {
        CommandLine commandLine = new CommandLine(new GranaryCommand());
        if (Commands.NAMES.contains(first)) {
            return commandLine.addSubcommand(Commands.of(first));
        }
        Commands.NAMES.forEach(name -> commandLine.addSubcommand(Commands.of(name)));
        return withExtensions(commandLine
                .addSubcommand(AutoComplete.GenerateCompletion.class)
                .addSubcommand(CommandLine.HelpCommand.class));
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
