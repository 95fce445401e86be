package dev.granary.storage;

import dev.granary.env.Disk;
import dev.granary.testkit.ForwardingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A disk on which what other threads than the world's append stands still, in the middle, until it is released,
 * or for ten seconds.
 */
final class SlowDisk extends ForwardingDisk {

    private static final long LIMIT_SECONDS = 10;

    private final Thread world = Thread.currentThread();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    SlowDisk(Disk disk) {
        super(disk);
    }

    /** Waits until somebody else's bytes are on the disk and the next ones stand still. */
    void awaitStill() {
        try {
            if (!reached.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nobody else appends");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    void release() {
        released.countDown();
    }

    @Override
    protected AppendFile alter(AppendFile file) {
        return new AppendFile() {

            private boolean begun;

            @Override
            public long sizeBytes() throws IOException {
                return file.sizeBytes();
            }

            @Override
            public void append(ByteBuffer bytes) throws IOException {
                if (begun && Thread.currentThread() != world) {
                    standStill();
                }
                begun = true;
                file.append(bytes);
            }

            @Override
            public void sync() throws IOException {
                file.sync();
            }

            @Override
            public void truncate(long sizeBytes) throws IOException {
                file.truncate(sizeBytes);
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    private void standStill() throws IOException {
        reached.countDown();
        try {
            if (!released.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                // Whoever should release it waits for it: its test will say so.
                released.countDown();
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }
}
