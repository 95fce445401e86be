package dev.granary.storage.recover;

import dev.granary.env.Confined;
import dev.granary.env.Steps;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.rpc.RequestTable;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The zones that super-peers ask this peer to recover. Up to {@link WindowBounds#WINDOWS} of them are replayed at a
 * time, the largest first, and each is served as soon as it is recovered. Requests come on I/O threads; everything else
 * runs as tasks of the scheduler.
 */
public final class Recoveries {

    private static final Logger LOG = LoggerFactory.getLogger(Recoveries.class);

    private static final long NOT_YET_RETRY_NANOS = 100_000_000;

    private static final long AGREE_TIMEOUT_NANOS = 500_000_000;
    private static final long AGREE_RETRY_NANOS = 50_000_000;

    private final Confined confined = new Confined();
    private final RecoverySite site;
    private final Steps steps;

    /** How many ended attempts are remembered, each by its last answer. */
    private static final int MAX_ENDED = 1 << 16;

    /** The attempts that have not ended, or that a worker still runs, by zone. */
    private final Map<Integer, ZoneRecovery> recoveries = new HashMap<>();

    /** The outcome of the last attempt, by zone. */
    private final Map<Integer, RunRecoveryReply.Progress> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, RunRecoveryReply.Progress> eldest) {
            return size() > MAX_ENDED;
        }
    };

    /** The largest first: it decides how long something is not served. Of equal ones, the one that came first. */
    private final PriorityQueue<ZoneRecovery> waiting = new PriorityQueue<>(
            Comparator.comparingLong(ZoneRecovery::copyBytes).reversed().thenComparingLong(ZoneRecovery::number));

    private final RecoveryRound round = new RecoveryRound();
    private long numbers;
    private int replaying;
    private boolean stopped;

    public Recoveries(RecoverySite site) {
        this.site = site;
        this.steps = new Steps(site.scheduler(), "recovery", AGREE_RETRY_NANOS);
    }

    /**
     * Adds the requests that this class answers.
     *
     * @param present returns the recoveries of this peer, null before it can recover anything
     */
    public static void addTo(RequestTable requests, Supplier<@Nullable Recoveries> present) {
        requests.add(MessageType.RUN_RECOVERY, (request, order) -> {
            Recoveries recoveries = present.get();
            if (recoveries == null) {
                request.fail(ErrorReply.retryLater(NOT_YET_RETRY_NANOS, "this storage peer is just starting"));
            } else {
                recoveries.site.scheduler().execute(() -> request.reply(recoveries.run(order)));
            }
        });
    }

    private RunRecoveryReply run(RunRecovery order) {
        assert confined.here() : confined;
        List<ZoneRecovery> begun = new ArrayList<>();
        List<RunRecoveryReply.Progress> answers = new ArrayList<>();
        for (RunRecovery.Task zone : order.zones()) {
            ZoneRecovery present = recoveries.get(zone.zone());
            RunRecoveryReply.Progress known = present == null ? ended.get(zone.zone()) : present.progress();
            if (order.candidateEpoch() != site.epoch() || stopped) {
                answers.add(failed(zone, "this is another incarnation of the storage peer"));
            } else if (known != null && known.epoch() > zone.epoch()) {
                answers.add(failed(zone, "another attempt has begun"));
            } else if (known != null && known.epoch() == zone.epoch()) {
                answers.add(known);
            } else {
                ZoneRecovery next = new ZoneRecovery(site, zone, this, steps, numbers++);
                recoveries.put(zone.zone(), next);
                var _ = next.whenIdle().thenRunAsync(() -> ended(next), site.scheduler());
                begun.add(next);
                answers.add(next.progress());
                var _ = after(present).thenRun(() -> steps.run(next::begin, next::stepThrew));
            }
        }
        round.began(begun, site.clock().nanoTime());
        askMembers(begun);
        return new RunRecoveryReply(answers);
    }

    /** Replaces an ended attempt by its outcome, because the attempt knows every chunk of its zone. */
    private void ended(ZoneRecovery recovery) {
        assert confined.here() : confined;
        if (recoveries.remove(recovery.zone(), recovery)) {
            ended.put(recovery.zone(), recovery.progress());
        }
        round.ended(recovery.progress(), site.clock().nanoTime() - recovery.beganNanos());
        // Not as soon as none runs: others that are over come here right behind this one.
        if (recoveries.isEmpty()) {
            round.idle(site.clock().nanoTime());
        }
    }

    /** Returns how many attempts are kept whole. */
    int remembered() {
        return recoveries.size();
    }

    private static CompletableFuture<Void> after(@Nullable ZoneRecovery earlier) {
        return earlier == null || !earlier.isRunning() ? CompletableFuture.completedFuture(null) : earlier.cancel();
    }

    private static RunRecoveryReply.Progress failed(RunRecovery.Task zone, String why) {
        return new RunRecoveryReply.Progress(zone.zone(), zone.epoch(), RunRecoveryReply.State.FAILED, 0, 0, why);
    }

    /** Returns whether no recovery runs. One whose chunks are in memory runs until their owner is known. */
    public boolean isIdle() {
        return running() == 0;
    }

    /** Begins the replay of a zone when a place is free and it is the zone's turn. */
    void whenFree(ZoneRecovery recovery) {
        assert confined.here() : confined;
        waiting.add(recovery);
        // Later, so that the largest of one order comes first, and not the first one.
        site.scheduler().execute(this::runNext);
    }

    /** Frees the place of a zone that is not being replayed any more. */
    void freed() {
        assert confined.here() : confined;
        replaying--;
        site.scheduler().execute(this::runNext);
    }

    private void runNext() {
        while (!stopped && replaying < WindowBounds.WINDOWS && !waiting.isEmpty()) {
            ZoneRecovery next = waiting.remove();
            if (!next.isRunning()) {
                continue;
            }
            replaying++;
            next.takePlace();
            steps.run(next::run, next::stepThrew);
        }
    }

    /** Asks the other members to cut their tails, with one request to each member for all zones. */
    private void askMembers(List<ZoneRecovery> begun) {
        Map<Integer, HostAddress> addresses = new TreeMap<>();
        for (ZoneRecovery recovery : begun) {
            recovery.others().forEach(member -> addresses.put(member.nid(), member.address()));
        }
        addresses.forEach((nid, address) -> askMember(nid, address, begun));
    }

    private void askMember(int nid, HostAddress address, List<ZoneRecovery> candidates) {
        List<ZoneRecovery> asked =
                candidates.stream().filter(recovery -> recovery.needs(nid)).toList();
        if (asked.isEmpty() || stopped) {
            return;
        }
        List<OpenCopies.Opening> copies = asked.stream()
                .map(recovery -> new OpenCopies.Opening(
                        recovery.zone(),
                        recovery.epoch(),
                        recovery.others().stream().map(RunRecovery.Member::nid).toList(),
                        recovery.order().lastSequence(),
                        false))
                .toList();
        OpenCopies request = new OpenCopies(site.clusterId(), site.nid(), copies);
        Runnable again = () -> askMember(nid, address, asked);
        steps.then(
                site.rpc().call(address, nid, MessageType.OPEN_COPIES, request, AGREE_TIMEOUT_NANOS),
                (reply, failure) -> {
                    if (reply == null || reply.copies().size() != asked.size()) {
                        LOG.debug("member {} has not cut its copies yet: {}", Nid.toHex(nid), String.valueOf(failure));
                    } else {
                        answered(nid, asked, reply);
                    }
                    steps.after(AGREE_RETRY_NANOS, again);
                },
                again);
    }

    private static void answered(int nid, List<ZoneRecovery> asked, CopyStates reply) {
        for (int i = 0; i < asked.size(); i++) {
            CopyState state = reply.copies().get(i);
            if (state.result() != CopyResult.BUSY) {
                ZoneRecovery recovery = asked.get(i);
                boolean cut = state.result() == CopyResult.OK
                        && state.lastSequence() == recovery.order().lastSequence();
                recovery.agreed(nid, cut);
            }
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** Returns how many zones are being recovered. */
    int running() {
        return (int)
                recoveries.values().stream().filter(ZoneRecovery::isRunning).count();
    }

    /** Begins nothing any more. The future completes when no worker uses chunk memory. */
    public CompletableFuture<Void> stop() {
        assert confined.here() : confined;
        stopped = true;
        waiting.clear();
        List<CompletableFuture<Void>> idle = new ArrayList<>();
        recoveries.values().forEach(recovery -> idle.add(recovery.stop()));
        return CompletableFuture.allOf(idle.toArray(CompletableFuture<?>[]::new));
    }
}
