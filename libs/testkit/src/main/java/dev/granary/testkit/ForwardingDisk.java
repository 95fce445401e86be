package dev.granary.testkit;

import dev.granary.env.Disk;
import java.io.IOException;
import java.util.List;

/** A disk that passes all calls to another one, but alters the files that are opened for appending. */
public abstract class ForwardingDisk implements Disk {

    private final Disk disk;

    /** @param disk gets the calls */
    protected ForwardingDisk(Disk disk) {
        this.disk = disk;
    }

    /** Returns the file that takes the place of one that is opened. */
    protected abstract AppendFile alter(AppendFile file);

    @Override
    public final AppendFile openForAppend(String name) throws IOException {
        return alter(disk.openForAppend(name));
    }

    @Override
    public final List<String> list() throws IOException {
        return disk.list();
    }

    @Override
    public final boolean exists(String name) throws IOException {
        return disk.exists(name);
    }

    @Override
    public final byte[] read(String name) throws IOException {
        return disk.read(name);
    }

    @Override
    public final void writeAtomically(String name, byte[] content) throws IOException {
        disk.writeAtomically(name, content);
    }

    @Override
    public final void delete(String name) throws IOException {
        disk.delete(name);
    }
}
