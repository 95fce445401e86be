package dev.granary.testkit;

import dev.granary.env.Disk.AppendFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that does what another one does; subclasses do some of it in another way. */
public class ForwardingFile implements AppendFile {

    private final AppendFile file;

    /** @param file that does it */
    public ForwardingFile(AppendFile file) {
        this.file = file;
    }

    @Override
    public long sizeBytes() throws IOException {
        return file.sizeBytes();
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
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
}
