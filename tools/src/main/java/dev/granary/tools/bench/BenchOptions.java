package dev.granary.tools.bench;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What several commands that measure do with their options. */
final class BenchOptions {

    private static final double LEAST_SECONDS = 0.1;

    private BenchOptions() {}

    /** Opens the file of {@code --json}, which gets each line at once; null for none. */
    static @Nullable PrintWriter open(@Nullable Path file) {
        try {
            return file == null ? null : new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8), true);
        } catch (IOException e) {
            throw new UserException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** Refuses names of cases that there are not. */
    static void requireCases(CommandSpec spec, List<String> cases, List<String> known) {
        requireNames(spec, "--cases", cases, known);
    }

    /** Refuses an option that names something unknown. */
    static void requireNames(CommandSpec spec, String option, List<String> names, List<String> known) {
        for (String name : names) {
            if (!known.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(), option + " has '" + name + "'; there are " + String.join(", ", known));
            }
        }
    }

    /** Returns the milliseconds of {@code --seconds}; refuses less than a tenth of a second, and more than a most. */
    static long millis(CommandSpec spec, double seconds, int mostSeconds) {
        // As it is written so that what is no number is refused, too.
        if (!(seconds >= LEAST_SECONDS && seconds <= mostSeconds)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--seconds is " + seconds + "; allowed are " + LEAST_SECONDS + " to " + mostSeconds);
        }
        return Math.round(seconds * 1_000);
    }

    /** Refuses a number that is not from 1 to a most one. */
    static void requireRange(CommandSpec spec, String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new ParameterException(spec.commandLine(), option + " is " + value + "; allowed are 1 to " + most);
        }
    }
}
