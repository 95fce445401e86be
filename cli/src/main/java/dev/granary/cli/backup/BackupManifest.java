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
 * The contents of a cluster backup. It is written last, so a backup without a manifest is unfinished. The file is a
 * line {@code granary-backup 1 CHECKSUM} followed by JSON; the checksum is the CRC-32C of the JSON
 * (docs/formats/backup.md).
 *
 * @param id the id of the backup
 * @param clusterId the id of the cluster
 * @param startedAtMillis the backup has everything that was acknowledged before this moment
 * @param finishedAtMillis the backup has nothing that was acknowledged after this moment
 * @param chunks number of chunks
 * @param payloadBytes bytes in the chunks
 * @param names number of names
 * @param keys number of keys, 0 in backups of versions that left them out
 * @param keyBytes bytes in the keys and their values
 * @param creators the creators of the CIDs, by NID
 * @param parts the other files of the backup
 */
public record BackupManifest(
        String id,
        String clusterId,
        long startedAtMillis,
        long finishedAtMillis,
        long chunks,
        long payloadBytes,
        long names,
        long keys,
        long keyBytes,
        List<Creator> creators,
        List<Part> parts) {

    static final String FILE = "manifest";

    private static final String HEAD = "granary-backup 1 ";
    private static final int CHECKSUM_DIGITS = 8;
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * A creator of the cluster's chunks.
     *
     * @param nid its NID
     * @param lidMark LIDs below it may have been given
     */
    public record Creator(int nid, long lidMark) {}

    /**
     * A file with chunks, names and keys.
     *
     * @param name its name within the backup
     * @param sizeBytes its size
     * @param checksum CRC-32C of the whole file
     * @param chunks number of chunks in it
     */
    public record Part(String name, long sizeBytes, long checksum, long chunks) {}

    public BackupManifest {
        creators = List.copyOf(creators);
        parts = List.copyOf(parts);
    }

    /** A number that identifies the backup; two backups share it with a probability of 2^-63. */
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
     * @param name the file's name, for messages
     * @throws BackupException when it is not a manifest, is of a later version, or is damaged
     */
    static BackupManifest read(String name, byte[] bytes) {
        int headBytes = HEAD.length() + CHECKSUM_DIGITS + 1;
        String head = new String(bytes, 0, Math.min(headBytes, bytes.length), StandardCharsets.UTF_8);
        if (!head.startsWith("granary-backup ")) {
            throw new BackupException(name + " is not a manifest of a backup");
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
