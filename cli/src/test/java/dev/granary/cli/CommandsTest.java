package dev.granary.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class CommandsTest {

    static Iterable<String> names() {
        return Commands.NAMES;
    }

    @Test
    void names_areDifferent() {
        assertThat(new HashSet<>(Commands.NAMES)).hasSameSizeAs(Commands.NAMES);
    }

    @ParameterizedTest
    @MethodSource("names")
    void of_name_isTheClassWithThatName(String name) {
        assertThat(Commands.of(name).getAnnotation(Command.class).name()).isEqualTo(name);
    }

    @ParameterizedTest
    @MethodSource("names")
    void help_ofEachCommand_isGiven(String name) {
        CommandLine commandLine = new CommandLine(Commands.of(name));
        assertThat(commandLine.getUsageMessage()).contains("Usage: " + name);
        assertThat(GranaryCommand.execute(name, "--help")).isZero();
    }

    @Test
    void execute_unknownCommand_isWrongUsage() {
        assertThat(GranaryCommand.execute("statsu")).isEqualTo(CommandLine.ExitCode.USAGE);
    }
}
