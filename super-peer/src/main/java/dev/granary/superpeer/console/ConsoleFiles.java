package dev.granary.superpeer.console;

import dev.granary.process.HttpAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of the console's page, resources of this package: no file comes from elsewhere, and the page may load
 * nothing from elsewhere. Immutable.
 */
final class ConsoleFiles {

    private static final String PAGE = "console.html";
    private static final List<String> NAMES =
            List.of(PAGE, "console.css", "console.js", "dom.js", "model.js", "ring.js", "seen.js");

    private static final Map<String, String> TYPES =
            Map.of("html", "text/html", "css", "text/css", "js", "text/javascript");

    private static final int TAG_BYTES = 12;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Served(byte[] content, String type, String tag) {}

    private final Map<String, Served> files;

    private ConsoleFiles(Map<String, Served> files) {
        this.files = files;
    }

    static ConsoleFiles load() {
        Map<String, Served> files = new HashMap<>();
        for (String name : NAMES) {
            byte[] content = read(name);
            String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
            files.put(name, new Served(content, type + "; charset=utf-8", tagOf(content)));
        }
        return new ConsoleFiles(files);
    }

    private static byte[] read(String name) {
        try (InputStream in = ConsoleFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("this program lacks the file " + name + " of its console");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String tagOf(byte[] content) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
            return '"' + HexFormat.of().formatHex(hash, 0, TAG_BYTES) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    /**
     * Returns a file, or that the browser has it already; null when there is no such file.
     *
     * @param name empty for the page
     * @param knownTag what the browser has
     */
    @Nullable
    HttpAnswer answer(String name, @Nullable String knownTag) {
        Served file = files.get(name.isEmpty() ? PAGE : name);
        if (file == null) {
            return null;
        }
        // A browser asks each time, so that a new version is seen at once.
        Map<String, String> headers = Map.of("Content-Type", file.type, "ETag", file.tag, "Cache-Control", "no-cache");
        return file.tag.equals(knownTag)
                ? new HttpAnswer(304, headers, new byte[0])
                : new HttpAnswer(200, headers, file.content);
    }
}
