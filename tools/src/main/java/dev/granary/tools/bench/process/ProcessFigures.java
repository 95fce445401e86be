package dev.granary.tools.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What Linux counts for processes. */
public final class ProcessFigures {

    private static final long KIB = 1024;

    /** The unit of /proc/PID/stat, which is the same on all of Linux's architectures that Java 25 runs on. */
    private static final long NANOS_PER_TICK = TimeUnit.SECONDS.toNanos(1) / 100;

    /** Counted behind the name of the program, which may have blanks in it. */
    private static final int USER_TICKS = 11;

    private static final int SYSTEM_TICKS = 12;

    private ProcessFigures() {}

    /** Processor time of processes so far, in user mode and in the kernel. */
    public static long cpuNanos(List<Long> pids) throws IOException {
        long ticks = 0;
        for (long pid : pids) {
            ticks += ticks(Files.readString(Path.of("/proc", Long.toString(pid), "stat")));
        }
        return ticks * NANOS_PER_TICK;
    }

    /** The ticks in the text of /proc/PID/stat. */
    static long ticks(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
    }

    /** Bytes of processes in RAM. The counters in other files lag behind. */
    public static long residentBytes(List<Long> pids) throws IOException {
        long kib = 0;
        for (long pid : pids) {
            kib += Files.readAllLines(Path.of("/proc", Long.toString(pid), "smaps_rollup")).stream()
                    .filter(line -> line.startsWith("Rss:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum();
        }
        return kib * KIB;
    }
}
