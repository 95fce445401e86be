package dev.granary.e2e.load;

import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread with a client, one operation after the other, on chunks that only this thread changes: so it knows what each get
 * must answer. One that starts cold connects anew again and again, each time with an empty cache.
 */
final class LoadWorker implements Runnable {

    private static final int CHUNKS = 100;
    private static final int VALUE_BYTES = 64;
    private static final int OPERATIONS_OF_A_COLD_CLIENT = 200;

    private final int number;
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

        /** The version that was written last with an acknowledgement. */
        private long acknowledged;

        /** The highest version that was ever sent. */
        private long sent;

        /** Versions whose writing had an unknown outcome: they may appear at any time. */
        private final Set<Long> unknown = new HashSet<>();

        Chunk(long cid, long number) {
            this.cid = cid;
            this.number = number;
        }
    }

    LoadWorker(int number, Load load, ClientOptions options, boolean cold, int pauseMillis) {
        this.pauseMillis = pauseMillis;
        this.number = number;
        this.load = load;
        this.options = options;
        this.cold = cold;
        this.random = new SplittableRandom(number);
    }

    /** Makes the worker's chunks and, when it is a warm one, leaves it with what it has learnt. */
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
            long next = ++chunk.sent;
            if (load.time("put", () -> working.put(chunk.cid, value(chunk.number, next)))) {
                chunk.acknowledged = next;
            } else {
                chunk.unknown.add(next);
            }
        } else if (choice < 95) {
            load.time("create", () -> create(working));
        } else if (chunks.size() > CHUNKS) {
            chunks.remove(chunk);
            load.time("delete", () -> working.delete(chunk.cid));
        }
    }

    private void create(GranaryClient creating) {
        long next = made++;
        chunks.add(new Chunk(creating.create(value(next, 0)), next));
    }

    private void get(GranaryClient reader, Chunk chunk) {
        byte[] value;
        try {
            value = reader.get(chunk.cid);
        } catch (ChunkLostException | ChunkNotFoundException e) {
            throw new WrongAnswer("chunk of worker " + number + " with the acknowledged version " + chunk.acknowledged
                    + ": " + e.getMessage());
        }
        requireValue(chunk, value);
    }

    private void requireValue(Chunk chunk, byte[] value) {
        long version = value.length == VALUE_BYTES ? ByteBuffer.wrap(value).getLong(2 * Long.BYTES) : -1;
        boolean possible = version == chunk.acknowledged || chunk.unknown.contains(version);
        if (!possible || !Arrays.equals(value, value(chunk.number, version))) {
            throw new WrongAnswer("chunk " + Long.toHexString(chunk.cid) + " of worker " + number + " is at version "
                    + version + " (" + value.length + " B), acknowledged was " + chunk.acknowledged);
        }
    }

    private byte[] value(long chunkNumber, long version) {
        ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
        value.putLong(number).putLong(chunkNumber);
        while (value.hasRemaining()) {
            value.putLong(version);
        }
        return value.array();
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
