package dev.granary.cli.keys;

import dev.granary.cli.base.UserException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys and values from text. The bytes between tabs, commas and ends of lines are taken as they are.
 *
 * <pre>
 *   TSV   key TAB value LF        the value ends with the line, and may have tabs
 *   CSV   key,value LF            "a field in quotes may have , LF and """
 * </pre>
 *
 * Lines may end with CR LF; empty lines are skipped, and so is a byte order mark.
 */
public final class KeyLines {

    /** How keys and values stand in a text. */
    public enum Format {
        TSV,
        CSV
    }

    private static final int END = -1;
    private static final int[] BYTE_ORDER_MARK = {0xEF, 0xBB, 0xBF};

    /** More than a key and a value may have together, so that a file of another kind ends with an error. */
    private static final int MAX_FIELD_BYTES = 16 << 20;

    private final InputStream in;
    private final Format format;
    private final String name;
    private final ByteArrayOutputStream field = new ByteArrayOutputStream();
    private long line = 1;
    private long bytes;

    /** @param name of the text, for messages */
    public KeyLines(InputStream in, Format format, String name) throws IOException {
        this.in = new BufferedInputStream(in, 1 << 16);
        this.format = format;
        this.name = name;
        skipByteOrderMark();
    }

    private void skipByteOrderMark() throws IOException {
        in.mark(BYTE_ORDER_MARK.length);
        for (int expected : BYTE_ORDER_MARK) {
            if (in.read() != expected) {
                in.reset();
                return;
            }
        }
    }

    /** Returns how many bytes have been read. */
    public long bytes() {
        return bytes;
    }

    /** Skips the first line, which names the columns. */
    public void skipHeader() throws IOException {
        var _ = fields();
    }

    /**
     * Returns the next key with its value; null at the end.
     *
     * @throws UserException when a line has no key and value
     */
    @Nullable
    KeyValue next() throws IOException {
        while (true) {
            long first = line;
            List<byte[]> fields = fields();
            if (fields == null) {
                return null;
            }
            if (fields.size() == 1 && fields.getFirst().length == 0) {
                continue;
            }
            if (fields.size() != 2) {
                throw problem(
                        first,
                        format == Format.TSV
                                ? "has no tab between key and value"
                                : "has " + fields.size() + " fields; a key and a value are expected");
            }
            return new KeyValue(fields.getFirst(), fields.getLast());
        }
    }

    private int read() throws IOException {
        int next = in.read();
        bytes += next == END ? 0 : 1;
        return next;
    }

    /** Reads the fields of a line, or null at the end. */
    private @Nullable List<byte[]> fields() throws IOException {
        int next = read();
        if (next == END) {
            return null;
        }
        List<byte[]> fields = new ArrayList<>(2);
        int between = format == Format.TSV ? '\t' : ',';
        boolean inQuotes = false;
        while (true) {
            if (next == '"' && format == Format.CSV && field.size() == 0) {
                inQuotes = true;
                next = quoted();
                if (next != between && next != '\n' && next != END) {
                    throw problem(line, "has text behind a field in quotes");
                }
            } else if (next == END || next == '\n') {
                line++;
                fields.add(inQuotes ? take() : withoutCarriageReturn(take()));
                return fields;
            } else if (next == between && (format == Format.CSV || fields.isEmpty())) {
                fields.add(take());
                inQuotes = false;
                next = read();
            } else {
                append(next);
                next = read();
            }
        }
    }

    /** Reads what is left of a field in quotes. Returns the byte behind it, without the CR of a CR LF. */
    private int quoted() throws IOException {
        long first = line;
        while (true) {
            int next = read();
            if (next == END) {
                throw problem(first, "has a field whose quotes do not end");
            }
            if (next == '"') {
                next = read();
                if (next != '"') {
                    return next == '\r' ? read() : next;
                }
            }
            line += next == '\n' ? 1 : 0;
            append(next);
        }
    }

    private void append(int next) {
        field.write(next);
        if (field.size() > MAX_FIELD_BYTES) {
            throw problem(line, "is longer than a key and a value may be");
        }
    }

    private byte[] take() {
        byte[] taken = field.toByteArray();
        field.reset();
        return taken;
    }

    private static byte[] withoutCarriageReturn(byte[] taken) {
        boolean has = taken.length > 0 && taken[taken.length - 1] == '\r';
        return has ? Arrays.copyOf(taken, taken.length - 1) : taken;
    }

    private UserException problem(long where, String what) {
        return new UserException("line " + where + " of " + name + " " + what);
    }
}
