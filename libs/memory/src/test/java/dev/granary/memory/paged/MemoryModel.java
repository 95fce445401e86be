package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryStatistics;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a chunk memory should hold, on the heap: the chunks with their bytes and marks, and CIDs that are free. */
final class MemoryModel {

    /** A chunk as it should be. */
    static final class Chunk {
        final long cid;
        byte[] content;
        boolean readOnly;

        /** Its address in this process while it is pinned, else 0. */
        long pinnedAt;

        int readLocks;
        boolean writeLocked;

        /** Whether the memory has chosen its CID. */
        boolean created;

        /** Where it is in the model's list. */
        private int index;

        Chunk(long cid, byte[] content) {
            this.cid = cid;
            this.content = content;
        }

        boolean isPinned() {
            return pinnedAt != 0;
        }

        boolean isLocked() {
            return writeLocked || readLocks > 0;
        }
    }

    /** How many freed CIDs are remembered. */
    private static final int GRAVES = 1000;

    private final Map<Long, Chunk> chunks = new HashMap<>();
    private final List<Chunk> order = new ArrayList<>();
    private final List<Long> graves = new ArrayList<>();

    int size() {
        return chunks.size();
    }

    long payloadBytes() {
        return chunks.values().stream().mapToLong(chunk -> chunk.content.length).sum();
    }

    Iterable<Chunk> all() {
        return chunks.values();
    }

    boolean has(long cid) {
        return chunks.containsKey(cid);
    }

    /** Adds a chunk whose CID the memory has chosen. */
    void addCreated(long cid, byte[] content) {
        add(cid, content);
        chunk(cid).created = true;
    }

    void add(long cid, byte[] content) {
        Chunk chunk = new Chunk(cid, content);
        assertThat(chunks.put(cid, chunk)).as("0x%016x given twice", cid).isNull();
        chunk.index = order.size();
        order.add(chunk);
    }

    @Nullable
    Chunk any(Random random) {
        return order.isEmpty() ? null : order.get(random.nextInt(order.size()));
    }

    Chunk chunk(long cid) {
        Chunk found = chunks.get(cid);
        if (found == null) {
            throw new AssertionError("0x%016x is not in the model".formatted(cid));
        }
        return found;
    }

    /** Removes a chunk; its CID may be looked for later, and must not be found. */
    void remove(long cid) {
        Chunk gone = chunk(cid);
        Chunk last = order.removeLast();
        if (last != gone) {
            order.set(gone.index, last);
            last.index = gone.index;
        }
        chunks.remove(cid);
        if (graves.size() == GRAVES) {
            graves.removeFirst();
        }
        graves.add(cid);
    }

    /** A CID that was freed and not given again, if one is found soon. */
    @Nullable
    Long grave(Random random) {
        for (int i = 0; i < 5 && !graves.isEmpty(); i++) {
            long cid = graves.get(random.nextInt(graves.size()));
            if (!chunks.containsKey(cid)) {
                return cid;
            }
        }
        return null;
    }

    /** Distinct chunks that can be deleted. */
    List<Chunk> someDeletable(Random random, int count) {
        Set<Chunk> found = new LinkedHashSet<>();
        for (int i = 0; i < count && !order.isEmpty(); i++) {
            Chunk chunk = order.get(random.nextInt(order.size()));
            if (!chunk.isPinned() && !chunk.isLocked()) {
                found.add(chunk);
            }
        }
        return new ArrayList<>(found);
    }

    /** Nobody pins or locks a chunk any more. */
    void forgetHolders() {
        for (Chunk chunk : chunks.values()) {
            chunk.pinnedAt = 0;
            chunk.readLocks = 0;
            chunk.writeLocked = false;
        }
    }

    /** Compares all chunks with a memory. */
    void compareAll(ChunkMemory memory) {
        byte[] room = new byte[1 << 20];
        long mark = memory.lidMark();
        MemorySegment target = MemorySegment.ofArray(room);
        for (Chunk chunk : chunks.values()) {
            int size = memory.get(chunk.cid, target, 0, room.length);
            int length = chunk.content.length;
            if (size != length || !Arrays.equals(room, 0, length, chunk.content, 0, length)) {
                throw new AssertionError("0x%016x differs: %d B, should be %d".formatted(chunk.cid, size, length));
            }
            if (chunk.created && (chunk.cid & ChunkMemory.MAX_LID) >= mark) {
                throw new AssertionError("0x%016x was given, and the mark is %d".formatted(chunk.cid, mark));
            }
        }
        MemoryStatistics figures = memory.statistics();
        assertThat(figures.chunks()).isEqualTo(chunks.size());
        assertThat(figures.payloadBytes()).isEqualTo(payloadBytes());
    }

    /** Fails unless an operation is refused in a certain way. */
    static void refused(Class<? extends RuntimeException> how, Runnable operation) {
        assertThatThrownBy(operation::run).isInstanceOf(how);
    }
}
