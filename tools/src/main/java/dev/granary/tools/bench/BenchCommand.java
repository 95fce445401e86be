package dev.granary.tools.bench;

import dev.granary.tools.bench.operator.BenchOperatorCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The group of the benchmark commands. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = {
            "Measure a part of Granary on this machine.",
            "Absolute figures belong to the machine and the moment; compare figures of one run.",
        },
        subcommands = {
            BenchMemoryCommand.class,
            BenchMapCommand.class,
            BenchEvictionCommand.class,
            BenchOverlayCommand.class,
            BenchRecoveryCommand.class,
            BenchRedisCommand.class,
            BenchNetworkCommand.class,
            BenchCompareCommand.class,
            BenchReportCommand.class,
            BenchHostileCommand.class,
            BenchTlsCommand.class,
            BenchLocalityCommand.class,
            BenchMetricsCommand.class,
            BenchOperatorCommand.class
        })
public final class BenchCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Name what to measure.");
    }
}
