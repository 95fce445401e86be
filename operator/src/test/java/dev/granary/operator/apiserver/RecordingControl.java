package dev.granary.operator.apiserver;

import dev.granary.operator.control.ClusterControl;
import dev.granary.operator.control.DrainView;
import dev.granary.operator.control.SleepStep;
import dev.granary.operator.control.SleepView;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Super-peers that record the calls to them, and may refuse them. */
public final class RecordingControl implements ClusterControl {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private volatile @Nullable String refusal;

    public List<String> calls() {
        return List.copyOf(calls);
    }

    void refuse(String why) {
        refusal = why;
    }

    @Override
    public void startDrain(Target cluster, int nid) {
        String why = refusal;
        if (why != null) {
            throw new ControlException(why, true, new IllegalStateException(why));
        }
        calls.add("drain 0x" + Integer.toHexString(nid));
    }

    @Override
    public void abortDrain(Target cluster, int nid) {
        calls.add("abort 0x" + Integer.toHexString(nid));
    }

    @Override
    public void resizeRing(Target cluster, int size) {
        calls.add("resize " + size);
    }

    private final AtomicInteger sleepers = new AtomicInteger();

    /** From now on {@code done} storage peers are in the wanted state of a hibernation. */
    void sleepersDone(int done) {
        sleepers.set(done);
    }

    @Override
    public SleepView sleep(Target cluster, SleepStep step) {
        calls.add("sleep " + step);
        return new SleepView(3, sleepers.get(), 1, 3, List.of());
    }

    @Override
    public List<DrainView> drains(Target cluster) {
        return List.of();
    }
}
