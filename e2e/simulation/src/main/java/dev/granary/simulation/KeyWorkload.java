package dev.granary.simulation;

import dev.granary.simulation.KeyedPeer.Answer;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.KeyedCalls;
import dev.granary.testkit.KeyHistory;
import dev.granary.testkit.KeyHistory.Call;
import dev.granary.testkit.Simulation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What one client of the Redis protocol does with keys. It sends a command at a time to any storage peer that runs, and
 * some transactions, on the keys that all clients share. When an answer takes too long it goes on without it.
 */
final class KeyWorkload {

    /** How long a client waits between two calls at most. */
    static final long USUAL_THINK_NANOS = 250_000_000;

    private static final long LEAST_WAIT_NANOS = 300_000_000;
    private static final long MOST_WAIT_NANOS = 4_000_000_000L;
    private static final int LONGEST_LIFE_MILLIS = 3_000;
    private static final int FIELDS = 3;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final String name;
    private final KeyHistory history;
    private final List<String> tags;
    private final long maxThinkNanos;
    private final RandomGenerator random;
    private final List<Open> open = new ArrayList<>();
    private boolean stopping;
    private int values;

    /** A call at a process; its answer never comes if the process has ended. */
    private record Open(
            CompletableFuture<Answer> answer,
            StorageMachine machine,
            @Nullable KeyedCalls process) {

        boolean isOver() {
            return answer.isDone() || machine.keyed().orElse(null) != process;
        }
    }

    /** @param tags each has two keys */
    KeyWorkload(SimulatedCluster cluster, String name, List<String> tags, long maxThinkNanos) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.name = name;
        this.history = cluster.keyHistory();
        this.tags = tags;
        this.maxThinkNanos = maxThinkNanos;
        this.random = simulation.random("keys of " + name);
    }

    /** Returns the keys of a tag. */
    static List<String> keysOf(String tag) {
        return List.of("{" + tag + "}a", "{" + tag + "}b");
    }

    /** Begins the workload. */
    void start() {
        simulation.after(random.nextLong(maxThinkNanos), name, () -> {
            if (!stopping) {
                act();
            }
        });
    }

    /** Begins nothing more. */
    void stop() {
        stopping = true;
    }

    /** Whether every call that can be answered was answered. */
    boolean isIdle() {
        open.removeIf(Open::isOver);
        return open.isEmpty();
    }

    private void act() {
        String tag = tags.get(random.nextInt(tags.size()));
        StorageMachine machine = pick();
        if (machine == null) {
            start();
        } else if (random.nextInt(10) == 0) {
            watch(machine, tag);
        } else {
            List<List<String>> commands = new ArrayList<>(List.of(command(key(tag))));
            if (random.nextInt(10) == 0) {
                commands.add(command(key(tag)));
            }
            send(machine, history.begin(name, tag, commands), List.of(), commands, reply -> false);
        }
    }

    private @Nullable StorageMachine pick() {
        List<StorageMachine> running = cluster.storagePeers().stream()
                .filter(machine -> machine.node().isRunning() && machine.keyed().isPresent())
                .toList();
        return running.isEmpty() ? null : running.get(random.nextInt(running.size()));
    }

    private String key(String tag) {
        return keysOf(tag).get(random.nextInt(2));
    }

    /**
     * Sends a call, and goes on when it is answered, or after a while.
     *
     * @param then gets the answer of a call that was carried out, and says whether it goes on by itself
     */
    private void send(
            StorageMachine machine,
            Call call,
            List<WatchedKey> watched,
            List<List<String>> commands,
            Predicate<Answer> then) {
        KeyedCalls process = machine.keyed().orElse(null);
        CompletableFuture<Answer> answer = new KeyedPeer(machine).send(watched, commands);
        open.removeIf(Open::isOver);
        open.add(new Open(answer, machine, process));
        boolean[] gone = new boolean[1];
        Runnable next = () -> {
            if (!gone[0]) {
                gone[0] = true;
                start();
            }
        };
        var _ = answer.thenAccept(reply -> {
            end(call, reply, commands);
            if (reply.isDone() && !gone[0] && then.test(reply)) {
                gone[0] = true;
            }
            next.run();
        });
        simulation.after(random.nextLong(LEAST_WAIT_NANOS, MOST_WAIT_NANOS), name + " waits no longer", next);
    }

    private static void end(Call call, Answer reply, List<List<String>> commands) {
        switch (reply.outcome()) {
            case DONE -> call.done(isWatch(commands) ? List.of() : KeyReplies.of(reply.text()));
            case WATCH_BROKEN -> call.broken();
            case REFUSED -> call.refused();
            case UNKNOWN -> {
                // It may still be carried out.
            }
        }
    }

    private static boolean isWatch(List<List<String>> commands) {
        return commands.getFirst().getFirst().equals("WATCH");
    }

    /** Watches keys of a tag, and sends a transaction after a while. */
    private void watch(StorageMachine machine, String tag) {
        List<String> keys = random.nextBoolean() ? keysOf(tag) : List.of(key(tag));
        List<String> command = new ArrayList<>(List.of("WATCH"));
        command.addAll(keys);
        Call watch = history.beginWatch(name, tag, keys);
        send(machine, watch, List.of(), List.of(command), reply -> {
            List<Long> marks = KeyReplies.marks(reply.text());
            List<WatchedKey> watched = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                watched.add(new WatchedKey(keys.get(i).getBytes(StandardCharsets.UTF_8), marks.get(i)));
            }
            simulation.after(random.nextLong(maxThinkNanos), name, () -> transaction(tag, watch, watched));
            return true;
        });
    }

    private void transaction(String tag, Call watch, List<WatchedKey> watched) {
        StorageMachine machine = stopping ? null : pick();
        if (machine == null) {
            start();
            return;
        }
        List<List<String>> commands = List.of(command(key(tag)), command(key(tag)));
        Call call = history.beginTransaction(name, tag, watch, commands);
        send(machine, call, watched, commands, reply -> false);
    }

    private List<String> command(String key) {
        return switch (random.nextInt(20)) {
            case 0, 1, 2 -> List.of("SET", key, value());
            case 3, 4 -> List.of("SET", key, value(), "PX", lifeMillis());
            case 5 -> List.of("SET", key, value(), "NX");
            case 6 -> List.of("SET", key, value(), "PX", lifeMillis(), "NX");
            case 7, 8, 9, 10 -> List.of("GET", key);
            case 11 -> List.of("DEL", key);
            case 12, 13 -> List.of("INCR", key);
            case 14 -> List.of("APPEND", key, value());
            case 15 -> List.of("GETDEL", key);
            case 16 -> List.of("HSET", key, field(), value());
            case 17 -> List.of("HGET", key, field());
            case 18 -> List.of("PEXPIRE", key, lifeMillis());
            default -> List.of("SET", key, Integer.toString(random.nextInt(1_000)));
        };
    }

    private String value() {
        return name + "." + ++values;
    }

    private String field() {
        return "f" + random.nextInt(FIELDS);
    }

    private String lifeMillis() {
        return Integer.toString(1 + random.nextInt(LONGEST_LIFE_MILLIS));
    }
}
