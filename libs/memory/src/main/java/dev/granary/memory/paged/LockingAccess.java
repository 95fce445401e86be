package dev.granary.memory.paged;

import dev.granary.memory.ChunkAccess;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.LockMode;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.lang.foreign.MemorySegment;

/** Operations that lock each chunk while they work on it, batches one chunk after the other. Thread-safe. */
final class LockingAccess implements ChunkAccess {

    private final PagedChunkMemory memory;
    private final LockMode mode;
    private final long timeoutNanos;

    LockingAccess(PagedChunkMemory memory, LockMode mode, long timeoutNanos) {
        this.memory = memory;
        this.mode = mode;
        this.timeoutNanos = timeoutNanos;
    }

    @Override
    public int sizeOf(long cid) {
        if (!lock(cid)) {
            return ChunkMemory.ABSENT;
        }
        try {
            return memory.sizeOf(cid);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public int get(long cid, MemorySegment target, long offset, long capacityBytes) {
        if (!lock(cid)) {
            return ChunkMemory.ABSENT;
        }
        try {
            return memory.get(cid, target, offset, capacityBytes);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public boolean get(long cid, Importable object) {
        if (!lock(cid)) {
            return false;
        }
        try {
            return memory.get(cid, object);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        long written = 0;
        for (int i = from; i < to; i++) {
            int next = 0;
            if (!lock(cids[i])) {
                sizes[i] = ChunkMemory.ABSENT;
                continue;
            }
            try {
                next = memory.get(cids, i, i + 1, target, offset + written, capacityBytes - written, sizes);
            } finally {
                unlock(cids[i]);
            }
            if (next == i) {
                return i;
            }
            written += Math.max(sizes[i], 0);
        }
        return to;
    }

    @Override
    public boolean put(long cid, MemorySegment source, long offset, int sizeBytes) {
        if (!lock(cid)) {
            return false;
        }
        try {
            return memory.put(cid, source, offset, sizeBytes);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public boolean put(long cid, Exportable object) {
        if (!lock(cid)) {
            return false;
        }
        try {
            return memory.put(cid, object);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public boolean replace(long cid, MemorySegment source, long offset, int sizeBytes) {
        if (!lock(cid)) {
            return false;
        }
        try {
            return memory.replace(cid, source, offset, sizeBytes);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public int replace(
            long[] cids, int from, int to, MemorySegment source, long offset, int[] sizes, boolean[] replaced) {
        long at = offset;
        int count = 0;
        for (int i = from; i < to; i++) {
            replaced[i] = replace(cids[i], source, at, sizes[i]);
            count += replaced[i] ? 1 : 0;
            at += sizes[i];
        }
        return count;
    }

    @Override
    public boolean resize(long cid, int sizeBytes) {
        if (!lock(cid)) {
            return false;
        }
        try {
            return memory.resize(cid, sizeBytes);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public boolean delete(long cid) {
        if (!lock(cid)) {
            return false;
        }
        try {
            return memory.delete(cid);
        } finally {
            unlock(cid);
        }
    }

    @Override
    public int delete(long[] cids, int from, int to, boolean[] deleted) {
        int count = 0;
        for (int i = from; i < to; i++) {
            deleted[i] = delete(cids[i]);
            count += deleted[i] ? 1 : 0;
        }
        return count;
    }

    private boolean lock(long cid) {
        return memory.lock(cid, mode, timeoutNanos);
    }

    private void unlock(long cid) {
        memory.unlock(cid, mode);
    }
}
