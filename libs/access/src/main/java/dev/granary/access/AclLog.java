package dev.granary.access;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.resp.acl.Denial;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What {@code ACL LOG} shows: what was refused last, the newest first. What happens again within a minute is counted.
 * Thread-safe.
 */
public final class AclLog {

    private static final int LOOKED_AT = 10;
    private static final long SAME_MILLIS = TimeUnit.MINUTES.toMillis(1);

    /** So that nobody can make the log take memory without end. */
    private static final int MOST_OBJECT_CHARACTERS = 1 << 10;

    @GuardedBy("this")
    private final Deque<Entry> entries = new ArrayDeque<>();

    AclLog() {}

    /**
     * Something that was refused.
     *
     * @param count how often it was; 1 for a new one
     * @param context {@code toplevel} or {@code multi}
     * @param object the command or the key
     * @param user who was refused
     * @param wallMillis when it was refused last
     * @param client who asked last, as in {@code CLIENT LIST}
     */
    public record Entry(
            long count,
            Denial.Reason reason,
            String context,
            String object,
            String user,
            long wallMillis,
            String client) {

        public Entry {
            object = object.substring(0, Math.min(object.length(), MOST_OBJECT_CHARACTERS));
        }

        private boolean isLike(Entry other) {
            return reason == other.reason
                    && context.equals(other.context)
                    && object.equals(other.object)
                    && user.equals(other.user)
                    && Math.abs(wallMillis - other.wallMillis) <= SAME_MILLIS;
        }
    }

    /**
     * Adds what was refused.
     *
     * @param most how many entries are kept
     * @return how often it was refused lately
     */
    synchronized long add(Entry added, int most) {
        long count = 1;
        int looked = 0;
        for (Iterator<Entry> each = entries.iterator(); each.hasNext() && looked < LOOKED_AT; looked++) {
            Entry before = each.next();
            if (before.isLike(added)) {
                each.remove();
                count = before.count + 1;
                break;
            }
        }
        entries.addFirst(new Entry(
                count, added.reason, added.context, added.object, added.user, added.wallMillis, added.client));
        while (entries.size() > most) {
            entries.removeLast();
        }
        return count;
    }

    /** Returns the newest entries. */
    public synchronized List<Entry> newest(long most) {
        return entries.stream().limit(Math.max(0, most)).toList();
    }

    public synchronized void clear() {
        entries.clear();
    }
}
