package dev.granary.cli.graph;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * The project's snapshot of the archive: a gzip with one line for each package and columns separated by tabs.
 * {@code cli/src/main/data/debian-packages/make} makes it; the README.md beside that describes it.
 *
 * @param releases the archive's description of itself, one line for each release
 * @param packages the packages, ordered by the bytes of their names
 */
record PackageSnapshot(List<String> releases, List<PackageRecord> packages) {

    private static final String RESOURCE = "/debian-packages/packages.tsv.gz";
    private static final String FIRST_LINE = "# granary debian-packages 1";
    private static final String COLUMNS_LINE = "# columns: Package Version Section Priority Installed-Size Pre-Depends"
            + " Depends Recommends Suggests Conflicts Breaks Provides";
    private static final String RELEASE = "# release: ";
    private static final String PACKAGES = "# packages: ";
    private static final int COLUMNS = 12;

    /** Reads the snapshot in the application's own resources. */
    static PackageSnapshot readResource() {
        try (InputStream in = PackageSnapshot.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new SnapshotException("the snapshot " + RESOURCE + " is not among the application's resources");
            }
            return read(in);
        } catch (IOException e) {
            throw new SnapshotException("the snapshot " + RESOURCE + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Reads a compressed snapshot to its end, without closing the stream. */
    static PackageSnapshot read(InputStream compressed) throws IOException {
        BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(compressed, 1 << 16), StandardCharsets.UTF_8), 1 << 16);
        String first = reader.readLine();
        if (!FIRST_LINE.equals(first)) {
            throw new SnapshotException("the snapshot begins with '" + first + "' instead of '" + FIRST_LINE + "'");
        }
        List<String> releases = new ArrayList<>();
        List<PackageRecord> packages = new ArrayList<>();
        int expected = -1;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith(RELEASE)) {
                releases.add(line.substring(RELEASE.length()));
            } else if (line.startsWith(PACKAGES)) {
                expected = Integer.parseInt(line.substring(PACKAGES.length()));
            } else if (!line.startsWith("#")) {
                packages.add(parse(line));
            } else if (!line.equals(COLUMNS_LINE)) {
                throw new SnapshotException("the snapshot has an unknown header line '" + line + "'");
            }
        }
        if (packages.size() != expected) {
            throw new SnapshotException("the snapshot announces " + expected + " packages and has " + packages.size());
        }
        return new PackageSnapshot(List.copyOf(releases), List.copyOf(packages));
    }

    private static PackageRecord parse(String line) {
        String[] c = new String[COLUMNS];
        int from = 0;
        for (int column = 0; column < COLUMNS; column++) {
            int tab = line.indexOf('\t', from);
            int to = tab < 0 ? line.length() : tab;
            c[column] = line.substring(Math.min(from, to), to);
            from = to + 1;
        }
        if (from <= line.length() || c[0].isEmpty() || c[1].isEmpty()) {
            throw new SnapshotException("not a line of " + COLUMNS + " columns: '" + line + "'");
        }
        long installedKiB = c[4].isEmpty() ? 0 : Long.parseLong(c[4]);
        return new PackageRecord(c[0], c[1], c[2], c[3], installedKiB, c[5], c[6], c[7], c[8], c[9], c[10], c[11]);
    }
}
