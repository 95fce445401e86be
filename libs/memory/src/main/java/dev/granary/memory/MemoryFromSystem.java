package dev.granary.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the operating system says that a chunk memory takes, as {@code /proc/self/smaps} has it.
 *
 * @param reservedBytes of address space
 * @param residentBytes of RAM
 * @param hugePageBytes how much of that in huge pages
 * @param lockedBytes how much of it is locked
 * @param hugePagesAsked whether huge pages were asked for; without any, the kernel has or gives none
 *     ({@code /sys/kernel/mm/transparent_hugepage/enabled})
 */
public record MemoryFromSystem(
        long reservedBytes, long residentBytes, long hugePageBytes, long lockedBytes, boolean hugePagesAsked) {

    private static final Path MAPS = Path.of("/proc/self/smaps");

    public static MemoryFromSystem read(long base, long sizeBytes, long slackBytes, SystemMemoryConfig config) {
        try (BufferedReader lines = Files.newBufferedReader(MAPS)) {
            Sums sums = new Sums(base, base + sizeBytes + slackBytes);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                sums.read(line);
            }
            return new MemoryFromSystem(sizeBytes, sums.resident, sums.huge, sums.locked, config.hugePages());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + MAPS, e);
        }
    }

    /** Adds up the mappings that begin in a range. */
    private static final class Sums {

        private final long from;
        private final long to;
        private boolean ours;
        private long resident;
        private long huge;
        private long locked;

        Sums(long from, long to) {
            this.from = from;
            this.to = to;
        }

        void read(String line) {
            int colon = line.indexOf(':');
            int dash = line.indexOf('-');
            if (dash > 0 && Character.digit(line.charAt(0), 16) >= 0 && !Character.isUpperCase(line.charAt(0))) {
                long start = Long.parseUnsignedLong(line, 0, dash, 16);
                ours = start >= from && start < to;
            } else if (ours && colon > 0) {
                switch (line.substring(0, colon)) {
                    case "Rss" -> resident += bytes(line, colon);
                    case "AnonHugePages" -> huge += bytes(line, colon);
                    case "Locked" -> locked += bytes(line, colon);
                    default -> {
                        // Another figure.
                    }
                }
            }
        }

        private static long bytes(String line, int colon) {
            return Long.parseLong(line.substring(colon + 1, line.length() - " kB".length())
                            .strip())
                    << 10;
        }
    }
}
