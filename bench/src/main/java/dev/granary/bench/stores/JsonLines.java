package dev.granary.bench.stores;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Objects as lines of JSON. */
public final class JsonLines {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private JsonLines() {}

    /** An object as a line. */
    public static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The object of a line.
     *
     * @throws IllegalArgumentException when the line is no such object
     */
    public static <T> T read(String line, Class<T> type) {
        try {
            return MAPPER.readValue(line, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a " + type.getSimpleName() + ": " + line, e);
        }
    }
}
