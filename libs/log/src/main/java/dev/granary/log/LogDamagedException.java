package dev.granary.log;

import java.io.IOException;

/** A file of a log does not hold what was once made durable in it. Nothing was changed. */
public final class LogDamagedException extends IOException {

    private final String file;
    private final long offset;

    /**
     * Says where the damage is.
     *
     * @param file the name of the file
     * @param offset the first byte of the part that is damaged
     * @param what what is wrong with it
     */
    public LogDamagedException(String file, long offset, String what) {
        super("log file '" + file + "' is damaged at offset " + offset + ": " + what);
        this.file = file;
        this.offset = offset;
    }

    /** The name of the damaged file. */
    public String file() {
        return file;
    }

    /** The first byte of the damaged part. */
    public long offset() {
        return offset;
    }
}
