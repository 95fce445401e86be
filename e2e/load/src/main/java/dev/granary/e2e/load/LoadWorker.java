package dev.granary.e2e.load;

import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.e2e.load.LoadHistory.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread with a client that does one operation after the other. Only this thread changes its chunks, so it knows what
 * each get must answer. A worker that starts cold connects again and again, each time with an empty cache.
 */
final class LoadWorker implements Runnable {

    private static final int CHUNKS = 100;
    private static final int OPERATIONS_OF_A_COLD_CLIENT = 200;

    private final int number;
    private final String name;
    private final Optional<LoadHistory> history;
    private final Load load;
    private final ClientOptions options;
    private final boolean cold;
    private final int pauseMillis;
    private final SplittableRandom random;
    private final List<Chunk> chunks = new ArrayList<>();
    private @Nullable GranaryClient client;
    private int operationsOfClient;
    private long made;

    private static final class Chunk {
        private final long cid;
        private final long number;

        /** The last version whose write was acknowledged. */
        private long acknowledged;

        /** The highest version that was sent. */
        private long sent;

        /** Versions whose write had an unknown outcome: they may appear at any time. */
        private final Set<Long> unknown = new HashSet<>();

        Chunk(long cid, long number) {
            this.cid = cid;
            this.number = number;
        }
    }

    /** @param history records what the worker asks and sees; empty if there is none */
    LoadWorker(
            int number,
            Load load,
            ClientOptions options,
            boolean cold,
            int pauseMillis,
            Optional<LoadHistory> history) {
        this.history = history;
        this.name = "worker-" + number;
        this.pauseMillis = pauseMillis;
        this.number = number;
        this.load = load;
        this.options = options;
        this.cold = cold;
        this.random = new SplittableRandom(number);
    }

    /** Creates the worker's chunks; a warm worker keeps what its client has learnt. */
    void prepare() {
        GranaryClient preparing = connected();
        while (chunks.size() < CHUNKS) {
            create(preparing);
        }
        if (cold) {
            disconnect();
        }
    }

    @Override
    public void run() {
        try {
            while (!load.isStopped()) {
                if (cold && operationsOfClient >= OPERATIONS_OF_A_COLD_CLIENT) {
                    disconnect();
                }
                if (load.time("connect", this::connected)) {
                    operationsOfClient++;
                    operate(connected());
                }
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            disconnect();
        }
    }

    /** Reads every chunk once more. */
    void verify(GranaryClient reader) {
        for (Chunk chunk : chunks) {
            load.time("last get", () -> get(reader, chunk));
        }
    }

    private void operate(GranaryClient working) {
        int choice = random.nextInt(100);
        Chunk chunk = chunks.get(random.nextInt(chunks.size()));
        if (choice < 60) {
            load.time("get", () -> get(working, chunk));
        } else if (choice < 90) {
            put(working, chunk, ++chunk.sent);
        } else if (choice < 95) {
            load.time("create", () -> create(working));
        } else if (chunks.size() > CHUNKS) {
            chunks.remove(chunk);
            delete(working, chunk);
        }
    }

    private void put(GranaryClient working, Chunk chunk, long version) {
        LoadValue value = value(chunk.number, version);
        Optional<Entry> entry = history.map(sample -> sample.put(name, chunk.cid, value));
        if (load.time("put", () -> working.put(chunk.cid, value.bytes()))) {
            entry.ifPresent(put -> put.end("done"));
            chunk.acknowledged = version;
            load.wrote(number);
        } else {
            entry.ifPresent(Entry::unknown);
            chunk.unknown.add(version);
        }
    }

    private void delete(GranaryClient working, Chunk chunk) {
        Optional<Entry> entry = history.map(sample -> sample.delete(name, chunk.cid));
        boolean done = load.time("delete", () -> working.delete(chunk.cid));
        entry.ifPresent(delete -> {
            if (done) {
                delete.end("done");
            } else {
                delete.unknown();
            }
        });
    }

    private void create(GranaryClient creating) {
        long next = made++;
        LoadValue value = value(next, 0);
        Optional<Entry> entry = history.map(sample -> sample.create(name, value));
        long cid;
        try {
            cid = creating.create(value.bytes());
        } catch (RuntimeException e) {
            entry.ifPresent(Entry::unknown);
            throw e;
        }
        entry.ifPresent(create -> create.created(cid));
        chunks.add(new Chunk(cid, next));
        load.wrote(number);
    }

    private void get(GranaryClient reader, Chunk chunk) {
        Optional<Entry> entry = history.map(sample -> sample.get(name, chunk.cid));
        byte[] value;
        try {
            value = reader.get(chunk.cid);
            entry.ifPresent(get -> get.read(value));
        } catch (ChunkLostException | ChunkNotFoundException e) {
            entry.ifPresent(get -> get.end(e instanceof ChunkLostException ? "lost" : "not-found"));
            throw new WrongAnswer("chunk of worker " + number + " with the acknowledged version " + chunk.acknowledged
                    + ": " + e.getMessage());
        }
        requireValue(chunk, value);
    }

    private void requireValue(Chunk chunk, byte[] value) {
        Optional<LoadValue> found = LoadValue.of(value);
        boolean possible = found.filter(each -> each.equals(value(chunk.number, each.version())))
                .filter(each -> each.version() == chunk.acknowledged || chunk.unknown.contains(each.version()))
                .isPresent();
        if (!possible) {
            throw new WrongAnswer("chunk " + Long.toHexString(chunk.cid) + " of worker " + number + " is "
                    + found.map(LoadValue::toString).orElse("what nobody wrote") + " (" + value.length
                    + " B), the last acknowledged version is " + chunk.acknowledged);
        }
    }

    private LoadValue value(long chunkNumber, long version) {
        return new LoadValue(number, chunkNumber, version);
    }

    private GranaryClient connected() {
        GranaryClient known = client;
        if (known == null) {
            known = GranaryClient.connect(options);
            client = known;
            operationsOfClient = 0;
        }
        return known;
    }

    private void disconnect() {
        if (client != null) {
            client.close();
            client = null;
        }
    }
}
