package dev.granary.cli.base;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;

/** Reads and writes JSON for the command line. */
public final class Json {

    private static final ObjectMapper COMPACT = new ObjectMapper();
    private static final ObjectMapper PRETTY = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {}

    /**
     * Parses a text.
     *
     * @param what where the text comes from, for the message
     * @throws UserException when the text is not JSON
     */
    public static JsonNode parse(String what, String text) {
        try {
            return COMPACT.readTree(text);
        } catch (JsonProcessingException e) {
            throw new UserException(what + " is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** A value as a tree. */
    public static JsonNode tree(Object value) {
        return COMPACT.valueToTree(value);
    }

    /** Writes a value as one line of JSON. */
    public static String compact(Object value) {
        return write(COMPACT, value);
    }

    /** Writes a value as indented JSON, for files that people read. */
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
