package dev.granary.process;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * An answer of a page. Neither headers nor body change afterwards.
 *
 * @param code the HTTP status
 * @param headers with {@code Content-Type} among them if there is a body
 * @param body empty for none; not sent to a HEAD
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record HttpAnswer(int code, Map<String, String> headers, byte[] body) {

    private static final String TEXT = "text/plain; charset=utf-8";

    public HttpAnswer {
        headers = Map.copyOf(headers);
    }

    /** An answer in words, for people. */
    public static HttpAnswer text(int code, String words) {
        return new HttpAnswer(code, Map.of("Content-Type", TEXT), words.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the same answer with more headers. */
    HttpAnswer with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(headers);
        all.putAll(more);
        return new HttpAnswer(code, all, body);
    }
}
