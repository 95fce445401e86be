package dev.granary.simulation.planted.world;

import dev.granary.env.Disk;
import dev.granary.testkit.ForwardingDisk;
import dev.granary.testkit.ForwardingFile;
import java.io.IOException;

/**
 * A disk on which a failed sync goes unnoticed: the log goes on as if what was written before were safe. A sync that is
 * repeated comes to the same: the second one reports success, and what the first one dropped stays dropped.
 */
public final class ForgivingDisk extends ForwardingDisk {

    public ForgivingDisk(Disk disk) {
        super(disk);
    }

    @Override
    protected AppendFile alter(AppendFile file) {
        return new ForwardingFile(file) {
            @Override
            @SuppressWarnings("EmptyCatch") // this is the bug
            public void sync() {
                try {
                    super.sync();
                } catch (IOException failed) {
                    // The log goes on.
                }
            }
        };
    }
}
