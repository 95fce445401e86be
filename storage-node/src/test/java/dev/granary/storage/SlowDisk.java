package dev.granary.storage;

import dev.granary.env.Disk;
import dev.granary.testkit.ForwardingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A disk on which appends of all threads but the world's stand still, in the middle, until they are released, or for
 * ten seconds.
 */
final class SlowDisk extends ForwardingDisk {

    private static final long LIMIT_SECONDS = 10;

    private final Thread world = Thread.currentThread();
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    SlowDisk(Disk disk) {
        super(disk);
    }

    /** Waits until another thread has appended something and its next append stands still. */
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
                // The thread that should release it waits for it; the test will say so.
                released.countDown();
            }
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
    }
}
