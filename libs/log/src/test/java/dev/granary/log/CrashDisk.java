package dev.granary.log;

import dev.granary.env.Disk;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A disk in memory that loses, tears and reorders what was not synced, fails when told to, and stops the world before
 * or after a chosen operation. Not thread-safe.
 */
public final class CrashDisk implements Disk {

    /** The node loses power here. */
    public static final class PowerLoss extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** Needs no message. */
        public PowerLoss() {}
    }

    private static final int PAGE_BYTES = 16;

    private final TreeMap<String, byte[]> durable = new TreeMap<>();
    private final TreeMap<String, byte[]> seen = new TreeMap<>();
    private int operationsUntilPowerLoss = Integer.MAX_VALUE;
    private boolean failSyncs;
    private boolean failAppends;
    private int operations;

    /** An empty disk. */
    public CrashDisk() {}

    /** Loses power before the n-th operation from now that changes the disk (0 is the next one). */
    public void losePowerBefore(int n) {
        operationsUntilPowerLoss = n;
    }

    public void failSyncs(boolean fail) {
        failSyncs = fail;
    }

    public void failAppends(boolean fail) {
        failAppends = fail;
    }

    /** The number of operations so far that changed the disk. */
    public int operations() {
        return operations;
    }

    /** What a read sees now. */
    public byte[] content(String name) {
        return seen.getOrDefault(name, new byte[0]).clone();
    }

    /** Replaces the bytes of a file, as damage does. */
    public void damage(String name, byte[] content) {
        seen.put(name, content.clone());
        durable.put(name, content.clone());
    }

    /** Restarts after a power loss: each page of unsynced bytes survives, is zero, or is beyond the end. */
    public void restart(RandomGenerator random) {
        operationsUntilPowerLoss = Integer.MAX_VALUE;
        failSyncs = false;
        failAppends = false;
        for (String name : List.copyOf(seen.keySet())) {
            byte[] kept = durable.getOrDefault(name, new byte[0]);
            byte[] was = seen.getOrDefault(name, new byte[0]);
            int size = kept.length + (was.length > kept.length ? random.nextInt(was.length - kept.length + 1) : 0);
            byte[] after = Arrays.copyOf(kept, size);
            for (int page = kept.length; page < size; page += PAGE_BYTES) {
                if (random.nextInt(4) != 0) {
                    System.arraycopy(was, page, after, page, Math.min(PAGE_BYTES, size - page));
                }
            }
            damage(name, after);
        }
    }

    private void step() {
        if (operationsUntilPowerLoss == 0) {
            throw new PowerLoss();
        }
        operationsUntilPowerLoss--;
        operations++;
    }

    @Override
    public List<String> list() {
        return List.copyOf(seen.keySet());
    }

    @Override
    public boolean exists(String name) {
        return seen.containsKey(name);
    }

    @Override
    public byte[] read(String name) throws IOException {
        byte[] content = seen.get(name);
        if (content == null) {
            throw new FileNotFoundException(name);
        }
        return content.clone();
    }

    @Override
    public void writeAtomically(String name, byte[] content) throws IOException {
        step();
        if (failSyncs) {
            throw new IOException("planted: sync of " + name);
        }
        damage(name, content);
    }

    @Override
    public AppendFile openForAppend(String name) {
        if (!seen.containsKey(name)) {
            step();
            damage(name, new byte[0]);
        }
        return new MemoryFile(name);
    }

    @Override
    public void delete(String name) {
        step();
        seen.remove(name);
        durable.remove(name);
    }

    private final class MemoryFile implements AppendFile {

        private final String name;

        MemoryFile(String name) {
            this.name = name;
        }

        @Override
        public long sizeBytes() {
            return content(name).length;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            step();
            byte[] added = new byte[failAppends ? bytes.remaining() / 2 : bytes.remaining()];
            bytes.get(added);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(content(name));
            all.writeBytes(added);
            seen.put(name, all.toByteArray());
            if (failAppends) {
                throw new IOException("planted: no space for " + name);
            }
        }

        @Override
        public void sync() throws IOException {
            step();
            if (failSyncs) {
                throw new IOException("planted: sync of " + name);
            }
            durable.put(name, content(name));
        }

        @Override
        public void truncate(long sizeBytes) {
            step();
            damage(name, Arrays.copyOf(content(name), (int) sizeBytes));
        }

        @Override
        public void close() {}
    }
}
