package dev.granary.storage.door;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.AsyncKeys;
import dev.granary.client.AsyncNames;
import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.Durability;
import dev.granary.client.LockHeldException;
import dev.granary.client.LockLostException;
import dev.granary.client.LockView;
import dev.granary.client.NamedChunk;
import dev.granary.client.Place;
import dev.granary.overlay.Cid;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import dev.granary.serialization.SegmentImporter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Chunks on the heap in place of a cluster: the answers of owners and super-peers, at once or when a test wants them.
 * Thread-safe.
 */
final class HeapChunks implements AsyncGranaryClient, AsyncNames {

    static final int NID = 0x8000;

    private final Map<Long, byte[]> values = new HashMap<>();
    private final Map<Long, Long> tokens = new HashMap<>();
    private final Map<Long, Long> held = new HashMap<>();
    private final Map<String, Long> names = new TreeMap<>();
    private final List<String> calls = new ArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private @Nullable RuntimeException failure;
    private long lost;
    private long lastLid;
    private boolean holding;

    /** Returns what was asked for so far. */
    synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    /** Fails what is asked from now on; null to answer again. */
    synchronized void fail(@Nullable RuntimeException with) {
        failure = with;
    }

    synchronized void lose(long cid) {
        values.remove(cid);
        lost = cid;
    }

    /** Lets answers wait from now on. */
    synchronized void hold() {
        holding = true;
    }

    /** Answers what waits, by the caller's thread. */
    void letGo() {
        List<Runnable> ready;
        synchronized (this) {
            holding = false;
            ready = List.copyOf(waiting);
            waiting.clear();
        }
        ready.forEach(Runnable::run);
    }

    synchronized int waiting() {
        return waiting.size();
    }

    synchronized boolean isLocked(long cid) {
        return held.containsKey(cid);
    }

    private synchronized <T> CompletableFuture<T> answer(String call, Supplier<T> result) {
        calls.add(call);
        CompletableFuture<T> answer = new CompletableFuture<>();
        Runnable end;
        try {
            if (failure != null) {
                throw failure;
            }
            T value = result.get();
            end = () -> answer.complete(value);
        } catch (RuntimeException e) {
            end = () -> answer.completeExceptionally(e);
        }
        if (holding) {
            waiting.add(end);
        } else {
            end.run();
        }
        return answer;
    }

    private byte[] need(long cid) {
        if (cid == lost) {
            throw new ChunkLostException(cid);
        }
        byte[] value = values.get(cid);
        if (value == null) {
            throw new ChunkNotFoundException(cid);
        }
        return value;
    }

    private long add(byte[] value) {
        long cid = Cid.of(NID, ++lastLid);
        values.put(cid, value);
        return cid;
    }

    private static String at(Place place) {
        return switch (place) {
            case Place.Near near -> " near " + Cid.toHex(near.cid());
            case Place.On on -> " on " + on.nid();
            default -> "";
        };
    }

    private static <T extends Importable> T load(T object, byte[] value) {
        object.importFrom(new SegmentImporter(MemorySegment.ofArray(value), 0, value.length));
        return object;
    }

    @Override
    public CompletableFuture<Long> create(byte[] value, Place place) {
        return answer("create" + at(place), () -> add(value));
    }

    @Override
    public CompletableFuture<long[]> createAll(List<byte[]> contents, Place place) {
        return answer(
                "create " + contents.size() + at(place),
                () -> contents.stream().mapToLong(this::add).toArray());
    }

    @Override
    public <T extends Importable> CompletableFuture<T> get(long cid, T object) {
        return answer("get", () -> load(object, need(cid)));
    }

    @Override
    public <T extends Importable> CompletableFuture<List<@Nullable T>> getObjects(long[] cids, IntFunction<T> factory) {
        return answer("get " + cids.length, () -> {
            List<@Nullable T> found = new ArrayList<>();
            for (int i = 0; i < cids.length; i++) {
                byte[] value = values.get(cids[i]);
                found.add(value == null ? null : load(factory.apply(i), value));
            }
            return found;
        });
    }

    @Override
    @SuppressWarnings("NullAway") // Void has no other value.
    public CompletableFuture<Void> put(long cid, byte[] value) {
        return answer("put", () -> {
            need(cid);
            values.put(cid, value);
            return null;
        });
    }

    @Override
    public CompletableFuture<ChunkOutcome[]> putAll(long[] cids, List<byte[]> contents) {
        return answer("put " + cids.length, () -> {
            ChunkOutcome[] outcomes = new ChunkOutcome[cids.length];
            for (int i = 0; i < cids.length; i++) {
                boolean full = contents.get(i).length == 13;
                outcomes[i] = full ? ChunkOutcome.OUT_OF_MEMORY : ChunkOutcome.NOT_FOUND;
                if (!full && values.replace(cids[i], contents.get(i)) != null) {
                    outcomes[i] = ChunkOutcome.OK;
                }
            }
            return outcomes;
        });
    }

