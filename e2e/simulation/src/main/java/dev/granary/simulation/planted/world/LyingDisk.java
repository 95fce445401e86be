package dev.granary.simulation.planted.world;

import dev.granary.env.Disk;
import dev.granary.testkit.ForwardingDisk;
import dev.granary.testkit.ForwardingFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A disk that, from a moment on, claims to have written what is appended, and writes nothing. */
public final class LyingDisk extends ForwardingDisk {

    private boolean lying;

    /** Makes a disk that is honest until {@link #beginToLie}. */
    public LyingDisk(Disk disk) {
        super(disk);
    }

    /** Drops all that is appended from now on. */
    public void beginToLie() {
        lying = true;
    }

    @Override
    protected AppendFile alter(AppendFile file) {
        return new LyingFile(file);
    }

    private final class LyingFile extends ForwardingFile {

        private long swallowedBytes;

        LyingFile(AppendFile file) {
            super(file);
        }

        @Override
        public long sizeBytes() throws IOException {
            return super.sizeBytes() + swallowedBytes;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            if (lying) {
                swallowedBytes += bytes.remaining();
                bytes.position(bytes.limit());
            } else {
                super.append(bytes);
            }
        }
    }
}
