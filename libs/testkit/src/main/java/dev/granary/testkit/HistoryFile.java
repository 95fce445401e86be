package dev.granary.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A history as lines of JSON (docs/formats/history.md), for a judge that shares no code with this one. Thread-safe;
 * the order of the lines says nothing.
 */
public final class HistoryFile implements AutoCloseable {

    static final String FORMAT = "granary-history";
    static final int VERSION = 2;

    @GuardedBy("out")
    private final Writer out;

    /**
     * Begins a history.
     *
     * @param out is closed with it
     * @param source what the history is of, for people
     */
    public HistoryFile(Writer out, String source) {
        this.out = out;
        write(HistoryLine.header(source));
    }

    /**
     * Begins a history in a new file; folders above it are made, a file that is there is overwritten.
     *
     * @param source what the history is of, for people
     */
    public static HistoryFile create(Path file, String source) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            BufferedWriter out = Files.newBufferedWriter(file);
            return new HistoryFile(out, source);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the history " + file, e);
        }
    }

    /** Adds a line. */
    public void write(HistoryLine line) {
        String text = line + "\n";
        try {
            synchronized (out) {
                out.write(text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a line of a history", e);
        }
    }

    @Override
    public void close() {
        try {
            synchronized (out) {
                out.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot end a history", e);
        }
    }
}
