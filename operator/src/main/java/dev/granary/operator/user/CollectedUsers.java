package dev.granary.operator.user;

import dev.granary.resp.acl.User;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The users of a cluster as the file that its storage peers read has them. Immutable.
 *
 * <pre>
 *   # The Granary operator writes this file from GranaryUsers ...
 *   user default off                                     unless there is a user of that name
 *   # GranaryUser 6f3f2c6e-0d0f-4d0c-8d4f-1f0f9a3f4b57   the uid of the resource that the next line is from
 *   user shop on $pbkdf2-sha256$i=600000$... ~shop:* +@all -@dangerous
 * </pre>
 *
 * <p>Invariants: (1) there is a line for the user {@code default}, because a door without one lets everybody in; (2) no
 * two lines have the same name, because a door refuses such a file as a whole; (3) the lines are in the order of the
 * names, so that the same users make the same file.
 */
public final class CollectedUsers {
    /** There are no users. */
    public static final CollectedUsers NONE = new CollectedUsers(Map.of());

    private static final String HEAD =
            "# The Granary operator writes this file from GranaryUsers, and overwrites what others change.\n";
    private static final String CLOSED = "user " + User.DEFAULT + " off\n";
    private static final String ORIGIN = "# GranaryUser ";
    private static final String USER = "user ";

    /** A line, without its end, and the uid of the resource that it is from. */
    private record Line(String uid, String text) {}

    private final Map<String, Line> byName;

    private CollectedUsers(Map<String, Line> byName) {
        this.byName = byName;
    }

    /** Reads a file that was written from this; lines of unknown origin do not count. */
    public static CollectedUsers parse(String text) {
        Map<String, Line> lines = new TreeMap<>();
        String uid = "";
        for (String line : text.lines().toList()) {
            if (!uid.isEmpty() && line.startsWith(USER)) {
                lines.put(nameOf(line), new Line(uid, line));
            }
            uid = line.startsWith(ORIGIN) ? line.substring(ORIGIN.length()) : "";
        }
        return new CollectedUsers(lines);
    }

    private static String nameOf(String line) {
        int end = line.indexOf(' ', USER.length());
        return end < 0 ? line.substring(USER.length()) : line.substring(USER.length(), end);
    }

    /**
     * Returns these users with that of a resource; what the resource had before, and who had the name before, are gone.
     *
     * @param uid of the resource
     * @param line of the file, without its end
     */
    public CollectedUsers with(String uid, String line) {
        Map<String, Line> lines = new TreeMap<>(without(uid).byName);
        lines.put(nameOf(line), new Line(uid, line));
        return new CollectedUsers(lines);
    }

    /** Returns these users without that of a resource. */
    public CollectedUsers without(String uid) {
        Map<String, Line> lines = new TreeMap<>(byName);
        lines.values().removeIf(line -> line.uid().equals(uid));
        return new CollectedUsers(lines);
    }

    /** Returns those of these users whose resources have one of these uids. */
    public CollectedUsers only(Set<String> uids) {
        Map<String, Line> lines = new TreeMap<>(byName);
        lines.values().removeIf(line -> !uids.contains(line.uid()));
        return new CollectedUsers(lines);
    }

    /** Returns whether all users are of these resources. */
    public boolean areOf(Set<String> uids) {
        return byName.values().stream().allMatch(line -> uids.contains(line.uid()));
    }

    /** Returns whether another resource has a name. */
    public boolean isTaken(String name, String uid) {
        Line line = byName.get(name);
        return line != null && !line.uid().equals(uid);
    }

    /** Returns the line of a resource, {@code null} when it has none. */
    public @Nullable String lineOf(String uid) {
        return byName.values().stream()
                .filter(line -> line.uid().equals(uid))
                .map(Line::text)
                .findFirst()
                .orElse(null);
    }

    /** Returns the file; it has a character for each byte. */
    public String text() {
        StringBuilder text = new StringBuilder(HEAD);
        if (!byName.containsKey(User.DEFAULT)) {
            text.append(CLOSED);
        }
        for (Line line : byName.values()) {
            text.append(ORIGIN)
                    .append(line.uid())
                    .append('\n')
                    .append(line.text())
                    .append('\n');
        }
        return text.toString();
    }
}
