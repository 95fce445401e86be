package dev.granary.storage.recover;

import dev.granary.env.Confined;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.storage.data.Transition;
import java.util.ArrayList;
import java.util.List;

/**
 * The spans of a zone for which requests wait while the arc is asked to make this peer their owner. Clients may hear of
 * the new owner from the arc before the arc's answer is here. Runs as tasks of the scheduler.
 */
final class HeldSpans {

    /** A zone with more spans holds none of them, because each request is compared with each span that is held. */
    private static final int MAX_SPANS = 64;

    private final Confined confined = new Confined();
    private final RecoverySite site;
    private final List<Transition> transitions = new ArrayList<>();

    HeldSpans(RecoverySite site) {
        this.site = site;
    }

    /** Makes requests for these spans wait from now on. */
    void hold(List<RunRecovery.Span> spans) {
        assert confined.here() : confined;
        if (spans.size() > MAX_SPANS) {
            return;
        }
        for (RunRecovery.Span span : spans) {
            begin(new Transition(span.startCid(), span.endCidInclusive(), false, Transition.Phase.ALL_WAIT));
        }
    }

    /** Makes creates wait from now on: these spans have LIDs of this peer, which a create could give again. */
    void holdCreates(List<RunRecovery.Span> spans) {
        RunRecovery.Span first = spans.getFirst();
        begin(new Transition(first.startCid(), first.endCidInclusive(), true, Transition.Phase.ALL_WAIT));
    }

    private void begin(Transition transition) {
        assert confined.here() : confined;
        transitions.add(transition);
        site.ownership().begin(transition);
    }

    /** Lets all requests that wait go on. Does nothing when nothing is held. */
    void release() {
        assert confined.here() : confined;
        if (!transitions.isEmpty()) {
            transitions.forEach(site.ownership()::end);
            transitions.clear();
            site.wake().run();
        }
    }
}
