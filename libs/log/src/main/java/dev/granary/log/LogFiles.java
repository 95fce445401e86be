package dev.granary.log;

import dev.granary.env.Disk;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a log's files: {@code <log>-<sequence>.log} and {@code <log>-<sequence>.snapshot}, the sequence in 16
 * hexadecimal digits; the first one of a log file, the last one that a snapshot covers. {@code <log>.deleted} says that
 * none of them counts any more.
 */
final class LogFiles {

    private static final Pattern LOG_NAME = Pattern.compile("[a-z][a-z0-9_-]{0,63}");
    private static final String LOG_SUFFIX = ".log";
    private static final String SNAPSHOT_SUFFIX = ".snapshot";

    private final String logName;
    private final NavigableSet<Long> logs = new TreeSet<>();
    private final NavigableSet<Long> snapshots = new TreeSet<>();

    private LogFiles(String logName) {
        this.logName = logName;
    }

    /** The files that are on the disk. */
    static LogFiles list(Disk disk, String logName) throws IOException {
        if (!LOG_NAME.matcher(logName).matches()) {
            throw new IllegalArgumentException(
                    "log name '" + logName + "': lower-case letters, digits, - and _ are allowed, at most 64");
        }
        LogFiles files = new LogFiles(logName);
        Pattern names = Pattern.compile(Pattern.quote(logName) + "-([0-9a-f]{16})(\\.log|\\.snapshot)");
        for (String name : disk.list()) {
            Matcher matcher = names.matcher(name);
            if (matcher.matches()) {
                long sequence = Long.parseUnsignedLong(matcher.group(1), 16);
                (matcher.group(2).equals(LOG_SUFFIX) ? files.logs : files.snapshots).add(sequence);
            }
        }
        return files;
    }

    /** The file that says that the log is being deleted. */
    static String deletionMark(String logName) {
        return logName + ".deleted";
    }

    /** First sequences of the log files. */
    NavigableSet<Long> logs() {
        return logs;
    }

    /** Last sequences of the snapshots. */
    NavigableSet<Long> snapshots() {
        return snapshots;
    }

    String logFile(long firstSequence) {
        return logName + "-" + hex(firstSequence) + LOG_SUFFIX;
    }

    String snapshotFile(long lastSequence) {
        return logName + "-" + hex(lastSequence) + SNAPSHOT_SUFFIX;
    }

    private static String hex(long sequence) {
        String digits = Long.toHexString(sequence);
        return "0".repeat(16 - digits.length()) + digits;
    }
}
