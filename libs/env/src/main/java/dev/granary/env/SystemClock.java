package dev.granary.env;

/** The clock of the machine. Stateless and thread-safe. */
public final class SystemClock implements Clock {

    /** The clock; all instances are the same. */
    public SystemClock() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }
}
