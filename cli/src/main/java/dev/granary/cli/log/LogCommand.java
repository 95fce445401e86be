package dev.granary.cli.log;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The group of commands that read backup logs. */
@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        description = {
            "Look into the backup logs that a storage peer keeps on its disk.",
            "Nothing in the directory is changed. Stop the peer first, or look at a copy: a log that is written to while it"
                    + " is read looks damaged.",
        },
        subcommands = {LogVerifyCommand.class, LogDumpCommand.class})
public final class LogCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Name what to do with the logs.");
    }
}
