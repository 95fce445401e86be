package dev.granary.operator.apiserver;

import dev.granary.operator.control.ClusterControl;
import dev.granary.operator.control.DrainView;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Super-peers that note what they are told, and may refuse it. */
final class RecordingControl implements ClusterControl {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private volatile @Nullable String refusal;

    List<String> calls() {
        return List.copyOf(calls);
    }

    void refuse(String why) {
        refusal = why;
    }

    @Override
    public void startDrain(List<String> hosts, int nid) {
        String why = refusal;
        if (why != null) {
            throw new ControlException(why, true, new IllegalStateException(why));
        }
        calls.add("drain 0x" + Integer.toHexString(nid));
    }

    @Override
    public void abortDrain(List<String> hosts, int nid) {
        calls.add("abort 0x" + Integer.toHexString(nid));
    }

    @Override
    public void resizeRing(List<String> hosts, int size) {
        calls.add("resize " + size);
    }

    @Override
    public List<DrainView> drains(List<String> hosts) {
        return List.of();
    }
}
