package dev.granary.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in which whoever started this process says in which failure zone it runs. That may be known only after the
 * process was started: Kubernetes chooses the node of a pod first, and then the operator looks up the zone of the node.
 */
final class ZoneFile {
    /** The content that says that there is no failure zone. */
    static final String NONE = "none";

    private static final Logger LOG = LoggerFactory.getLogger(ZoneFile.class);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,253}");
    private static final long STEP_MILLIS = 100;

    private ZoneFile() {}

    /**
     * Waits until the file has a content, and returns the failure zone; empty for none, and when the wait was in vain.
     *
     * @param patienceMillis how long it is waited for
     */
    static String read(Path file, long patienceMillis) {
        for (long left = patienceMillis; ; left -= STEP_MILLIS) {
            String content = content(file);
            if (!content.isEmpty()) {
                return content.equals(NONE) || !NAME.matcher(content).matches() ? "" : content;
            }
            if (left <= 0) {
                LOG.atInfo()
                        .addKeyValue("file", file)
                        .addKeyValue("waitedMillis", patienceMillis)
                        .log("nobody said in which failure zone this storage peer runs; it starts without one");
                return "";
            }
            try {
                Thread.sleep(STEP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return "";
            }
        }
    }

    private static String content(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            LOG.atDebug().addKeyValue("file", file).setCause(e).log("no failure zone can be read");
            return "";
        }
    }
}
