package dev.granary.storage.lease;

import dev.granary.env.Disk;
import dev.granary.overlay.Nid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/**
 * The file {@code cluster} of the data directory: the cluster that this disk belongs to, and its NID. Written once,
 * when the peer gets its NID; from then on the peer refuses other clusters (SAFETY rule "bootstrap and restart").
 *
 * <pre>
 *   granary-cluster 1
 *   clusterId=&lt;UUID&gt;
 *   nid=0x8000
 * </pre>
 *
 * @param clusterId the cluster
 * @param nid the disk's NID in it
 */
record ClusterFile(UUID clusterId, int nid) {

    private static final String FILE = "cluster";
    private static final String FIRST_LINE = "granary-cluster 1";
    private static final String CLUSTER_ID = "clusterId=";
    private static final String NID = "nid=";

    /**
     * Reads the file, if there is one.
     *
     * @throws IOException when the disk fails or the file is damaged
     */
    static Optional<ClusterFile> read(Disk disk) throws IOException {
        if (!disk.exists(FILE)) {
            return Optional.empty();
        }
        String content = new String(disk.read(FILE), StandardCharsets.UTF_8);
        String[] lines = content.split("\n", -1);
        try {
            if (lines.length == 4
                    && lines[0].equals(FIRST_LINE)
                    && lines[1].startsWith(CLUSTER_ID)
                    && lines[2].startsWith(NID)
                    && lines[3].isEmpty()) {
                return Optional.of(new ClusterFile(
                        UUID.fromString(lines[1].substring(CLUSTER_ID.length())),
                        Nid.parse(lines[2].substring(NID.length()))));
            }
        } catch (IllegalArgumentException e) {
            throw damaged(content, e);
        }
        throw damaged(content, new IllegalArgumentException("its lines are not as expected"));
    }

    private static IOException damaged(String content, IllegalArgumentException cause) {
        return new IOException(
                "the file '" + FILE + "' of the data directory is damaged or of a newer version (" + cause.getMessage()
                        + "), it reads '" + content.strip()
                        + "'. Restore it; delete the whole data directory only if this peer may be a new one.",
                cause);
    }

    /** For people. */
    String describe() {
        return "NID " + Nid.toHex(nid) + " of cluster " + clusterId;
    }

    /** Writes the file, durably. */
    void write(Disk disk) throws IOException {
        String content = FIRST_LINE + "\n" + CLUSTER_ID + clusterId + "\n" + NID + Nid.toHex(nid) + "\n";
        disk.writeAtomically(FILE, content.getBytes(StandardCharsets.UTF_8));
    }
}
