package dev.granary.testkit;

import dev.granary.testkit.KeyState.Entry;
import dev.granary.testkit.KeyState.Expiry;
import dev.granary.testkit.KeyState.Watch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A call of a client on keys of one hash tag, as {@link KeyHistory} has it: one command, or several that are carried
 * out as one. Finds what the call may have led to.
 *
 * @param transaction the number under which keys are watched; 0 without a watch
 * @param watched keys that the call begins to watch, if it has no commands; otherwise they must not have changed
 * @param beganNanos when it began
 * @param endedNanos when it was answered; {@link Long#MAX_VALUE} if it was not
 * @param replies one for each command; null when they are not known
 * @param roomMayLack whether memory may have lacked room, so that some of several commands changed nothing
 */
record KeyCall(
        List<List<String>> commands,
        int transaction,
        List<String> watched,
        long beganNanos,
        long endedNanos,
        @Nullable List<String> replies,
        boolean roomMayLack) {

    /** Owners count whole milliseconds, at the change and at the look. */
    private static final long ROUNDING_NANOS = 2_000_000;

    private static final double MILLION = 1e6;

    /**
     * Returns the entries and watches that the call may lead to; none when its replies do not fit.
     *
     * @param driftPpm by how much clocks are fast or slow at most
     */
    List<KeyState> after(KeyState state, long driftPpm) {
        List<KeyState> possible = new ArrayList<>();
        List<Set<String>> expired = new ArrayList<>(List.of(Set.of()));
        for (String key : keys()) {
            Entry entry = state.entries().get(key);
            Expiry expiry = entry == null ? null : entry.expiry();
            if (expiry == null || !mayBeGone(expiry, driftPpm)) {
                continue;
            }
            List<Set<String>> with = new ArrayList<>();
            for (Set<String> others : expired) {
                Set<String> more = new HashSet<>(others);
                more.add(key);
                with.add(more);
            }
            if (mayBeThere(expiry, driftPpm)) {
                with.addAll(expired);
            }
            expired = with;
        }
        for (Set<String> each : expired) {
            for (List<@Nullable String> seen : seen()) {
                KeyState after = afterWith(each, seen, state, driftPpm > 0);
                if (after != null && !possible.contains(after)) {
                    possible.add(after);
                }
            }
        }
        return possible;
    }

    /**
     * Returns the replies that there may have been, null for those that are not known. Where room may lack, some of
     * several commands may have been refused for want of it, and others not.
     */
    private List<List<@Nullable String>> seen() {
        if (replies != null) {
            return List.of(new ArrayList<>(replies));
        }
        List<List<@Nullable String>> all = List.of(new ArrayList<>());
        for (List<String> command : commands) {
            List<List<@Nullable String>> more = new ArrayList<>();
            for (List<@Nullable String> before : all) {
                more.add(with(before, null));
                if (roomMayLack && commands.size() > 1 && KeyCommand.needsRoom(command.getFirst())) {
                    more.add(with(before, KeyCommand.NO_ROOM));
                }
            }
            all = more;
        }
        return all;
    }

    private static List<@Nullable String> with(List<@Nullable String> before, @Nullable String last) {
        List<@Nullable String> all = new ArrayList<>(before);
        all.add(last);
        return all;
    }

    private Set<String> keys() {
        Set<String> keys = new LinkedHashSet<>(watched);
        commands.forEach(command -> keys.add(command.get(1)));
        return keys;
    }

    private boolean mayBeThere(Expiry expiry, long driftPpm) {
        return expiry.untilNanos() == Long.MAX_VALUE
                || beganNanos * (1 - driftPpm / MILLION)
                        < expiry.untilNanos() * (1 + driftPpm / MILLION) + expiry.ttlNanos() + ROUNDING_NANOS;
    }

    private boolean mayBeGone(Expiry expiry, long driftPpm) {
        return endedNanos == Long.MAX_VALUE
                || endedNanos * (1 + driftPpm / MILLION) + ROUNDING_NANOS
                        >= expiry.fromNanos() * (1 - driftPpm / MILLION) + expiry.ttlNanos();
    }

    /**
     * Returns what the call leads to if some keys have expired when it is carried out; null if the replies do not fit.
     *
     * @param allSeen a reply for each command, null if it is not known
     * @param mayComeBack whether keys that have expired for one owner may be there for the next one, whose clock is
     *     slow
     */
    private @Nullable KeyState afterWith(
            Set<String> expired, List<@Nullable String> allSeen, KeyState state, boolean mayComeBack) {
        SortedMap<String, Entry> before = new TreeMap<>();
        state.entries().forEach((key, entry) -> {
            Expiry expiry = entry.expiry();
            before.put(key, expiry == null ? entry : entry.withExpiry(expiry.setBy(endedNanos)));
        });
        if (!commands.isEmpty() && watched.stream().anyMatch(key -> isBroken(key, expired, state))) {
            return null;
        }
        SortedMap<String, Entry> after = new TreeMap<>(before);
        after.keySet().removeAll(expired);
        KeyCommand model = new KeyCommand(after, beganNanos, endedNanos);
        for (int i = 0; i < commands.size(); i++) {
            String seen = allSeen.get(i);
            String expected = model.run(commands.get(i), seen);
            if (seen != null && !KeyCommand.isSame(expected, seen)) {
                return null;
            }
        }
        // To watch a key removes it if it has expired.
        if (mayComeBack && !commands.isEmpty()) {
            expired.stream().filter(key -> !after.containsKey(key)).forEach(key -> after.put(key, before.get(key)));
        }
        Set<Watch> watches = new HashSet<>(state.watches());
        watches.removeIf(watch ->
                watch.transaction() == transaction || !isSame(before.get(watch.key()), after.get(watch.key())));
        if (commands.isEmpty()) {
            watched.forEach(key -> watches.add(new Watch(transaction, key)));
        }
        return new KeyState(after, watches, state.before());
    }

    private boolean isBroken(String key, Set<String> expired, KeyState state) {
        return expired.contains(key) || !state.watches().contains(new Watch(transaction, key));
    }

    private static boolean isSame(@Nullable Entry one, @Nullable Entry other) {
        return one == null ? other == null : one.equals(other);
    }
}
