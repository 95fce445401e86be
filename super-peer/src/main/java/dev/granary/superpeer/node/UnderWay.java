package dev.granary.superpeer.node;

import dev.granary.env.Confined;

/**
 * Work of which one piece is under way at a time. A piece that makes no progress for {@code maxLooks} looks is given
 * up, and the next one may begin. A late answer of the former piece is ignored. Looks are counted instead of time, as a
 * process that stood still has not waited. Not thread-safe.
 */
public final class UnderWay {

    private final Confined confined = new Confined();
    private final int maxLooks;
    private boolean busy;
    private long number;
    private int looks;

    /** @param maxLooks after how many looks without progress a piece is given up */
    public UnderWay(int maxLooks) {
        this.maxLooks = maxLooks;
    }

    /** One that gives up after a time when it is looked at in such a period, but after one look at the earliest. */
    public static UnderWay within(long limitNanos, long periodNanos) {
        return new UnderWay(Math.clamp(limitNanos / periodNanos, 1, Integer.MAX_VALUE));
    }

    /** Whether a piece is under way. */
    public boolean isBusy() {
        assert confined.here() : confined;
        return busy;
    }

    /** A piece begins, in the place of another one if there is one; returns its number. */
    public long begin() {
        assert confined.here() : confined;
        busy = true;
        looks = 0;
        return ++number;
    }

    /** A piece has come further and may take as long again; false when it counts no more. */
    public boolean goesOn(long piece) {
        assert confined.here() : confined;
        boolean counts = busy && piece == number;
        looks = counts ? 0 : looks;
        return counts;
    }

    /** A piece has ended; false when it counts no more. */
    public boolean end(long piece) {
        boolean counts = goesOn(piece);
        busy = busy && !counts;
        return counts;
    }

    /** Whatever is under way counts no more. */
    public void forget() {
        assert confined.here() : confined;
        busy = false;
    }

    /** One more look; tells whether the piece that is under way is given up by it. */
    public boolean givesUp() {
        assert confined.here() : confined;
        looks++;
        boolean over = busy && looks > maxLooks;
        busy = busy && !over;
        return over;
    }
}
