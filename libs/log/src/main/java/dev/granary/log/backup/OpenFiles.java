package dev.granary.log.backup;

import dev.granary.env.Disk;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The files that are open for appending, of which only the most recently used stay open. The disk's thread only. */
final class OpenFiles implements AutoCloseable {

    private static final int MAX_OPEN = 64;

    private final Disk disk;
    private final LinkedHashMap<String, Disk.AppendFile> files = new LinkedHashMap<>(16, 0.75f, true);

    OpenFiles(Disk disk) {
        this.disk = disk;
    }

    /** Opens a file that exists. */
    Disk.AppendFile get(String name) throws IOException {
        Disk.AppendFile file = files.get(name);
        if (file == null) {
            file = disk.openForAppend(name);
            files.put(name, file);
            if (files.size() > MAX_OPEN) {
                Iterator<Map.Entry<String, Disk.AppendFile>> oldest =
                        files.entrySet().iterator();
                Disk.AppendFile closed = oldest.next().getValue();
                oldest.remove();
                closed.close();
            }
        }
        return file;
    }

    /** Closes a file, if it is open. */
    void close(String name) throws IOException {
        Disk.AppendFile file = files.remove(name);
        if (file != null) {
            file.close();
        }
    }

    @Override
    public void close() throws IOException {
        for (Disk.AppendFile file : files.values()) {
            file.close();
        }
        files.clear();
    }
}
