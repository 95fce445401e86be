package dev.granary.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What clients asked of keys and saw. {@link #check} looks for an order of all calls, hash tag by hash tag, in which
 * each takes effect at one moment between its begin and its end and every reply is that of a map ({@link OrderSearch}).
 * A key that expires is there until its time, and never afterwards, both as far as the clocks of owners agree. A
 * transaction is carried out only if nothing has changed the keys that its client watched. Not thread-safe.
 */
public final class KeyHistory {

    private static final int MAX_TRIES = 300_000;

    private final LongSupplier time;
    private final TreeMap<String, List<Call>> byTag = new TreeMap<>();
    private final List<Loss> losses = new ArrayList<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private long nextMoment = 1;
    private int transactions;
    private boolean roomMayLack;

    /** @param time of the simulated world, in nanoseconds from its begin on */
    public KeyHistory(LongSupplier time) {
        this.time = time;
    }

    /** A call of a client. It ends by one of its methods; one that never ends may be carried out some time, or not. */
    public final class Call {
        private final String client;
        private final List<List<String>> commands;
        private final int transaction;
        private final List<String> watched;
        private final long beganAt = nextMoment++;
        private final long beganNanos = time.getAsLong();
        private long endedAt = OrderSearch.NEVER;
        private long endedNanos = Long.MAX_VALUE;
        private @Nullable List<String> replies;
        private boolean dropped;

        private Call(String client, List<List<String>> commands, int transaction, List<String> watched) {
            this.client = client;
            this.commands = commands;
            this.transaction = transaction;
            this.watched = watched;
        }

        /** The call was carried out, with these replies. */
        public void done(List<String> seen) {
            replies = List.copyOf(seen);
            roomMayLack |= seen.stream().anyMatch(reply -> reply.startsWith(KeyCommand.NO_ROOM));
            endedAt = nextMoment++;
            endedNanos = time.getAsLong();
            count("DONE");
        }

        /** Nothing was carried out, and nothing was seen. */
        public void refused() {
            dropped = true;
            count("REFUSED");
        }

        /** A watched key has changed, so that nothing was carried out. */
        public void broken() {
            dropped = true;
            count("BROKEN");
        }

        private void count(String outcome) {
            String name = commands.isEmpty()
                    ? "WATCH"
                    : commands.size() > 1 ? "EXEC" : commands.getFirst().getFirst();
            outcomes.merge(name + " " + outcome, 1, Integer::sum);
        }

        /** Returns the number under which this call watches its keys. */
        public int transaction() {
            return transaction;
        }

        private boolean isShown() {
            return !dropped && (replies != null || !commands.isEmpty());
        }

        @Override
        public String toString() {
            return "[%d..%s] %.6f s %s %s%s: %s"
                    .formatted(
                            beganAt,
                            replies == null ? "…" : Long.toString(endedAt),
                            beganNanos / 1e9,
                            client,
                            commands.stream()
                                    .map(command -> String.join(" ", command))
                                    .collect(Collectors.joining("; ")),
                            transaction == 0 ? "" : " (transaction " + transaction + ", watches " + watched + ")",
                            replies == null ? "UNKNOWN" : "%s at %.6f s".formatted(replies, endedNanos / 1e9));
        }
    }

    /** A loss of what memories had: of the last changes, or of everything. */
    public final class Loss {
        private final boolean all;
        private final long beganAt = nextMoment++;
        private long endedAt = OrderSearch.NEVER;

        private Loss(boolean all) {
            this.all = all;
        }

        /** The last changes are lost by now, and no more will be. */
        public void done() {
            endedAt = nextMoment++;
        }

        /** The memory is gone, or will be: all keys that it had may be lost at one moment after it had begun. */
        public void happened() {
            if (!losses.contains(this)) {
                losses.add(this);
            }
        }
    }

    /** From now on the last changes of each slot group may be lost, at one moment before {@link Loss#done}. */
    public Loss rollback() {
        Loss loss = new Loss(false);
        losses.add(loss);
        return loss;
    }

    /** From now on there is a memory that alone has its keys. It counts when {@link Loss#happened} says so. */
    public Loss begunMemory() {
        return new Loss(true);
    }

    /** A client begins a command, or several as one call, on keys of one tag. */
    public Call begin(String client, String tag, List<List<String>> commands) {
        return add(tag, new Call(client, commands, 0, List.of()));
    }

    /** A client begins to watch keys. */
    public Call beginWatch(String client, String tag, List<String> keys) {
        return add(tag, new Call(client, List.of(), ++transactions, keys));
    }

    /** A client begins a transaction of which it began to watch the keys before. */
    public Call beginTransaction(String client, String tag, Call watch, List<List<String>> commands) {
        return add(tag, new Call(client, commands, watch.transaction, watch.watched));
    }

    private Call add(String tag, Call call) {
        byTag.computeIfAbsent(tag, _ -> new ArrayList<>()).add(call);
        return call;
    }

    /**
     * Memory may have lacked room at some moment, even if no reply tells of it. Then some commands of a call of unknown
     * outcome may have been carried out without the others.
     */
    public void roomMayLack() {
        roomMayLack = true;
    }

    /** Returns how many calls ended with which outcome; for a test to see that it tested something. */
    public Map<String, Integer> outcomes() {
        return outcomes;
    }

    /**
     * Checks the keys of every tag.
     *
     * @param driftPpm by how many millionths clocks were fast or slow at most
     * @throws IllegalStateException when no order explains what was seen of one
     */
    public void check(long driftPpm) {
        byTag.forEach((tag, all) -> {
            List<Call> calls = all.stream().filter(Call::isShown).toList();
            List<OrderSearch.Step<KeyState>> steps = new ArrayList<>();
            calls.forEach(call -> steps.add(new CallStep(call, driftPpm, mayBeUndone(call), roomMayLack)));
            losses.forEach(loss -> steps.add(new LossStep(loss)));
            String problem;
            try {
                if (new OrderSearch<>(steps, MAX_TRIES).isExplained(KeyState.EMPTY)) {
                    return;
                }
                problem = "no order of these calls explains their replies";
            } catch (IllegalStateException e) {
                problem = String.valueOf(e.getMessage());
            }
            throw new IllegalStateException("keys of " + tag + ": " + problem
                    + calls.stream().map(call -> "\n  " + call).collect(Collectors.joining()));
        });
    }

    private boolean mayBeUndone(Call call) {
        return losses.stream().anyMatch(loss -> !loss.all && call.beganAt < loss.endedAt);
    }

    private record CallStep(Call call, long driftPpm, boolean mayBeUndone, boolean roomMayLack)
            implements OrderSearch.Step<KeyState> {

        @Override
        public long beganAt() {
            return call.beganAt;
        }

        @Override
        public long endedAt() {
            return call.endedAt;
        }

        @Override
        public Object likeness() {
            return this;
        }

        @Override
        public List<KeyState> after(KeyState state) {
            KeyCall asked = new KeyCall(
                    call.commands,
                    call.transaction,
                    call.watched,
                    call.beganNanos,
                    call.endedNanos,
                    call.replies,
                    roomMayLack);
            return asked.after(state, driftPpm).stream()
                    .map(after -> new KeyState(after.entries(), after.watches(), before(state, after)))
                    .map(after -> asked.replies() == null && isSame(state, after) ? state : after)
                    .toList();
        }

        private static boolean isSame(KeyState one, KeyState other) {
            return one.entries().equals(other.entries()) && one.watches().equals(other.watches());
        }

        private List<SortedMap<String, KeyState.Entry>> before(KeyState state, KeyState after) {
            if (!mayBeUndone) {
                return List.of();
            }
            if (state.entries().equals(after.entries())) {
                return state.before();
            }
            List<SortedMap<String, KeyState.Entry>> before = new ArrayList<>(state.before());
            before.add(state.entries());
            return List.copyOf(before);
        }
    }

    private record LossStep(Loss loss) implements OrderSearch.Step<KeyState> {

        @Override
        public long beganAt() {
            return loss.beganAt;
        }

        @Override
        public long endedAt() {
            return loss.endedAt;
        }

        @Override
        public Object likeness() {
            return "loss";
        }

        @Override
        public List<KeyState> after(KeyState state) {
            return loss.all ? List.of(KeyState.EMPTY) : state.rolledBack();
        }
    }
}
