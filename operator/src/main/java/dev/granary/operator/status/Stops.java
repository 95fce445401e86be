package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.StopStatus;
import dev.granary.operator.control.DrainView;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.plan.Sizes;
import dev.granary.operator.steer.Stop;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the list of stops in the status: pods that go or are replaced. */
final class Stops {
    private Stops() {}

    static @Nullable List<StopStatus> of(
            Observation seen, @Nullable ClusterView view, @Nullable GranaryStatus previous, Instant now) {
        if (seen.stops().isEmpty()) {
            return null;
        }
        return seen.stops().stream()
                .map(stop -> of(stop, drainOf(stop, seen.drains()), view, before(stop, previous), now))
                .toList();
    }

    private static @Nullable DrainView drainOf(Stop stop, List<DrainView> drains) {
        if (stop.nid().isEmpty()) {
            return null;
        }
        int nid = Integer.decode(stop.nid());
        return drains.stream()
                .filter(drain -> drain.nid() == nid && !drain.state().equals("aborted"))
                .reduce((first, last) -> last)
                .orElse(null);
    }

    private static @Nullable StopStatus before(Stop stop, @Nullable GranaryStatus previous) {
        if (previous == null || previous.stops() == null) {
            return null;
        }
        return previous.stops().stream()
                .filter(old -> old.pod().equals(stop.pod())
                        && old.phase().equals(stop.phase().text()))
                .findFirst()
                .orElse(null);
    }

    private static StopStatus of(
            Stop stop,
            @Nullable DrainView drain,
            @Nullable ClusterView view,
            @Nullable StopStatus before,
            Instant now) {
        String since = before != null && before.since() != null
                ? before.since()
                : now.truncatedTo(ChronoUnit.SECONDS).toString();
        DrainView told = stop.phase() == Stop.Phase.WAITING ? null : drain;
        return new StopStatus(
                stop.pod(),
                stop.nid(),
                stop.reason().text(),
                stop.phase().text(),
                stop.message(),
                since,
                told == null ? null : Sizes.text(told.bytes()),
                told == null ? null : Sizes.text(told.bytesDone()),
                told == null
                        ? null
                        : told.destinations().stream()
                                .map(nid -> name(nid, view))
                                .toList(),
                told != null && stop.phase() == Stop.Phase.DRAINING
                        ? secondsLeft(told, Instant.parse(since), now)
                        : null);
    }

    private static String name(String nid, @Nullable ClusterView view) {
        if (view == null) {
            return nid;
        }
        return view.storagePeers().stream()
                .filter(peer -> peer.nid().equals(nid))
                .map(ClusterView.StoragePeer::name)
                .findFirst()
                .orElse(nid);
    }

    private static @Nullable Long secondsLeft(DrainView drain, Instant since, Instant now) {
        long millis = Duration.between(since, now).toMillis();
        if (drain.bytesDone() == 0 || millis <= 0) {
            return null;
        }
        double perSecond = drain.bytesDone() * 1000.0 / millis;
        return (long) Math.ceil((drain.bytes() - drain.bytesDone()) / perSecond);
    }
}
