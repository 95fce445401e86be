package dev.granary.env;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Reports failures of each loop so rarely that a loop which always fails does not fill the log. Thread-safe. */
final class RareWatcher implements Loops.Watcher {

    private final Clock clock;
    private final long quietNanos;
    private final BiConsumer<String, Throwable> say;
    private final ConcurrentHashMap<String, Said> said = new ConcurrentHashMap<>();

    /**
     * @param atNanos when a failure of this loop was last reported
     * @param unsaid failures since then
     * @param now whether to report this one
     */
    private record Said(long atNanos, long unsaid, boolean now) {}

    RareWatcher(Clock clock, long quietNanos, BiConsumer<String, Throwable> say) {
        this.clock = clock;
        this.quietNanos = quietNanos;
        this.say = say;
    }

    @Override
    public void failed(String loop, Throwable thrown) {
        long nowNanos = clock.nanoTime();
        long[] unsaid = new long[1];
        Said after = said.compute(loop, (name, before) -> {
            unsaid[0] = before == null ? 0 : before.unsaid;
            return next(before, nowNanos);
        });
        if (after != null && after.now) {
            String others = unsaid[0] == 0 ? "" : "; " + unsaid[0] + " failures of it were not reported";
            say.accept("a round of the loop '" + loop + "' failed, others follow" + others, thrown);
        }
    }

    private Said next(@Nullable Said before, long nowNanos) {
        return before == null || nowNanos - before.atNanos >= quietNanos
                ? new Said(nowNanos, 0, true)
                : new Said(before.atNanos, before.unsaid + 1, false);
    }
}
