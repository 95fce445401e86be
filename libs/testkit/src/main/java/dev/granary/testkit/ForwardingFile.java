package dev.granary.testkit;

import dev.granary.env.Disk.AppendFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file that passes all calls to another one; subclasses change some of them. */
public class ForwardingFile implements AppendFile {

    private final AppendFile file;

    /** @param file gets the calls */
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
