package dev.granary.superpeer.replicated;

import dev.granary.env.Disk;
import dev.granary.overlay.Nid;
import dev.granary.raft.MemberId;
import dev.granary.superpeer.node.GroupId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The memberships of Raft groups that this disk has had and whose logs are gone: the disk must never be one of those
 * members again (SAFETY rule 15, ADR 0117). Members that have missed a change of their group still count the disk as a
 * member. They could get votes from it that its lost log had given to others. Tasks of one scheduler.
 *
 * <pre>
 *   granary-ended-memberships 1
 *   &lt;group, hexadecimal&gt; &lt;the highest membership that has ended, hexadecimal&gt;
 * </pre>
 *
 * Of the arcs of one super-peer the file has only the last one: earlier ones never come again.
 */
public final class EndedMemberships {

    static final String FILE = "raft-ended";

    private static final String FIRST_LINE = "granary-ended-memberships 1";

    private record Ended(long group, long membership) {}

    private final Disk disk;

    /** By the NID of the super-peer to which the arc belongs, {@link Nid#NONE} for the ring. */
    private final TreeMap<Integer, Ended> last = new TreeMap<>();

    private EndedMemberships(Disk disk) {
        this.disk = disk;
    }

    /**
     * Reads the file, if there is one.
     *
     * @throws IOException when the disk fails or the file is damaged
     */
    public static EndedMemberships open(Disk disk) throws IOException {
        EndedMemberships ended = new EndedMemberships(disk);
        if (disk.exists(FILE)) {
            ended.read(new String(disk.read(FILE), StandardCharsets.UTF_8));
        }
        return ended;
    }

    private void read(String content) throws IOException {
        String[] lines = content.split("\n", -1);
        try {
            if (!lines[0].equals(FIRST_LINE) || !lines[lines.length - 1].isEmpty()) {
                throw new IllegalArgumentException("its lines are not as expected");
            }
            for (int i = 1; i < lines.length - 1; i++) {
                String[] numbers = lines[i].split(" ", -1);
                if (numbers.length != 2) {
                    throw new IllegalArgumentException("'" + lines[i] + "' is no group with a membership");
                }
                long group = Long.parseLong(numbers[0], 16);
                last.put(GroupId.nid(group), new Ended(group, Long.parseLong(numbers[1], 16)));
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "the file '" + FILE + "' of the data directory is damaged or of another version (" + e.getMessage()
                            + "). Delete the whole data directory: this super-peer then comes back as a new one.",
                    e);
        }
    }

    /** Whether this disk was the member, or a later one of the group, and is it no more. */
    boolean contains(long group, MemberId member) {
        Ended ended = last.get(GroupId.nid(group));
        if (ended == null || GroupId.generation(group) > GroupId.generation(ended.group)) {
            return false;
        }
        return ended.group != group || GroupId.membership(member) <= ended.membership;
    }

    /** Remembers durably that this disk is the member no more. To be called before the member's log is deleted. */
    void add(long group, MemberId member) throws IOException {
        if (contains(group, member)) {
            return;
        }
        last.put(GroupId.nid(group), new Ended(group, GroupId.membership(member)));
        StringBuilder content = new StringBuilder(FIRST_LINE).append('\n');
        for (Map.Entry<Integer, Ended> each : last.entrySet()) {
            content.append(Long.toHexString(each.getValue().group))
                    .append(' ')
                    .append(Long.toHexString(each.getValue().membership))
                    .append('\n');
        }
        disk.writeAtomically(FILE, content.toString().getBytes(StandardCharsets.UTF_8));
    }
}
