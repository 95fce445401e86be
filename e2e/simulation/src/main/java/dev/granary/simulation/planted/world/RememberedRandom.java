package dev.granary.simulation.planted.world;

import dev.granary.env.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** A source that always gives the same number, kept on the disk: all processes on a disk have the same incarnation. */
public record RememberedRandom(long number) implements RandomGenerator {

    private static final String FILE = "random-number";

    public static RememberedRandom of(RandomGenerator random, Disk disk) {
        try {
            if (!disk.exists(FILE)) {
                byte[] number = ByteBuffer.allocate(Long.BYTES)
                        .putLong(random.nextLong())
                        .array();
                disk.writeAtomically(FILE, number);
            }
            return new RememberedRandom(ByteBuffer.wrap(disk.read(FILE)).getLong());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long nextLong() {
        return number;
    }
}
