package dev.granary.storage.recover;

import dev.granary.env.Confined;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.storage.data.Transition;
import java.util.ArrayList;
import java.util.List;

/**
 * The spans of a zone for which requests wait while the arc is asked to make this peer their owner: clients may hear of
 * it from the arc before the arc's answer is here. Tasks of the scheduler.
 */
final class HeldSpans {

    /** Each request is compared with each span that is held, so that of more none is. */
    private static final int MAX_SPANS = 64;

    private final Confined confined = new Confined();
    private final RecoverySite site;
    private final List<Transition> transitions = new ArrayList<>();

    HeldSpans(RecoverySite site) {
        this.site = site;
    }

    /** Requests for these spans wait from now on. */
    void hold(List<RunRecovery.Span> spans) {
        assert confined.here() : confined;
        if (spans.size() > MAX_SPANS) {
            return;
        }
        for (RunRecovery.Span span : spans) {
            begin(new Transition(span.startCid(), span.endCidInclusive(), false, Transition.Phase.ALL_WAIT));
        }
    }

    /** New chunks wait from now on, as they could get LIDs of these spans, which are of this peer's own chunks. */
    void holdCreates(List<RunRecovery.Span> spans) {
        RunRecovery.Span first = spans.getFirst();
        begin(new Transition(first.startCid(), first.endCidInclusive(), true, Transition.Phase.ALL_WAIT));
    }

    private void begin(Transition transition) {
        assert confined.here() : confined;
        transitions.add(transition);
        site.ownership().begin(transition);
    }

    /** Whatever waits goes on; nothing happens when nothing is held. */
    void release() {
        assert confined.here() : confined;
        if (!transitions.isEmpty()) {
            transitions.forEach(site.ownership()::end);
            transitions.clear();
            site.wake().run();
        }
    }
}
