package dev.granary.simulation;

import dev.granary.env.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A disk of which a failed sync goes unnoticed: the log goes on as if what was written before were safe. It is what becomes of
 * a sync that is tried once more, too, since the second one says that all is well and what the first one dropped stays dropped.
 */
final class ForgivingDisk implements Disk {

    private final Disk disk;

    ForgivingDisk(Disk disk) {
        this.disk = disk;
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
        return new ForgivingFile(disk.openForAppend(name));
    }

    @Override
    public void delete(String name) throws IOException {
        disk.delete(name);
    }

    private record ForgivingFile(AppendFile file) implements AppendFile {

        @Override
        public long sizeBytes() throws IOException {
            return file.sizeBytes();
        }

        @Override
        public void append(ByteBuffer bytes) throws IOException {
            file.append(bytes);
        }

        @Override
        @SuppressWarnings("EmptyCatch") // this is the bug
        public void sync() throws IOException {
            try {
                file.sync();
            } catch (IOException failed) {
                // goes on
            }
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
