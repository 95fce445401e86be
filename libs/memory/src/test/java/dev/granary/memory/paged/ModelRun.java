package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkAccess;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.LockChoice;
import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import dev.granary.memory.NotLockedException;
import dev.granary.memory.NotPinnedException;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.PinnedException;
import dev.granary.memory.ReadOnlyException;
import dev.granary.memory.SizeMismatchException;
import dev.granary.serialization.BufferTooSmallException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;

/** One run of random operations on a chunk memory, each checked against a {@link MemoryModel}. */
final class ModelRun {

    private static final int[] NIDS = {1, 0x7fff, MemoryTests.NID + 1};

    private final ChunkMemory memory;
    private final MemoryModel model;
    private final Random random;
    private final IntSupplier sizes;
    private final int batch;
    private int growing = 1;
    private int refusedForMemory;

    /**
     * A run.
     *
     * @param sizes gives the sizes of chunks
     * @param batch the most chunks of a batch
     */
    ModelRun(ChunkMemory memory, MemoryModel model, Random random, IntSupplier sizes, int batch) {
        this.memory = memory;
        this.model = model;
        this.random = random;
        this.sizes = sizes;
        this.batch = batch;
    }

    int refusedForMemory() {
        return refusedForMemory;
    }

    /** One operation, or one batch. */
    void step() {
        if (random.nextInt(1500) == 0) {
            // Long phases of growth and shrinking, so that pages fill and become empty.
            growing = -growing;
        }
        int kind = random.nextInt(100);
        try {
            if (kind < (growing > 0 ? 25 : 10)) {
                create();
            } else if (kind < (growing > 0 ? 32 : 35)) {
                delete();
            } else if (kind < 37) {
                createBatch();
            } else if (kind < 40) {
                deleteBatch();
            } else if (kind < 44) {
                insert();
            } else if (kind < 52) {
                put();
            } else if (kind < 64) {
                replaceOrResize();
            } else if (kind < 66) {
                replaceBatch();
            } else if (kind < 72) {
                pinOrUnpin();
            } else if (kind < 74) {
                setReadOnly();
            } else if (kind < 80) {
                lockOrUnlock();
            } else if (kind < 86) {
                useLocking();
            } else if (kind < 90) {
                getBatch();
            } else if (kind < 94) {
                if (random.nextInt(20) == 0) {
                    memory.defragment(random.nextInt(1 << 22));
                }
                lookForTheDead();
            } else {
                get();
            }
        } catch (OutOfChunkMemoryException e) {
            refusedForMemory++;
            assertThat(memory.statistics().chunks()).isEqualTo(model.size());
            deleteBatch();
        }
    }

    /** Ends all pins and locks, and deletes everything. */
    void deleteAll() {
        long[] cids = new long[model.size()];
        int count = 0;
        for (MemoryModel.Chunk chunk : model.all()) {
            if (chunk.isPinned()) {
                memory.unpin(chunk.cid);
            }
            for (int i = 0; i < chunk.readLocks; i++) {
                memory.unlock(chunk.cid, LockMode.READ);
            }
            if (chunk.writeLocked) {
                memory.unlock(chunk.cid, LockMode.WRITE);
            }
            cids[count++] = chunk.cid;
        }
        assertThat(memory.delete(cids, 0, count, new boolean[count])).isEqualTo(count);
        assertThat(memory.statistics().chunks()).isZero();
        assertThat(memory.statistics().payloadBytes()).isZero();
    }

    private byte[] content() {
        return MemoryTests.random(random, sizes.getAsInt());
    }

    private void create() {
        byte[] content = content();
        long cid =
                switch (random.nextInt(5)) {
                    case 0 -> memory.create(TestObject.of(content));
                    case 1 -> {
                        Arrays.fill(content, (byte) 0);
                        yield memory.create(content.length);
                    }
                    default -> memory.create(MemorySegment.ofArray(content), 0, content.length);
                };
        model.addCreated(cid, content);
    }

