package dev.granary.superpeer.ring;

import dev.granary.env.Disk;
import dev.granary.overlay.Nid;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/**
 * The file {@code super-peer} of the data directory: which cluster this disk belongs to and as what (SAFETY rule
 * "bootstrap and restart").
 *
 * <pre>
 *   granary-super-peer 2
 *   clusterId=&lt;UUID&gt;
 *   nid=0x0001
 *   founding=false      (or true, or rebuild)
 *   arcGeneration=1
 * </pre>
 *
 * @param clusterId the cluster
 * @param nid the disk's NID in it
 * @param founding whether this super-peer is about to found the cluster, or to rebuild its ring
 * @param arcGeneration the last of its arcs whose Raft group it has begun, 0 for none: a group is begun once, and a log
 *     that is missing afterwards is lost
 */
record MembershipFile(UUID clusterId, int nid, Founding founding, int arcGeneration) {

    /** What this super-peer is about to do for its cluster; never again once it has. */
    enum Founding {
        /** Nothing: the ring is there. */
        NONE("false"),
        /** It founds the cluster. */
        FOUND("true"),
        /** It begins the ring of a cluster whose super-peers are all lost (ADR 0127). */
        REBUILD("rebuild");

        private final String text;

        Founding(String text) {
            this.text = text;
        }

        private static Founding of(String text) {
            for (Founding each : values()) {
                if (each.text.equals(text)) {
                    return each;
                }
            }
            throw new IllegalArgumentException("'" + text + "' is no way of founding");
        }
    }

    private static final String FILE = "super-peer";
    private static final String FIRST_LINE = "granary-super-peer 2";
    private static final String CLUSTER_ID = "clusterId=";
    private static final String NID = "nid=";
    private static final String FOUNDING = "founding=";
    private static final String ARC_GENERATION = "arcGeneration=";

    /** The logs of the first form, which kept the ring and one arc without replication. */
    private static final String FIRST_FORM_LOGS = "(ring|arc)-[0-9a-f]{16}\\.(log|snapshot)";

    /**
     * Reads the file, if there is one.
     *
     * @throws IOException when the disk fails, the file is damaged, or the data directory is of another version
     */
    static Optional<MembershipFile> read(Disk disk) throws IOException {
        if (disk.list().stream().anyMatch(name -> name.matches(FIRST_FORM_LOGS))) {
            throw new IOException(
                    "the data directory was written by a version without replicated super-peers, which this"
                            + " version cannot read: found a new cluster with empty data directories");
        }
        if (!disk.exists(FILE)) {
            return Optional.empty();
        }
        String content = new String(disk.read(FILE), StandardCharsets.UTF_8);
        String[] lines = content.split("\n", -1);
        try {
            if (lines.length == 6
                    && lines[0].equals(FIRST_LINE)
                    && lines[1].startsWith(CLUSTER_ID)
                    && lines[2].startsWith(NID)
                    && lines[3].startsWith(FOUNDING)
                    && lines[4].startsWith(ARC_GENERATION)
                    && lines[5].isEmpty()) {
                return Optional.of(new MembershipFile(
                        UUID.fromString(lines[1].substring(CLUSTER_ID.length())),
                        Nid.parse(lines[2].substring(NID.length())),
                        Founding.of(lines[3].substring(FOUNDING.length())),
                        Integer.parseInt(lines[4].substring(ARC_GENERATION.length()))));
            }
        } catch (IllegalArgumentException e) {
            throw damaged(content, e);
        }
        throw damaged(content, new IllegalArgumentException("its lines are not as expected"));
    }

    private static IOException damaged(String content, IllegalArgumentException cause) {
        return new IOException(
                "the file '" + FILE + "' of the data directory is damaged or of another version (" + cause.getMessage()
                        + "), it reads '" + content.strip()
                        + "'. Restore it; delete the whole data directory only if this super-peer may be a new one.",
                cause);
    }

    /** Writes the file, durably. */
    void write(Disk disk) throws IOException {
        String content = FIRST_LINE + "\n" + CLUSTER_ID + clusterId + "\n" + NID + Nid.toHex(nid) + "\n" + FOUNDING
                + founding.text + "\n" + ARC_GENERATION + arcGeneration + "\n";
        disk.writeAtomically(FILE, content.getBytes(StandardCharsets.UTF_8));
    }

    MembershipFile founded() {
        return new MembershipFile(clusterId, nid, Founding.NONE, arcGeneration);
    }

    MembershipFile withArcGeneration(int generation) {
        return new MembershipFile(clusterId, nid, founding, generation);
    }
}
