package dev.granary.cli.base;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads and writes JSON for the command line. */
public final class Json {

    private static final JsonFactory TEXTS = new JsonFactory();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Json() {}

    /** Loaded by the first text that is written: it takes a tenth of the time of a short command (ADR 0375). */
    private static final class Writers {
        static final ObjectMapper COMPACT = new ObjectMapper();
        static final ObjectMapper PRETTY = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    }

    /**
     * Parses a text.
     *
     * @param what where the text comes from, for the message
     * @throws UserException when the text is not JSON
     */
    public static JsonNode parse(String what, String text) {
        try (JsonParser parser = TEXTS.createParser(text)) {
            return parser.nextToken() == null ? MissingNode.getInstance() : tree(parser);
        } catch (JsonProcessingException e) {
            throw new UserException(what + " is not JSON: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory cannot be read", e);
        }
    }

    /** The value that begins at the parser's token. The parser limits how deep values lie in one another. */
    private static JsonNode tree(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT -> wholeNumber(parser);
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDoubleValue());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            default -> throw new IllegalStateException(parser.currentToken() + " begins no value");
        };
    }

    private static JsonNode object(JsonParser parser) throws IOException {
        ObjectNode object = NODES.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            object.set(name, tree(parser));
        }
        return object;
    }

    private static JsonNode array(JsonParser parser) throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(tree(parser));
        }
        return array;
    }

    private static JsonNode wholeNumber(JsonParser parser) throws IOException {
        return switch (parser.getNumberType()) {
            case INT -> NODES.numberNode(parser.getIntValue());
            case LONG -> NODES.numberNode(parser.getLongValue());
            default -> NODES.numberNode(parser.getBigIntegerValue());
        };
    }

    /** A value as a tree. */
    public static JsonNode tree(Object value) {
        return Writers.COMPACT.valueToTree(value);
    }

    /** Writes a value as one line of JSON. */
    public static String compact(Object value) {
        return write(Writers.COMPACT, value);
    }

    /** Writes a value as indented JSON, for files that people read. */
    public static String pretty(Object value) {
        return write(Writers.PRETTY, value);
    }

    private static String write(ObjectMapper mapper, Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("cannot be written as JSON: " + value, e);
        }
    }
}
