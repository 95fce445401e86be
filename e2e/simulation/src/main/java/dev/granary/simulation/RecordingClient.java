package dev.granary.simulation;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.Durability;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.LockLostException;
import dev.granary.client.Place;
import dev.granary.client.StorageFullException;
import dev.granary.env.Futures;
import dev.granary.overlay.Cid;
import dev.granary.simulation.conditions.ClientHabits;
import dev.granary.testkit.History;
import dev.granary.testkit.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A client whose operations are recorded in the history. The futures complete however an operation ends. */
final class RecordingClient {

    private final String name;
    private final AsyncGranaryClient client;
    private final History history;
    private final Values values;
    private final RandomGenerator random;
    private final ClientHabits habits;
    private final SimulatedCluster cluster;

    /** Values that no two writes of a run share. */
    static final class Values {
        private long last;

        long next() {
            return ++last;
        }
    }

    RecordingClient(String name, AsyncGranaryClient client, SimulatedCluster cluster, RandomGenerator random) {
        this.name = name;
        this.client = client;
        this.cluster = cluster;
        this.history = cluster.history();
        this.values = cluster.values();
        this.random = random;
        this.habits = cluster.habits();
    }

    private AsyncGranaryClient asking(@Nullable Durability durability) {
        return durability == null ? client : client.withDurability(durability);
    }

    /** Records what the answer to a change that begins will promise. */
    private Operation promising(Operation change, @Nullable Durability durability) {
        if (durability == Durability.ASYNC && change.cid() != Cid.NONE) {
            habits.changedAsync(change.cid());
        }
        return change.promising(ClientHabits.promiseOf(durability));
    }

    private byte[] payload(long value) {
        return Payload.of(value, random, habits.largestPayload(random));
    }

    String name() {
        return name;
    }

    /** Returns the client underneath, for operations that another history records. */
    AsyncGranaryClient client() {
        return client;
    }

    /** Records that a chunk is about to get a name and must be on disks before; ended by {@link #endFence}. */
    Operation beginFence(long cid) {
        return history.fence(name, cid);
    }

    /** Records whether the chunk got its name. */
    static void endFence(Operation fence, @Nullable Throwable failure) {
        end(fence, failure);
    }

    /** Overwrites a chunk through a lock; fails as the lock does. */
    CompletableFuture<Void> put(AsyncChunkLock lock) {
        long value = values.next();
        Operation operation = history.put(name, lock.cid(), value);
        return lock.put(payload(value)).whenComplete((done, failure) -> end(operation, failure));
    }

    /** Creates chunks; completes with their CIDs, or with none when the creation failed. */
    CompletableFuture<long[]> create(int count, Place place) {
        List<Operation> operations = new ArrayList<>();
        List<byte[]> payloads = new ArrayList<>();
        Durability durability = habits.nextDurability(random);
        for (int i = 0; i < count; i++) {
            long value = values.next();
            operations.add(promising(history.create(name, value), durability));
            payloads.add(payload(value));
        }
        return asking(durability).createAll(payloads, place).handle((cids, failure) -> {
            if (durability == Durability.ASYNC) {
                LongStream.of(cids == null ? new long[0] : cids).forEach(habits::changedAsync);
                if (cids == null) {
                    habits.createdAsync();
                }
            }
            for (int i = 0; i < count; i++) {
                if (cids != null) {
                    operations.get(i).created(cids[i]);
                } else if (isOfForgottenPeer(failure)) {
                    operations.get(i).unknown();
                } else {
                    endFailed(operations.get(i), failure);
                }
            }
            return cids == null ? new long[0] : cids;
        });
    }

    private boolean isOfForgottenPeer(@Nullable Throwable failure) {
        return Futures.causeIfAny(failure) instanceof InvalidRequestException && cluster.mayHaveForgottenPeers();
    }

    /** Reads a chunk. */
    CompletableFuture<Operation> read(long cid) {
        Operation operation = history.get(name, cid);
        return client.get(cid).handle((bytes, failure) -> {
            if (bytes != null) {
                operation.read(Payload.valueOf(bytes));
            } else {
                endFailed(operation, failure);
            }
            return operation;
        });
    }

