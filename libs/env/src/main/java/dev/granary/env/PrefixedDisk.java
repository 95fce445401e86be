package dev.granary.env;

import java.io.IOException;
import java.util.Collection;
import java.util.List;

/** The files of a disk whose names begin with a prefix, shown without it: a directory for one part of a node. */
public final class PrefixedDisk implements Disk {

    private final Disk disk;
    private final String prefix;

    /**
     * A part of a disk.
     *
     * @param disk stays the caller's
     * @param prefix of the names of the part's files, no path separator in it
     */
    public PrefixedDisk(Disk disk, String prefix) {
        this.disk = disk;
        this.prefix = prefix;
    }

    @Override
    public List<String> list() throws IOException {
        return disk.list().stream()
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()))
                .toList();
    }

    @Override
    public boolean exists(String name) throws IOException {
        return disk.exists(prefix + name);
    }

    @Override
    public byte[] read(String name) throws IOException {
        return disk.read(prefix + name);
    }

    @Override
    public byte[] read(String name, long offset, int length) throws IOException {
        return disk.read(prefix + name, offset, length);
    }

    @Override
    public long sizeBytes(String name) throws IOException {
        return disk.sizeBytes(prefix + name);
    }

    @Override
    public void writeAtomically(String name, byte[] content) throws IOException {
        disk.writeAtomically(prefix + name, content);
    }

    @Override
    public AppendFile openForAppend(String name) throws IOException {
        return disk.openForAppend(prefix + name);
    }

    @Override
    public void delete(String name) throws IOException {
        disk.delete(prefix + name);
    }

    @Override
    public void deleteAll(Collection<String> names) throws IOException {
        disk.deleteAll(names.stream().map(name -> prefix + name).toList());
    }
}
