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

    /**
     * Returns work that gives up a piece after {@code limitNanos} if it is looked at once in {@code periodNanos}, but
     * after one look at the earliest.
     */
    public static UnderWay within(long limitNanos, long periodNanos) {
        return new UnderWay(Math.clamp(limitNanos / periodNanos, 1, Integer.MAX_VALUE));
    }

    /** Whether a piece is under way. */
    public boolean isBusy() {
        assert confined.here() : confined;
        return busy;
    }

    /** Begins a piece, which takes the place of another one. Returns its number. */
    public long begin() {
        assert confined.here() : confined;
        busy = true;
        looks = 0;
        return ++number;
    }

    /**
     * Notes the progress of a piece, which may take as long again. Returns false when another piece has taken its place
     * or it was given up.
     */
    public boolean goesOn(long piece) {
        assert confined.here() : confined;
        boolean counts = busy && piece == number;
        looks = counts ? 0 : looks;
        return counts;
    }

    /** Ends a piece. Returns false when another piece has taken its place or it was given up. */
    public boolean end(long piece) {
        boolean counts = goesOn(piece);
        busy = busy && !counts;
        return counts;
    }

    /** Forgets the piece that is under way. */
    public void forget() {
        assert confined.here() : confined;
        busy = false;
    }

    /** Counts one more look. Returns whether this look gives up the piece that is under way. */
    public boolean givesUp() {
        assert confined.here() : confined;
        looks++;
        boolean over = busy && looks > maxLooks;
        busy = busy && !over;
        return over;
    }
}