    /** Overwrites a chunk. */
    CompletableFuture<Operation> put(long cid) {
        long value = values.next();
        Durability durability = habits.nextDurability(random);
        Operation operation = promising(history.put(name, cid, value), durability);
        return asking(durability).put(cid, payload(value)).handle((done, failure) -> end(operation, failure));
    }

    /** Deletes a chunk. */
    CompletableFuture<Operation> delete(long cid) {
        Durability durability = habits.nextDurability(random);
        Operation operation = promising(history.delete(name, cid), durability);
        return asking(durability).delete(cid).handle((done, failure) -> end(operation, failure));
    }

    /** Overwrites chunks; all CIDs differ. */
    CompletableFuture<List<Operation>> putAll(long[] cids) {
        List<Operation> operations = new ArrayList<>();
        List<byte[]> payloads = new ArrayList<>();
        Durability durability = habits.nextDurability(random);
        for (long cid : cids) {
            long value = values.next();
            operations.add(promising(history.put(name, cid, value), durability));
            payloads.add(payload(value));
        }
        return asking(durability)
                .putAll(cids, payloads)
                .handle((outcomes, failure) -> endAll(operations, outcomes, failure));
    }

    /** Reads chunks; all CIDs differ. */
    CompletableFuture<List<Operation>> readAll(long[] cids) {
        List<Operation> operations =
                LongStream.of(cids).mapToObj(cid -> history.get(name, cid)).toList();
        return client.getAll(cids).handle((values, failure) -> {
            for (int i = 0; i < cids.length; i++) {
                if (values == null) {
                    endFailed(operations.get(i), failure);
                } else {
                    endRead(operations.get(i), values.get(i));
                }
            }
            return operations;
        });
    }

    /** A batch does not say whether a missing chunk is lost. */
    private void endRead(Operation operation, byte @Nullable [] value) {
        if (value != null) {
            operation.read(Payload.valueOf(value));
        } else if (cluster.mayBeLost(operation.cid())) {
            operation.refused();
        } else {
            operation.notFound();
        }
    }

    /** Deletes chunks; all CIDs differ. */
    CompletableFuture<List<Operation>> deleteAll(long[] cids) {
        Durability durability = habits.nextDurability(random);
        List<Operation> operations = LongStream.of(cids)
                .mapToObj(cid -> promising(history.delete(name, cid), durability))
                .toList();
        return asking(durability).deleteAll(cids).handle((outcomes, failure) -> endAll(operations, outcomes, failure));
    }

    private static List<Operation> endAll(
            List<Operation> operations, ChunkOutcome @Nullable [] outcomes, @Nullable Throwable failure) {
        for (int i = 0; i < operations.size(); i++) {
            if (outcomes != null) {
                endWith(operations.get(i), outcomes[i]);
            } else {
                endFailed(operations.get(i), failure);
            }
        }
        return operations;
    }

    private static Operation end(Operation operation, @Nullable Throwable failure) {
        if (failure == null) {
            operation.done();
        } else {
            endFailed(operation, failure);
        }
        return operation;
    }

    private static void endWith(Operation operation, ChunkOutcome outcome) {
        switch (outcome) {
            case OK -> operation.done();
            case NOT_FOUND -> operation.notFound();
            case LOST -> operation.lost();
            case OUT_OF_MEMORY, FENCED -> operation.refused();
        }
    }

    private static void endFailed(Operation operation, @Nullable Throwable failure) {
        Throwable cause = Futures.causeIfAny(failure);
        switch (cause) {
            case ChunkNotFoundException none -> operation.notFound();
            case ChunkLostException lost -> operation.lost();
            case StorageFullException full -> operation.refused();
            case LockLostException fenced -> operation.refused();
            case InvalidRequestException bug -> throw new AssertionError("a wrong request: " + bug.getMessage(), bug);
            case null, default -> operation.unknown();
        }
    }
}
