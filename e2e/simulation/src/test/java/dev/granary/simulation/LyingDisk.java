package dev.granary.simulation;

import dev.granary.env.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A disk that, from a moment on, says that it has written what is appended, and writes nothing. */
final class LyingDisk implements Disk {

    private final Disk disk;
    private boolean lying;

    LyingDisk(Disk disk) {
        this.disk = disk;
    }

    void beginToLie() {
        lying = true;
    }

    @Override
    public List<String> list() throws IOException {
        return disk.list();
    }

    @Override
    public boolean exists(String name) throws IOException {
        return disk.exists(name);
    }

    @Override
    public byte[] read(String name) throws IOException {
        return disk.read(name);
    }

    @Override
    public void writeAtomically(String name, byte[] content) throws IOException {
        disk.writeAtomically(name, content);
    }

    @Override
    public AppendFile openForAppend(String name) throws IOException {
        return new LyingFile(disk.openForAppend(name));
    }

    @Override
    public void delete(String name) throws IOException {
        disk.delete(name);
    }

    private final class LyingFile implements AppendFile {

        private final AppendFile file;
        private long swallowedBytes;

        LyingFile(AppendFile file) {
            this.file = file;
        }

        @Override
        public long sizeBytes() throws IOException {
            return file.sizeBytes() + swallowedBytes;
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            if (lying) {
                swallowedBytes += bytes.remaining();
                bytes.position(bytes.limit());
            } else {
                file.append(bytes);
            }
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
    }
}