    @Override
    public CompletableFuture<ChunkOutcome[]> deleteAll(long[] cids) {
        return answer("delete " + cids.length, () -> Arrays.stream(cids)
                .mapToObj(cid -> values.remove(cid) == null ? ChunkOutcome.NOT_FOUND : ChunkOutcome.OK)
                .toArray(ChunkOutcome[]::new));
    }

    @Override
    public AsyncNames names() {
        return this;
    }

    @Override
    public CompletableFuture<OptionalLong> put(String name, long cid) {
        return answer("name", () -> {
            need(cid);
            return optional(names.put(name, cid));
        });
    }

    @Override
    public CompletableFuture<Boolean> putIfAbsent(String name, long cid) {
        return answer("name", () -> {
            need(cid);
            return names.putIfAbsent(name, cid) == null;
        });
    }

    @Override
    public CompletableFuture<Boolean> replace(String name, long expectedCid, long cid) {
        return answer("name", () -> {
            need(cid);
            return names.replace(name, expectedCid, cid);
        });
    }

    @Override
    public CompletableFuture<OptionalLong> remove(String name) {
        return answer("name", () -> optional(names.remove(name)));
    }

    @Override
    public CompletableFuture<Boolean> remove(String name, long expectedCid) {
        return answer("name", () -> names.remove(name, expectedCid));
    }

    @Override
    public CompletableFuture<OptionalLong> get(String name) {
        return answer("name", () -> optional(names.get(name)));
    }

    @Override
    public CompletableFuture<List<NamedChunk>> list(String prefix, String after, int limit) {
        return answer("list '" + prefix + "' '" + after + "' " + limit, () -> names.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .filter(entry -> entry.getKey().compareTo(after) > 0)
                .limit(limit)
                .map(entry -> new NamedChunk(entry.getKey(), entry.getValue()))
                .toList());
    }

    private static OptionalLong optional(@Nullable Long cid) {
        return cid == null ? OptionalLong.empty() : OptionalLong.of(cid);
    }

    @Override
    public CompletableFuture<AsyncChunkLock> lock(long cid, Duration lease, Duration wait) {
        return answer("lock " + lease.toMillis() + " " + wait.toMillis(), () -> {
            need(cid);
            if (held.containsKey(cid)) {
                throw new LockHeldException(cid, 1_000_000);
            }
            long token = tokens.merge(cid, 1L, Long::sum);
            held.put(cid, token);
            return heldLock(cid, token);
        });
    }

    @Override
    public AsyncChunkLock heldLock(long cid, long token) {
        return new Lock(cid, token);
    }

    @Override
    public CompletableFuture<LockView> lockView(long cid) {
        return answer("view", () -> new LockView(held.getOrDefault(cid, 0L), Duration.ofMillis(1500), 2));
    }

    @Override
    public AsyncGranaryClient withDurability(Durability durability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Long> create(Exportable object, Place place) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<long[]> createObjects(List<? extends Exportable> objects, Place place) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<long[]> createZeroed(int count, int sizeBytes, Place place) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<byte[]> get(long cid) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<List<byte @Nullable []>> getAll(long[] cids) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> put(long cid, Exportable object) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<ChunkOutcome[]> putObjects(long[] cids, List<? extends Exportable> objects) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> delete(long cid) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <K> AsyncKeys<K> keys(Function<? super K, byte[]> bytesOf) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}

    /** A lock by its token, without a clock. */
    @SuppressWarnings("NullAway") // Void has no other value.
    private final class Lock implements AsyncChunkLock {

        private final long cid;
        private final long token;

        private Lock(long cid, long token) {
            this.cid = cid;
            this.token = token;
        }

        private void check() {
            if (!Objects.equals(tokens.get(cid), token)) {
                throw new LockLostException(cid);
            }
        }

        @Override
        public long cid() {
            return cid;
        }

        @Override
        public long token() {
            return token;
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public Duration remaining() {
            return Duration.ofSeconds(9);
        }

        @Override
        public Duration lease() {
            return Duration.ofSeconds(10);
        }

        @Override
        public CompletableFuture<Void> renew() {
            return answer("renew", () -> {
                check();
                return null;
            });
        }

        @Override
        public CompletableFuture<Void> put(byte[] value) {
            return answer("put locked", () -> {
                check();
                need(cid);
                values.put(cid, value);
                return null;
            });
        }

        @Override
        public CompletableFuture<Void> put(Exportable object) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> delete() {
            return answer("delete locked", () -> {
                check();
                need(cid);
                values.remove(cid);
                return null;
            });
        }

        @Override
        public CompletableFuture<Void> unlock() {
            return answer("unlock", () -> {
                held.remove(cid, token);
                return null;
            });
        }
    }
}
