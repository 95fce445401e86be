package dev.granary.cli.backup;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What a backup has; written last, so that a backup without it is none. The file is a line
 * {@code granary-backup 1 CHECKSUM} and JSON behind it;
 * the checksum is the CRC-32C of the JSON (docs/formats/backup.md).
 *
 * @param id of the backup
 * @param clusterId of the cluster that it is of
 * @param startedAtMillis everything that was acknowledged before is in it
 * @param finishedAtMillis nothing that was acknowledged later is in it
 * @param chunks how many
 * @param payloadBytes the bytes of the chunks themselves
 * @param names how many names
 * @param creators who made the CIDs, by NID
 * @param parts the other files
 */
public record BackupManifest(
        String id,
        String clusterId,
        long startedAtMillis,
        long finishedAtMillis,
        long chunks,
        long payloadBytes,
        long names,
        List<Creator> creators,
        List<Part> parts) {

    static final String FILE = "manifest";

    private static final String HEAD = "granary-backup 1 ";
    private static final int CHECKSUM_DIGITS = 8;
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * A storage peer of the cluster that the backup is of.
     *
     * @param nid its NID
     * @param lidMark LIDs below it may have been given
     */
    public record Creator(int nid, long lidMark) {}

    /**
     * A file.
     *
     * @param name within the backup
     * @param sizeBytes its size
     * @param checksum CRC-32C of all of it
     * @param chunks that are in it
     */
    public record Part(String name, long sizeBytes, long checksum, long chunks) {}

    public BackupManifest {
        creators = List.copyOf(creators);
        parts = List.copyOf(parts);
    }

    /** A number that no other backup has, but by a chance of one in 2^63. */
    long fingerprint() {
        String text = clusterId + "/" + id + "/" + startedAtMillis;
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).getLeastSignificantBits() | 1;
    }

    byte[] toBytes() {
        try {
            byte[] json = JSON.writeValueAsBytes(this);
            byte[] head = (HEAD + hex(checksumOf(json, 0, json.length)) + "\n").getBytes(StandardCharsets.UTF_8);
            byte[] all = Arrays.copyOf(head, head.length + json.length);
            System.arraycopy(json, 0, all, head.length, json.length);
            return all;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a manifest cannot be written", e);
        }
    }

    /**
     * Reads a manifest.
     *
     * @param name for messages
     * @throws BackupException when it is none, is of a later version, or is damaged
     */
    static BackupManifest read(String name, byte[] bytes) {
        int headBytes = HEAD.length() + CHECKSUM_DIGITS + 1;
        String head = new String(bytes, 0, Math.min(headBytes, bytes.length), StandardCharsets.UTF_8);
        if (!head.startsWith("granary-backup ")) {
            throw new BackupException(name + " is no manifest of a backup");
        }
        if (!head.startsWith(HEAD)) {
            throw new BackupException(name + " is of another version than this program reads: " + head.strip());
        }
        String found = hex(checksumOf(bytes, head.length(), bytes.length - head.length()));
        if (!head.equals(HEAD + found + "\n")) {
            throw new BackupException(name + " is damaged: its checksum is wrong");
        }
        try {
            return JSON.readValue(bytes, headBytes, bytes.length - headBytes, BackupManifest.class);
        } catch (IOException e) {
            throw new BackupException(name + " is damaged: " + e.getMessage(), e);
        }
    }

    static long checksumOf(byte[] bytes, int offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, offset, length);
        return checksum.getValue();
    }

    private static String hex(long checksum) {
        return String.format(Locale.ROOT, "%08x", checksum);
    }
}
