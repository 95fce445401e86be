package dev.granary.raft;

import dev.granary.env.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A disk that says that it has synced what was appended, and has not. */
final class UnsyncedDisk implements Disk {

    private final Disk disk;

    UnsyncedDisk(Disk disk) {
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
        AppendFile file = disk.openForAppend(name);
        return new AppendFile() {
            @Override
            public long sizeBytes() throws IOException {
                return file.sizeBytes();
            }

            @Override
            public void append(ByteBuffer bytes) throws IOException {
                file.append(bytes);
            }

            @Override
            public void sync() {}

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

    @Override
    public void delete(String name) throws IOException {
        disk.delete(name);
    }
}