    private void createBatch() {
        int count = random.nextInt(batch);
        int[] each = new int[count];
        Arrays.setAll(each, i -> sizes.getAsInt());
        if (random.nextBoolean()) {
            Arrays.fill(each, sizes.getAsInt());
        }
        byte[] all = MemoryTests.random(random, Arrays.stream(each).sum());
        boolean zeros = random.nextInt(4) == 0;
        long[] created = new long[count];
        memory.create(count, each, zeros ? null : MemorySegment.ofArray(all), 0, created);
        int at = 0;
        for (int i = 0; i < count; i++) {
            model.addCreated(created[i], zeros ? new byte[each[i]] : Arrays.copyOfRange(all, at, at + each[i]));
            at += each[i];
        }
    }

    /** Own CIDs that were freed or never given, and those of other peers. */
    private void insert() {
        long cid;
        Long grave = model.grave(random);
        if (grave != null && random.nextBoolean()) {
            cid = grave;
        } else if (random.nextInt(4) == 0) {
            cid = (long) MemoryTests.NID << 48 | (memory.lidMark() + random.nextInt(3000));
        } else {
            long lid = random.nextInt(10) == 0 ? 1L << (20 + random.nextInt(27)) : 1 + random.nextInt(3000);
            cid = (long) NIDS[random.nextInt(NIDS.length)] << 48 | lid;
        }
        byte[] content = content();
        boolean inserted = memory.insert(cid, MemorySegment.ofArray(content), 0, content.length);
        assertThat(inserted).as("0x%016x inserted", cid).isEqualTo(!model.has(cid));
        if (inserted) {
            model.add(cid, content);
        }
    }

