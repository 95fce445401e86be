package dev.granary.tools.simulate;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** Runs whose options stand in a file, a line each. One JVM runs all of them: it compiles the code of clusters once. */
final class RunList {

    private final List<String> lines;

    private RunList(List<String> lines) {
        this.lines = lines;
    }

    /**
     * Reads a file.
     *
     * @throws UserException when it cannot be read, or has no run
     */
    static RunList read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UserException("cannot read " + file + ": " + e.getMessage(), e);
        }
        if (lines.isEmpty()) {
            throw new UserException("there is no run in " + file);
        }
        return new RunList(lines);
    }

    /**
     * Runs all of them one after the other, also when one fails.
     *
     * @param caller says what happens to exceptions
     * @return the exit code of the first one that failed, or 0
     * @throws CommandLine.ParameterException when a line cannot be understood; none has run then
     */
    int run(CommandLine caller) {
        lines.forEach(RunList::check);
        List<String> failed = new ArrayList<>();
        int code = 0;
        for (String line : lines) {
            System.out.println("--- simulate " + line);
            CommandLine command = new CommandLine(new SimulateCommand())
                    .setExecutionExceptionHandler(caller.getExecutionExceptionHandler());
            int ended = command.execute(words(line));
            if (ended != 0) {
                failed.add("FAILED (exit code " + ended + "): simulate " + line);
                code = code == 0 ? ended : code;
            }
        }
        System.out.printf("--- %d runs, %d failed%n", lines.size(), failed.size());
        failed.forEach(System.out::println);
        return code;
    }

    /** Refuses a mistake before an earlier line has run for minutes. */
    private static void check(String line) {
        SimulateCommand command = new SimulateCommand();
        new CommandLine(command).parseArgs(words(line));
        if (command.isList()) {
            throw new UserException("a run of a list is no list: " + line);
        }
    }

    private static String[] words(String line) {
        return line.split("\\s+");
    }
}
