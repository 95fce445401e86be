package dev.granary.testkit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What clients asked of names and saw. {@link #check} looks for an order of all operations, name by name, in which each
 * takes effect at one moment between its begin and its end and every answer is that of one variable ({@link
 * OrderSearch}). So a name that was acknowledged stands for its CID, one that was removed for nothing, and no change is
 * carried out twice. Not thread-safe.
 */
public final class NameHistory {

    /** What is asked. */
    public enum Kind {
        PUT,
        PUT_IF_ABSENT,
        REMOVE,
        GET,
        /**
         * Not asked by a client: the last changes are undone, none, some, or all that nobody had promised to keep yet.
         */
        ROLLBACK
    }

    /** In place of a CID: the name stands for nothing. */
    public static final long NOTHING = 0;

    private static final long NEVER = OrderSearch.NEVER;
    private static final long IMPOSSIBLE = -1;
    private static final int MAX_TRIES = 1_000_000;

    private final LongSupplier time;
    private final TreeMap<String, List<Change>> byName = new TreeMap<>();
    private final List<Rollback> rollbacks = new ArrayList<>();
    private long nextMoment = 1;

    /** @param time for messages to people; the order is that of the calls */
    public NameHistory(LongSupplier time) {
        this.time = time;
    }

    /** One operation of a client. It ends by one of its methods; one that never ends counts as unknown. */
    public final class Change {
        private final String client;
        private final Kind kind;
        private final long value;
        private final long beganAt;
        private final long beganNanos;
        private long endedAt = NEVER;
        private long endedNanos = NEVER;
        private boolean done;
        private boolean dropped;
        private long seen;

        private Change(String client, Kind kind, long value, long beganAt, long beganNanos) {
            this.client = client;
            this.kind = kind;
            this.value = value;
            this.beganAt = beganAt;
            this.beganNanos = beganNanos;
        }

        /** A put or a remove was carried out, a get answered: this is what the name stood for until then. */
        public void saw(long cid) {
            done = true;
            seen = cid;
            end();
        }

        /** A put if absent was answered. */
        public void wasAbsent(boolean absent) {
            done = absent;
            end();
        }

        private void end() {
            endedAt = nextMoment++;
            endedNanos = time.getAsLong();
        }

        /** The operation has certainly changed nothing, and shows nothing. */
        public void refused() {
            dropped = true;
        }

        private HistoryLine toLine(String name) {
            HistoryLine line = HistoryLine.of("name")
                    .with("client", client)
                    .with("operation", kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .with("name", name)
                    .withCid("cid", value);
            if (kind != Kind.PUT_IF_ABSENT && done) {
                line.withCid("saw", seen);
            }
            line.with("outcome", outcome()).with("begin", beganAt).with("beginNanos", beganNanos);
            return isOptional() ? line : line.with("end", endedAt).with("endNanos", endedNanos);
        }

        private String outcome() {
            if (dropped) {
                return "no-effect";
            }
            if (isOptional()) {
                return "unknown";
            }
            return done ? "done" : "present";
        }

        private boolean isOptional() {
            return endedAt == NEVER;
        }

        /** What the name stands for afterwards, or that the answer does not fit. */
        private long apply(long state) {
            boolean fits = isOptional()
                    || kind == Kind.ROLLBACK
                    || (kind == Kind.PUT_IF_ABSENT ? done == (state == NOTHING) : seen == state);
            if (!fits) {
                return IMPOSSIBLE;
            }
            return switch (kind) {
                case GET, ROLLBACK -> state;
                case REMOVE -> NOTHING;
                case PUT -> value;
                case PUT_IF_ABSENT -> state == NOTHING ? value : state;
            };
        }

        @Override
        public String toString() {
            return "[%d..%s] %.6f s %s %s %x: %s"
                    .formatted(
                            beganAt,
                            isOptional() ? "…" : Long.toString(endedAt),
                            beganNanos / 1e9,
                            client,
                            kind,
                            value,
                            isOptional() ? "UNKNOWN" : kind == Kind.PUT_IF_ABSENT ? done : "%x".formatted(seen));
        }
    }

    /**
     * All copies of the names are lost, and what was kept of them is put together; it ends when they are there again.
     */
    public final class Rollback {
        private final long keptNanos;
        private final long beganAt = nextMoment++;
        private final long beganNanos = time.getAsLong();
        private long endedAt = NEVER;

        private Rollback(long keptNanos) {
            this.keptNanos = keptNanos;
        }

        /** The names are there again. */
        public void done() {
            endedAt = nextMoment++;
        }

        private boolean mayUndo(Change change) {
            return change.beganAt < endedAt && change.endedNanos > keptNanos;
        }

        private HistoryLine toLine() {
            HistoryLine line = HistoryLine.of("name-rollback")
                    .with("keptNanos", keptNanos)
                    .with("begin", beganAt)
                    .with("beginNanos", beganNanos);
            return endedAt == NEVER ? line : line.with("end", endedAt);
        }

        private Change asChange() {
            Change change = new Change("loss", Kind.ROLLBACK, NOTHING, beganAt, beganNanos);
            change.endedAt = endedAt;
            return change;
        }
    }

    /**
     * All copies of the names are lost from now on, and come back in a state that they had at a moment after this one.
     *
     * @param keptNanos changes that were answered up to then stay
     */
    public Rollback rollback(long keptNanos) {
        Rollback rollback = new Rollback(keptNanos);
        rollbacks.add(rollback);
        return rollback;
    }

    /** A client begins. */
    public Change begin(String client, Kind kind, String name, long value) {
        Change change = new Change(client, kind, value, nextMoment++, time.getAsLong());
        byName.computeIfAbsent(name, _ -> new ArrayList<>()).add(change);
        return change;
    }

    /** How many operations of each kind were answered; for a test to see that it tested something. */
    public Map<Kind, Integer> answered() {
        Map<Kind, Integer> counts = new TreeMap<>();
        byName.values().forEach(changes -> changes.stream()
                .filter(change -> !change.isOptional())
                .forEach(change -> counts.merge(change.kind, 1, Integer::sum)));
        return counts;
    }

    /**
     * Checks every name.
     *
     * @throws IllegalStateException when no order explains what was seen of one
     */
    public void check() {
        byName.forEach((name, all) -> {
            List<Change> changes = Stream.concat(
                            all.stream(), rollbacks.stream().map(Rollback::asChange))
                    .filter(change -> !change.dropped && !(change.kind == Kind.GET && change.isOptional()))
                    .sorted(Comparator.comparingLong(change -> change.beganAt))
                    .toList();
            List<Step> steps = changes.stream()
                    .map(change -> new Step(change, mayBeUndone(change)))
                    .toList();
            if (!new OrderSearch<>(steps, MAX_TRIES).isExplained(new State(NOTHING, List.of()))) {
                throw new IllegalStateException("name " + name + ": no order of these operations explains their answers"
                        + changes.stream().map(change -> "\n  " + change).collect(Collectors.joining()));
            }
        });
    }

    /** Writes everything as it was seen. */
    public void writeTo(HistoryFile file) {
        byName.forEach((name, changes) -> changes.forEach(change -> file.write(change.toLine(name))));
        rollbacks.forEach(rollback -> file.write(rollback.toLine()));
    }

    private boolean mayBeUndone(Change change) {
        return rollbacks.stream().anyMatch(rollback -> rollback.mayUndo(change));
    }

    /**
     * What the name stands for.
     *
     * @param before what it stood for before the last changes, as far back as they may be undone, the latest last
     */
    private record State(long cid, List<Long> before) {}

    /** A change as a step of the search. */
    private record Step(Change change, boolean mayBeUndone) implements OrderSearch.Step<State> {

        @Override
        public long beganAt() {
            return change.beganAt;
        }

        @Override
        public long endedAt() {
            return change.endedAt;
        }

        @Override
        public Object likeness() {
            return List.of(change.kind, change.value);
        }

        @Override
        public List<State> after(State state) {
            if (change.kind == Kind.ROLLBACK) {
                return rolledBack(state);
            }
            long cid = change.apply(state.cid);
            if (cid == IMPOSSIBLE) {
                return List.of();
            }
            if (change.isOptional() && cid == state.cid) {
                return List.of(state);
            }
            if (!mayBeUndone) {
                return List.of(new State(cid, List.of()));
            }
            List<Long> before = new ArrayList<>(state.before);
            if (before.isEmpty() || before.getLast() != state.cid) {
                before.add(state.cid);
            }
            return List.of(new State(cid, cid == state.cid ? state.before : List.copyOf(before)));
        }

        private static List<State> rolledBack(State state) {
            List<State> possible = new ArrayList<>(List.of(state));
            for (int i = state.before.size() - 1; i >= 0; i--) {
                possible.add(new State(state.before.get(i), List.copyOf(state.before.subList(0, i))));
            }
            return possible;
        }
    }
}