    private void delete() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk == null) {
            return;
        }
        if (chunk.isPinned()) {
            MemoryModel.refused(PinnedException.class, () -> memory.delete(chunk.cid));
        } else if (!chunk.isLocked()) {
            assertThat(memory.delete(chunk.cid)).isTrue();
            assertThat(memory.delete(chunk.cid)).isFalse();
            model.remove(chunk.cid);
        }
    }

    private void deleteBatch() {
        List<MemoryModel.Chunk> chosen = model.someDeletable(random, 1 + random.nextInt(batch));
        long[] cids = chosen.stream().mapToLong(chunk -> chunk.cid).toArray();
        assertThat(memory.delete(cids, 0, cids.length, new boolean[cids.length]))
                .isEqualTo(cids.length);
        for (long cid : cids) {
            model.remove(cid);
        }
    }

    private void put() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk == null) {
            return;
        }
        byte[] content = MemoryTests.random(random, chunk.content.length);
        MemorySegment source = MemorySegment.ofArray(content);
        if (random.nextInt(8) == 0) {
            MemorySegment longer = MemorySegment.ofArray(new byte[content.length + 1]);
            MemoryModel.refused(
                    SizeMismatchException.class, () -> memory.put(chunk.cid, longer, 0, content.length + 1));
        } else if (chunk.readOnly) {
            MemoryModel.refused(ReadOnlyException.class, () -> memory.put(chunk.cid, source, 0, content.length));
        } else if (random.nextInt(4) == 0) {
            assertThat(memory.put(chunk.cid, TestObject.of(content))).isTrue();
            chunk.content = content;
        } else {
            assertThat(memory.put(chunk.cid, source, 0, content.length)).isTrue();
            chunk.content = content;
        }
    }

    private void replaceOrResize() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk == null) {
            return;
        }
        boolean resize = random.nextBoolean();
        byte[] before = chunk.content;
        int size = random.nextInt(10) == 0 ? before.length : sizes.getAsInt();
        byte[] after = resize ? Arrays.copyOf(before, size) : MemoryTests.random(random, size);
        Runnable operation = () -> assertThat(
                        resize
                                ? memory.resize(chunk.cid, size)
                                : memory.replace(chunk.cid, MemorySegment.ofArray(after), 0, size))
                .isTrue();
        if (chunk.readOnly) {
            MemoryModel.refused(ReadOnlyException.class, operation);
        } else if (chunk.isPinned() && size != before.length) {
            MemoryModel.refused(PinnedException.class, operation);
        } else {
            operation.run();
            chunk.content = after;
        }
    }

    private void replaceBatch() {
        List<MemoryModel.Chunk> chosen = model.someDeletable(random, random.nextInt(20));
        chosen.removeIf(chunk -> chunk.readOnly);
        long[] cids = new long[chosen.size() + 1];
        int[] each = new int[cids.length];
        Arrays.setAll(each, i -> sizes.getAsInt());
        for (int i = 0; i < chosen.size(); i++) {
            cids[i] = chosen.get(i).cid;
        }
        Long grave = model.grave(random);
        cids[chosen.size()] = grave == null ? (long) MemoryTests.NID << 48 | ChunkMemory.MAX_LID : grave;
        byte[] all = MemoryTests.random(random, Arrays.stream(each).sum());
        boolean[] replaced = new boolean[cids.length];
        int before = refusedForMemory;
        try {
            assertThat(memory.replace(cids, 0, cids.length, MemorySegment.ofArray(all), 0, each, replaced))
                    .isEqualTo(chosen.size());
            assertThat(replaced[chosen.size()]).isFalse();
        } catch (OutOfChunkMemoryException e) {
            refusedForMemory = before + 1;
        }
        int at = 0;
        for (int i = 0; i < chosen.size(); i++) {
            if (replaced[i]) {
                chosen.get(i).content = Arrays.copyOfRange(all, at, at + each[i]);
            }
            at += each[i];
        }
    }

    private void pinOrUnpin() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk == null) {
            return;
        }
        if (!chunk.isPinned()) {
            MemoryModel.refused(NotPinnedException.class, () -> memory.unpin(chunk.cid));
            chunk.pinnedAt = memory.pin(chunk.cid);
            assertThat(chunk.pinnedAt).isNotZero();
        } else {
            MemoryModel.refused(PinnedException.class, () -> memory.pin(chunk.cid));
            checkPinned(chunk);
            memory.unpin(chunk.cid);
            chunk.pinnedAt = 0;
        }
    }

    /** What is at the address where a chunk was pinned, some operations ago, is still what it holds. */
    static void checkPinned(MemoryModel.Chunk chunk) {
        byte[] there = MemorySegment.ofAddress(chunk.pinnedAt)
                .reinterpret(chunk.content.length)
                .toArray(ValueLayout.JAVA_BYTE);
        assertThat(there).as("pinned 0x%016x", chunk.cid).isEqualTo(chunk.content);
    }

    private void setReadOnly() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk != null) {
            assertThat(memory.setReadOnly(chunk.cid)).isTrue();
            chunk.readOnly = true;
        }
    }

    private void lockOrUnlock() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk == null) {
            return;
        }
        LockMode mode = random.nextBoolean() ? LockMode.READ : LockMode.WRITE;
        if (chunk.writeLocked && mode == LockMode.WRITE) {
            memory.unlock(chunk.cid, mode);
            chunk.writeLocked = false;
        } else if (chunk.readLocks > 0 && mode == LockMode.READ) {
            memory.unlock(chunk.cid, mode);
            chunk.readLocks--;
        } else if (chunk.isLocked()) {
            MemoryModel.refused(LockTimeoutException.class, () -> memory.lock(chunk.cid, LockMode.WRITE, 0));
            MemoryModel.refused(NotLockedException.class, () -> memory.unlock(chunk.cid, mode));
        } else {
            assertThat(memory.lock(chunk.cid, mode, 0)).isTrue();
            chunk.writeLocked = mode == LockMode.WRITE;
            chunk.readLocks = mode == LockMode.READ ? 1 : 0;
        }
    }

    /** Operations that lock: as the others if nobody holds the lock, else refused. */
    private void useLocking() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk == null) {
            return;
        }
        ChunkAccess writing = memory.locking(LockChoice.write(0));
        ChunkAccess reading = memory.locking(LockChoice.read(0));
        byte[] content = MemoryTests.random(random, chunk.content.length);
        MemorySegment source = MemorySegment.ofArray(content);
        if (chunk.isLocked()) {
            MemoryModel.refused(LockTimeoutException.class, () -> writing.put(chunk.cid, source, 0, content.length));
            MemoryModel.refused(LockTimeoutException.class, () -> writing.delete(chunk.cid));
        } else if (chunk.readOnly) {
            MemoryModel.refused(ReadOnlyException.class, () -> writing.put(chunk.cid, source, 0, content.length));
        } else {
            assertThat(writing.put(chunk.cid, source, 0, content.length)).isTrue();
            chunk.content = content;
        }
        if (chunk.writeLocked) {
            MemoryModel.refused(LockTimeoutException.class, () -> reading.sizeOf(chunk.cid));
        } else {
            byte[] room = new byte[chunk.content.length];
            assertThat(reading.get(chunk.cid, MemorySegment.ofArray(room), 0, room.length))
                    .isEqualTo(room.length);
            assertThat(room).isEqualTo(chunk.content);
        }
    }

    private void get() {
        MemoryModel.Chunk chunk = model.any(random);
        if (chunk == null) {
            return;
        }
        assertThat(MemoryTests.bytes(memory, chunk.cid)).isEqualTo(chunk.content);
        if (chunk.isPinned()) {
            checkPinned(chunk);
        }
        assertThat(memory.get(chunk.cid, TestObject.expecting(chunk.content))).isTrue();
        if (chunk.content.length > 0) {
            MemorySegment small = MemorySegment.ofArray(new byte[chunk.content.length - 1]);
            MemoryModel.refused(BufferTooSmallException.class, () -> memory.get(chunk.cid, small, 0, small.byteSize()));
        }
    }

    private void getBatch() {
        long[] cids = new long[random.nextInt(200)];
        int total = 0;
        for (int i = 0; i < cids.length; i++) {
            MemoryModel.Chunk chunk = model.any(random);
            Long grave = model.grave(random);
            if (chunk != null && (grave == null || random.nextInt(10) != 0)) {
                cids[i] = chunk.cid;
                total += chunk.content.length;
            } else {
                cids[i] = grave != null ? grave : (long) MemoryTests.NID << 48 | ChunkMemory.MAX_LID;
            }
        }
        int capacity = random.nextInt(3) == 0 && total > 0 ? random.nextInt(total) : total;
        byte[] room = new byte[capacity];
        int[] got = new int[cids.length];
        int end = memory.get(cids, 0, cids.length, MemorySegment.ofArray(room), 0, capacity, got);
        int at = 0;
        for (int i = 0; i < end; i++) {
            if (!model.has(cids[i])) {
                assertThat(got[i]).isEqualTo(ChunkMemory.ABSENT);
                continue;
            }
            byte[] content = model.chunk(cids[i]).content;
            assertThat(got[i]).isEqualTo(content.length);
            assertThat(Arrays.copyOfRange(room, at, at + got[i])).isEqualTo(content);
            at += got[i];
        }
        if (end < cids.length) {
            assertThat(model.chunk(cids[end]).content.length).isGreaterThan(capacity - at);
        }
    }

    private void lookForTheDead() {
        Long grave = model.grave(random);
        if (grave == null) {
            return;
        }
        MemorySegment nothing = MemorySegment.ofArray(new byte[8]);
        assertThat(memory.sizeOf(grave)).isEqualTo(ChunkMemory.ABSENT);
        assertThat(memory.get(grave, nothing, 0, 8)).isEqualTo(ChunkMemory.ABSENT);
        assertThat(memory.get(grave, in -> {
                    throw new AssertionError("asked to read a chunk that is not there");
                }))
                .isFalse();
        assertThat(memory.put(grave, nothing, 0, 8)).isFalse();
        assertThat(memory.replace(grave, nothing, 0, 8)).isFalse();
        assertThat(memory.resize(grave, 8)).isFalse();
        assertThat(memory.delete(grave)).isFalse();
        assertThat(memory.setReadOnly(grave)).isFalse();
        assertThat(memory.pin(grave)).isZero();
        assertThat(memory.lock(grave, LockMode.READ, 0)).isFalse();
        MemoryModel.refused(NotPinnedException.class, () -> memory.unpin(grave));
        MemoryModel.refused(NotLockedException.class, () -> memory.unlock(grave, LockMode.READ));
    }
}
