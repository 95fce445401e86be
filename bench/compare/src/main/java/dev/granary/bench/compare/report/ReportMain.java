package dev.granary.bench.compare.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Makes a page and its plots. */
public final class ReportMain {

    private static final int FIRST_PLACE = 3;

    private ReportMain() {}

    /**
     * Makes the files and prints their names.
     *
     * @param arguments the directory of the page, the name of the page without its ending, a remark for its head (may
     *     be empty), and files or directories with results
     */
    public static void main(String[] arguments) throws IOException {
        System.setProperty("java.awt.headless", "true");
        Path directory = Path.of(arguments[0]);
        String name = arguments[1];
        List<Path> places = Arrays.stream(arguments, FIRST_PLACE, arguments.length)
                .map(Path::of)
                .toList();
        try {
            Measured measured = new Measured(Round.readAll(places));
            if (measured.stores().isEmpty()) {
                throw new IllegalArgumentException("there are no results of 'granary bench compare' in " + places);
            }
            Files.createDirectories(directory);
            new ReportPage(measured, name, arguments[2]).write(directory);
            System.out.println(directory.resolve(name + ".md"));
        } catch (IllegalArgumentException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }
}
