package dev.granary.cli.base;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;

/** JSON in and out of the command line. */
public final class Json {

    private static final ObjectMapper COMPACT = new ObjectMapper();
    private static final ObjectMapper PRETTY = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {}

    /**
     * Parses a text.
     *
     * @param what for the message: where the text comes from
     * @throws UserException when it is no JSON
     */
    public static JsonNode parse(String what, String text) {
        try {
            return COMPACT.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UserException(what + " is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** One line. */
    public static String compact(Object value) {
        return write(COMPACT, value);
    }

    /** Indented, for files that people read. */
    public static String pretty(Object value) {
        return write(PRETTY, value);
    }

    private static String write(ObjectMapper mapper, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("cannot be written as JSON: " + value, e);
        }
    }
}
