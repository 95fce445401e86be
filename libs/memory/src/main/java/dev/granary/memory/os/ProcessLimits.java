package dev.granary.memory.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the operating system allows this process. */
final class ProcessLimits {

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LOCKED = "Max locked memory";

    private ProcessLimits() {}

    /** How much it may lock into RAM, in words: bytes, or "unlimited", or "unknown". */
    static String lockedMemory() {
        try {
            for (String line : Files.readAllLines(LIMITS)) {
                if (line.startsWith(LOCKED)) {
                    String soft = line.substring(LOCKED.length()).strip().split("\\s+", 2)[0];
                    return Character.isDigit(soft.charAt(0)) ? soft + " B" : soft;
                }
            }
        } catch (IOException e) {
            // Only an error message becomes less helpful.
            return "unknown";
        }
        return "unknown";
    }
}
