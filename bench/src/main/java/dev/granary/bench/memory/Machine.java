package dev.granary.bench.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux reports about this machine and this process. */
public final class Machine {

    private static final long KIB = 1024;
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private Machine() {}

    /** The exact bytes of this process in RAM; the counters in other files lag behind. */
    public static long residentBytes() {
        return kib("/proc/self/smaps_rollup", "Rss:") * KIB;
    }

    /** The bytes of this process in huge pages. */
    static long hugePageBytes() {
        return kib("/proc/self/smaps_rollup", "AnonHugePages:") * KIB;
    }

    /**
     * Bytes of RAM that processes can still take without swapping, within the limit of a control group if there is one.
     */
    public static long availableBytes() {
        long machine = kib("/proc/meminfo", "MemAvailable:") * KIB;
        return Math.min(machine, Math.min(room("memory.max", "memory.current"), legacyRoom()));
    }

    private static long room(String limit, String used) {
        Path directory = Path.of("/sys/fs/cgroup");
        return room(directory.resolve(limit), directory.resolve(used));
    }

    private static long legacyRoom() {
        Path directory = Path.of("/sys/fs/cgroup/memory");
        return room(directory.resolve("memory.limit_in_bytes"), directory.resolve("memory.usage_in_bytes"));
    }

    private static long room(Path limit, Path used) {
        try {
            return Math.max(
                    0,
                    Long.parseLong(Files.readString(limit).strip())
                            - Long.parseLong(Files.readString(used).strip()));
        } catch (IOException | NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    /** One line for the head of a report. */
    public static String description() {
        return String.format(
                "%s, %d cores, %.1f GiB RAM, Java %s, load %s",
                processor(),
                CORES,
                kib("/proc/meminfo", "MemTotal:") / (double) (1 << 20),
                Runtime.version(),
                read("/proc/loadavg").strip());
    }

    private static String processor() {
        return read("/proc/cpuinfo")
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 2))
                .findFirst()
                .orElse("unknown processor");
    }

    private static long kib(String file, String key) {
        return read(file)
                .lines()
                .filter(line -> line.startsWith(key))
                .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0L);
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read; benchmarks of memory need Linux", e);
        }
    }
}
