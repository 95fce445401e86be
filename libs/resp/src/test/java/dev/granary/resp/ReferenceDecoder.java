package dev.granary.resp;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules of the protocol once more, on a whole text and without a care for speed. */
final class ReferenceDecoder {

    /** A token of an inline request: what is outside of quotes, then perhaps one part in quotes that ends it. */
    private static final Pattern TOKEN = Pattern.compile(
            "[ \\t-\\r]*+([^ \\t\\n\\r\"']*+)(?:\"((?:\\\\.|[^\"\\\\])*+)\"(?=[ \\t-\\r]|$)"
                    + "|'((?:\\\\'|[^'])*+)'(?=[ \\t-\\r]|$)|(?=[ \\t\\n\\r]|$))",
            Pattern.DOTALL);

    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:x([0-9a-fA-F]{2})|(.))", Pattern.DOTALL);

    private static final Pattern NUMBER = Pattern.compile("0|-?[1-9][0-9]*");

    private final String text;
    private final RequestLimits limits;
    private final boolean authenticated;
    private final List<String> seen = new ArrayList<>();
    private int at;

    private ReferenceDecoder(byte[] bytes, RequestLimits limits, boolean authenticated) {
        text = new String(bytes, StandardCharsets.ISO_8859_1);
        this.limits = limits;
        this.authenticated = authenticated;
    }

    static List<String> of(byte[] bytes, RequestLimits limits, boolean authenticated) {
        ReferenceDecoder decoder = new ReferenceDecoder(bytes, limits, authenticated);
        try {
            while (decoder.at < decoder.text.length()) {
                List<String> request = decoder.text.charAt(decoder.at) == '*' ? decoder.array() : decoder.inline();
                if (!request.isEmpty()) {
                    decoder.seen.add(request.toString());
                }
            }
        } catch (Ended ended) {
            if (ended.getMessage() != null) {
                decoder.seen.add("-ERR Protocol error: " + ended.getMessage());
            }
        }
        return decoder.seen;
    }

    /** The text ends within a request, or the request is refused with a message. */
    private static final class Ended extends Exception {
        Ended() {}

        Ended(String message) {
            super(message);
        }
    }

    private List<String> inline() throws Ended {
        String line = line('\n', "too big inline request");
        at += line.length() + 1;
        line = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
        List<String> arguments = new ArrayList<>();
        Matcher token = TOKEN.matcher(line);
        int from = 0;
        while (!line.substring(from).chars().allMatch(letter -> letter == ' ' || (letter >= '\t' && letter <= '\r'))) {
            if (!token.find(from) || token.start() != from) {
                throw new Ended("unbalanced quotes in request");
            }
            String argument = token.group(1);
            if (token.group(2) != null) {
                argument += ESCAPE.matcher(token.group(2))
                        .replaceAll(match -> Matcher.quoteReplacement(unescaped(match.group(1), match.group(2))));
            } else if (token.group(3) != null) {
                argument += token.group(3).replace("\\'", "'");
            }
            arguments.add(argument);
            from = token.end();
        }
        return arguments;
    }

    private static String unescaped(@Nullable String hex, String letter) {
        if (hex != null) {
            return String.valueOf((char) Integer.parseInt(hex, 16));
        }
        int special = "nrtba".indexOf(letter);
        return special < 0 ? letter : "\n\r\t\b\u0007".substring(special, special + 1);
    }

    private List<String> array() throws Ended {
        int start = at;
        long count = number("too big mbulk count string");
        if (count > limits.arguments()) {
            throw new Ended("invalid multibulk length");
        }
        if (count > limits.unauthenticatedArguments() && !authenticated) {
            throw new Ended("unauthenticated multibulk length");
        }
        List<String> arguments = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            int type = at;
            long length = number("too big bulk count string");
            if (text.charAt(type) != '$') {
                throw new Ended("expected '$', got '" + text.charAt(type) + "'");
            }
            if (length < 0 || length > limits.argumentBytes()) {
                throw new Ended("invalid bulk length");
            }
            if (length > limits.unauthenticatedArgumentBytes() && !authenticated) {
                throw new Ended("unauthenticated bulk length");
            }
            if (at - start + length + 2 > limits.requestBytes()) {
                throw new Ended("too big request, more than " + limits.requestBytes() + " bytes");
            }
            if (text.length() - at < length + 2) {
                throw new Ended();
            }
            arguments.add(text.substring(at, at + (int) length));
            at += (int) length + 2;
        }
        return arguments;
    }

    private long number(String tooLong) throws Ended {
        String line = line('\r', tooLong);
        if (at + line.length() + 1 >= text.length()) {
            throw new Ended();
        }
        at += line.length() + 2;
        String digits = line.isEmpty() ? "" : line.substring(1);
        try {
            return NUMBER.matcher(digits).matches() ? Long.parseLong(digits) : Long.MAX_VALUE;
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    private String line(char end, String tooLong) throws Ended {
        int zero = text.indexOf(0, at);
        int found = text.indexOf(end, at);
        if (found >= 0 && (zero < 0 || zero > found) && found - at <= limits.lineBytes()) {
            return text.substring(at, found);
        }
        throw text.length() - at > limits.lineBytes() ? new Ended(tooLong) : new Ended();
    }
}
