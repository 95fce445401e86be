package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.lease.Leases;
import dev.granary.storage.lease.LidSupply;
import dev.granary.storage.replicate.LoneOwner;
import io.netty.buffer.ByteBuf;
import io.prometheus.client.CollectorRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a storage peer without the rest of it, their zone with its backups, and a client that asks for them.
 * Verifies all of it at the end.
 */
final class LoneChunks implements AutoCloseable {

    static final int NID = LoneOwner.NID;
    static final long CLIENT = 0x1234;
    static final long LEASE_NANOS = 600_000 * LoneOwner.MILLI;

    final LoneOwner owner = new LoneOwner();
    final Clock clock = new Clock() {
        @Override
        public long nanoTime() {
            return owner.nowNanos();
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    };
    final Lease lease = Leases.until(clock, owner.nowNanos() + LEASE_NANOS);
    final CollectorRegistry registry = new CollectorRegistry();
    final ChunkMetrics metrics = new ChunkMetrics(registry);
    final ChunkMemory memory =
            ChunkMemories.open(ChunkMemoryConfig.of(NID, 8 << 20).withHugePages(false));
    final Ownership ownership = new Ownership(NID, 1);

    /** How many LIDs creates have wanted that there were not. */
    final List<Integer> exhausted = new ArrayList<>();

    @Nullable
    String usedUp;

    final LidSupply lids = new LidSupply() {
        @Override
        public void created(long lidMark) {
            // Enough are reserved.
        }

        @Override
        public void exhausted(int wantedCount) {
            exhausted.add(wantedCount);
        }

        @Override
        public @Nullable String usedUp() {
            return usedUp;
        }
    };

    LoneChunks() {
        memory.reserveLids(100);
    }

    ServedChunks served() {
        return new ServedChunks(
                memory, ownership, new LockTokens(), owner.replication().zones(), 1);
    }

    CompletableFuture<long[]> create(long sequence, byte[]... payloads) {
        return owner.send(
                MessageType.CREATE,
                out -> {
                    new MutationHeader(CLIENT, sequence, 0, 0, payloads.length).writeTo(out);
                    for (byte[] payload : payloads) {
                        out.writeIntLE(payload.length);
                    }
                    for (byte[] payload : payloads) {
                        out.writeBytes(payload);
                    }
                },
                in -> {
                    long[] cids = new long[in.readIntLE()];
                    for (int i = 0; i < cids.length; i++) {
                        cids[i] = in.readLongLE();
                    }
                    return cids;
                });
    }

    CompletableFuture<int[]> delete(long sequence, long... cids) {
        return owner.send(
                MessageType.DELETE,
                out -> {
                    new MutationHeader(CLIENT, sequence, 0, 0, cids.length).writeTo(out);
                    writeLongs(out, cids);
                },
                in -> {
                    int[] statuses = new int[in.readIntLE()];
                    for (int i = 0; i < statuses.length; i++) {
                        statuses[i] = in.readByte();
                    }
                    return statuses;
                });
    }

    /** The sizes of chunks, or their negated statuses. */
    CompletableFuture<int[]> get(long... cids) {
        return send(
                MessageType.GET,
                out -> {
                    out.writeIntLE(0).writeIntLE(cids.length);
                    writeLongs(out, cids);
                },
                in -> {
                    int[] results = new int[in.readIntLE()];
                    for (int i = 0; i < results.length; i++) {
                        results[i] = in.readIntLE();
                    }
                    return results;
                });
    }

    <R> CompletableFuture<R> send(int type, Consumer<ByteBuf> write, Function<ByteBuf, R> read) {
        return owner.send(type, write, read);
    }

    private static void writeLongs(ByteBuf out, long[] values) {
        for (long value : values) {
            out.writeLongLE(value);
        }
    }

    /** Lets the answer come. */
    <R> R await(CompletableFuture<R> answer) {
        assertThat(owner.world.runUntil(answer::isDone, 5_000 * LoneOwner.MILLI))
                .isTrue();
        return answer.join();
    }

    /** Why a request is refused. */
    ErrorReply refusal(CompletableFuture<?> answer) {
        assertThat(owner.world.runUntil(answer::isDone, 5_000 * LoneOwner.MILLI))
                .isTrue();
        assertThat(answer).isCompletedExceptionally();
        assertThat(answer.exceptionNow()).isInstanceOf(RemoteErrorException.class);
        return ((RemoteErrorException) answer.exceptionNow()).reply();
    }

    int counted(Operation operation, Outcome outcome) {
        return registry.getSampleValue(
                        "granary_storage_operations_total",
                        new String[] {"operation", "outcome"},
                        new String[] {operation.label, outcome.label})
                .intValue();
    }

    @Override
    public void close() {
        owner.close();
        assertThat(memory.verify().violations()).isEmpty();
        memory.close();
    }
}
