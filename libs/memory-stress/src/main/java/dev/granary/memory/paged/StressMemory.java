package dev.granary.memory.paged;

import dev.granary.memory.os.Vmb;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Words outside the heap for the tests of this module, which make a state a thousand times a millisecond: one memory
 * for the whole process, in which each state takes the next {@value #PLACE_BYTES} bytes, round and round. jcstress keeps
 * far fewer states at a time than there are places.
 */
public final class StressMemory {

    public static final Vmb VMB = new Vmb(64 << 20, false);

    private static final int PLACE_BYTES = 256;
    private static final AtomicLong NEXT = new AtomicLong();

    private StressMemory() {}

    /** The address of a place of zeros. */
    public static long place() {
        long places = VMB.capacityBytes() / PLACE_BYTES;
        long place = NEXT.getAndIncrement() % places * PLACE_BYTES;
        VMB.zero(place, PLACE_BYTES);
        return place;
    }
}
