package dev.granary.raft;

import dev.granary.env.Disk;
import dev.granary.testkit.ForwardingDisk;
import dev.granary.testkit.ForwardingFile;

/** A disk that says that it has synced what was appended, and has not. */
final class UnsyncedDisk extends ForwardingDisk {

    public UnsyncedDisk(Disk disk) {
        super(disk);
    }

    @Override
    protected AppendFile alter(AppendFile file) {
        return new ForwardingFile(file) {
            @Override
            public void sync() {}
        };
    }
}
