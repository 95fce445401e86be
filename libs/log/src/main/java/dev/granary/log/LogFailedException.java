package dev.granary.log;

import java.io.IOException;

/** An earlier write or sync of a log failed: what is on the disk is unknown until the log is opened again. */
public final class LogFailedException extends IOException {

    /** Says which log failed and why. */
    public LogFailedException(String logName, Throwable cause) {
        super("log '" + logName + "' failed earlier and takes nothing more: " + cause.getMessage(), cause);
    }
}
