package dev.granary.cli.graph;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** Snapshots for tests: small ones from lines of text, and the real one, which is read once. */
final class Snapshots {

    private static final PackageGraph DEBIAN = PackageGraph.of(PackageSnapshot.readResource());

    static final String HEADER = """
            # granary debian-packages 1
            # release: Debian test
            # packages: %d
            # columns: Package Version Section Priority Installed-Size Pre-Depends Depends Recommends Suggests\
             Conflicts Breaks Provides
            """;

    private Snapshots() {}

    /** The graph of the project's snapshot. */
    static PackageGraph debian() {
        return DEBIAN;
    }

    /** A snapshot of these lines, whose columns are separated by {@code " ; "}. */
    static PackageSnapshot of(String... lines) {
        StringBuilder text = new StringBuilder(HEADER.formatted(lines.length));
        for (String line : lines) {
            text.append(line.replace(" ; ", "\t").replace(" ;", "\t")).append('\n');
        }
        return ofText(text.toString());
    }

    static PackageSnapshot ofText(String text) {
        try {
            return PackageSnapshot.read(new ByteArrayInputStream(gzip(text)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static byte[] gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
