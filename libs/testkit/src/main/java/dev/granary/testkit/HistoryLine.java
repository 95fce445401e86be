package dev.granary.testkit;

import dev.granary.overlay.Cid;
import java.util.Collection;
import java.util.stream.Collectors;

/** One line of a history: an object of JSON without line breaks (docs/formats/history.md). Not thread-safe. */
public final class HistoryLine {

    private final StringBuilder json = new StringBuilder("{");

    private HistoryLine() {}

    /** A line of a type, without anything else yet. */
    public static HistoryLine of(String type) {
        return new HistoryLine().with("type", type);
    }

    /** The line that every history begins with. */
    static HistoryLine header(String source) {
        return of("history")
                .with("format", HistoryFile.FORMAT)
                .with("version", HistoryFile.VERSION)
                .with("source", source);
    }

    /** Adds a text. */
    public HistoryLine with(String field, String text) {
        name(field).append('"');
        text.chars().forEach(this::appendEscaped);
        json.append('"');
        return this;
    }

    /** Adds a number. */
    public HistoryLine with(String field, long number) {
        name(field).append(number);
        return this;
    }

    /** Adds a flag that is set. */
    public HistoryLine with(String field) {
        name(field).append(true);
        return this;
    }

    /** Adds an identifier of a chunk. */
    public HistoryLine withCid(String field, long cid) {
        return with(field, Cid.toHex(cid));
    }

    /** Adds identifiers of chunks. */
    public HistoryLine withCids(String field, Collection<Long> cids) {
        name(field)
                .append(cids.stream()
                        .map(cid -> '"' + Cid.toHex(cid) + '"')
                        .collect(Collectors.joining(",", "[", "]")));
        return this;
    }

    private StringBuilder name(String field) {
        return json.append(json.length() == 1 ? "\"" : ",\"").append(field).append("\":");
    }

    private void appendEscaped(int character) {
        if (character == '"' || character == '\\') {
            json.append('\\').append((char) character);
        } else if (character < ' ') {
            json.append("\\u%04x".formatted(character));
        } else {
            json.append((char) character);
        }
    }

    /** The whole line, without a line break. */
    @Override
    public String toString() {
        return json + "}";
    }
}
