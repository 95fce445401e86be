package dev.granary.e2e.load.redis;

import dev.granary.e2e.load.redis.RespConnection.RedisError;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client with one request at a time. It does what libraries do: it connects again, tries again what was refused, and,
 * if it knows of clusters, follows {@code MOVED} and remembers where each key is.
 */
final class RedisWorker implements Runnable {

    private static final Set<String> REFUSED = Set.of("TRYAGAIN", "CLUSTERDOWN");
    private static final String UNKNOWN = "ERR outcome unknown";
    private static final long RETRY_MILLIS = 50;
    private static final long PAUSE_MILLIS = 10;

    /** An operation that takes longer has failed. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** A write that is not repeated, because it may have been carried out. */
    private static final class UnknownOutcome extends IOException {
        private static final long serialVersionUID = 1;

        UnknownOutcome(Exception cause) {
            super(String.valueOf(cause.getMessage()), cause);
        }
    }

    private final RedisTally tally;
    private final String service;
    private final Access access;
    private final boolean knowsClusters;
    private final RedisKeys keys;
    private final SplittableRandom random;
    private final Map<String, RespConnection> connections = new HashMap<>();
    private final Map<String, String> places = new HashMap<>();
    private volatile boolean stopped;

    /**
     * A client that has not connected yet.
     *
     * @param service host and port that lead to any door
     * @param access how it gets in
     * @param knowsClusters whether it asks for the slots, and follows redirects
     */
    RedisWorker(RedisTally tally, String service, Access access, boolean knowsClusters, RedisKeys keys, long seed) {
        this.tally = tally;
        this.service = service;
        this.access = access;
        this.knowsClusters = knowsClusters;
        this.keys = keys;
        this.random = new SplittableRandom(seed);
    }

    void stop() {
        stopped = true;
    }

    /** Works until it is stopped, then reads all its keys once more. */
    @Override
    public void run() {
        try {
            while (!stopped) {
                int place = random.nextInt(keys.count());
                if (random.nextBoolean()) {
                    write(place);
                } else {
                    var _ = read(keys.key(place), value -> keys.complaint(place, value));
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            readAll();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.values().forEach(RedisWorker::closeQuietly);
        }
    }

    /** Reads all keys, up to the first for which there is no answer: others would keep the program for minutes. */
    private void readAll() throws InterruptedException {
        boolean answered = true;
        for (int i = 0; answered && i < keys.count(); i++) {
            int place = i;
            answered = read(keys.key(place), value -> keys.complaint(place, value));
        }
        for (String key : keys.unsureKeys()) {
            answered = answered && read(key, value -> keys.complaint(key, value));
        }
    }

    /** Judges a value that was read. */
    @FunctionalInterface
    private interface Judge {
        @Nullable
        String complaint(@Nullable String value);
    }

    private void write(int place) throws InterruptedException {
        String value = keys.nextValue(place);
        long beganNanos = System.nanoTime();
        try {
            Object reply = carriedOut(keys.key(place), beganNanos, false, "SET", keys.key(place), value);
            tally.answered(System.nanoTime() - beganNanos);
            if ("OK".equals(reply)) {
                keys.acknowledged(place, value);
            } else {
                tally.wrong("SET answers " + reply);
            }
        } catch (UnknownOutcome e) {
            tally.unknown();
            keys.unknown(place, value);
        } catch (IOException e) {
            tally.failed("SET " + keys.key(place) + ": " + e);
            keys.unknown(place, value);
        }
    }

    /** Returns whether there was an answer. */
    private boolean read(String key, Judge judge) throws InterruptedException {
        long beganNanos = System.nanoTime();
        try {
            Object reply = carriedOut(key, beganNanos, true, "GET", key);
            tally.answered(System.nanoTime() - beganNanos);
            String complaint = judge.complaint((String) reply);
            if (complaint != null) {
                tally.wrong(complaint);
            }
            return true;
        } catch (IOException e) {
            tally.failed("GET " + key + ": " + e);
            return false;
        }
    }

    /** Returns the reply, whatever it takes until then. */
    private @Nullable Object carriedOut(String key, long beganNanos, boolean repeatable, String... words)
            throws IOException, InterruptedException {
        while (true) {
            String address = places.getOrDefault(key, service);
            RespConnection connection;
            try {
                connection = connection(address);
            } catch (IOException e) {
                lost(address, key);
                retry(beganNanos, e);
                continue;
            }
            try {
                return connection.call(words);
            } catch (RedisError e) {
                if (e.kind().equals("MOVED") && knowsClusters) {
                    tally.redirected();
                    places.put(key, lastWord(e));
                    requirePatience(beganNanos, e);
                } else if (String.valueOf(e.getMessage()).startsWith(UNKNOWN) && !repeatable) {
                    throw new UnknownOutcome(e);
                } else if (REFUSED.contains(e.kind())
                        || String.valueOf(e.getMessage()).startsWith(UNKNOWN)) {
                    retry(beganNanos, e);
                } else {
                    throw e;
                }
            } catch (IOException e) {
                lost(address, key);
                if (!repeatable) {
                    throw new UnknownOutcome(e);
                }
                retry(beganNanos, e);
            }
        }
    }

    private static String lastWord(RedisError moved) {
        String message = String.valueOf(moved.getMessage());
        return message.substring(message.lastIndexOf(' ') + 1);
    }

    private static void retry(long beganNanos, IOException last) throws IOException, InterruptedException {
        requirePatience(beganNanos, last);
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }

    private static void requirePatience(long beganNanos, IOException last) throws IOException {
        if (System.nanoTime() - beganNanos > PATIENCE_NANOS) {
            throw last;
        }
    }

    private RespConnection connection(String address) throws IOException {
        RespConnection open = connections.get(address);
        if (open == null) {
            open = RespConnection.to(address, access);
            connections.put(address, open);
            if (knowsClusters) {
                open.call("CLUSTER", "SLOTS");
            }
        }
        return open;
    }

    /** Forgets a connection that was lost, and that the key was there: the next request goes through the Service. */
    private void lost(String address, String key) {
        places.remove(key);
        RespConnection gone = connections.remove(address);
        if (gone != null) {
            closeQuietly(gone);
        }
    }

    private static void closeQuietly(RespConnection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            System.out.println("closing a connection failed: " + e);
        }
    }
}
