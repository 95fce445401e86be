package dev.granary.simulation.planted.world;

import dev.granary.env.Disk;
import dev.granary.testkit.ForwardingDisk;
import dev.granary.testkit.ForwardingFile;

/** A disk on which every sync of a log fails unnoticed: what was appended is there until the power goes. */
public final class UnsyncedDisk extends ForwardingDisk {

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
