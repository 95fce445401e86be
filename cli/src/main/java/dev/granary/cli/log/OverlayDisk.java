package dev.granary.cli.log;

import dev.granary.env.Disk;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A read-only view of a directory. Writes stay in memory and hide the files below. So a log can be opened, which
 * repairs it, while the directory stays unchanged. Not thread-safe.
 */
final class OverlayDisk implements Disk {

    private final Path directory;
    private final Map<String, byte[]> written = new HashMap<>();
    private final Set<String> deleted = new HashSet<>();

    OverlayDisk(Path directory) {
        this.directory = directory;
    }

    @Override
    public List<String> list() throws IOException {
        Set<String> names = new TreeSet<>(written.keySet());
        try (Stream<Path> files = Files.list(directory)) {
            files.filter(Files::isRegularFile)
                    .map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> !name.startsWith(".") && !name.endsWith(".tmp") && !deleted.contains(name))
                    .forEach(names::add);
        }
        return List.copyOf(names);
    }

    @Override
    public boolean exists(String name) {
        return written.containsKey(name) || (!deleted.contains(name) && Files.exists(directory.resolve(name)));
    }

    @Override
    public byte[] read(String name) throws IOException {
        byte[] content = written.get(name);
        return content == null ? Files.readAllBytes(below(name)) : content.clone();
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
        if (written.containsKey(name)) {
            return Disk.super.read(name, offset, length);
        }
        try (RandomAccessFile file = new RandomAccessFile(below(name).toFile(), "r")) {
            byte[] bytes = new byte[Math.clamp(file.length() - offset, 0, length)];
            file.seek(offset);
            file.readFully(bytes);
            return bytes;
        }
    }

    @Override
    public long sizeBytes(String name) throws IOException {
        byte[] content = written.get(name);
        return content == null ? Files.size(below(name)) : content.length;
    }

    @Override
    public void writeAtomically(String name, byte[] content) {
        written.put(name, content.clone());
    }

    @Override
    public AppendFile openForAppend(String name) throws IOException {
        return new MemoryFile(name, exists(name) ? read(name) : new byte[0]);
    }

    @Override
    public void delete(String name) {
        written.remove(name);
        deleted.add(name);
    }

    private Path below(String name) throws IOException {
        if (deleted.contains(name)) {
            throw new IOException("'" + name + "' was deleted");
        }
        return directory.resolve(name);
    }

    /** A copy of a file, which becomes visible with the first change. */
    private final class MemoryFile implements AppendFile {

        private final String name;
        private byte[] content;

        MemoryFile(String name, byte[] content) {
            this.name = name;
            this.content = content;
        }

        @Override
        public long sizeBytes() {
            return content.length;
        }

        @Override
        public void append(ByteBuffer bytes) {
            ByteArrayOutputStream all = new ByteArrayOutputStream(content.length + bytes.remaining());
            all.writeBytes(content);
            byte[] more = new byte[bytes.remaining()];
            bytes.get(more);
            all.writeBytes(more);
            become(all.toByteArray());
        }

        @Override
        public void sync() {}

        @Override
        public void truncate(long sizeBytes) {
            become(Arrays.copyOf(content, (int) sizeBytes));
        }

        @Override
        public void close() {}

        private void become(byte[] next) {
            content = next;
            written.put(name, next);
        }
    }
}
