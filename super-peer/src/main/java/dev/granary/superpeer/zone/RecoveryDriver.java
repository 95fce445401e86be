package dev.granary.superpeer.zone;

import dev.granary.env.Loop;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.SealZones;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.ZoneCommand;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets zones of an arc another owner when theirs is gone (ADR 0104): has the copies of a zone sealed, decides from
 * which of them it is recovered and who does it, and has that one carry it out. What is decided is committed before
 * anybody is told, and whoever leads the arc next goes on from there. Runs as tasks of the node's scheduler.
 */
public final class RecoveryDriver {

    private static final Logger LOG = LoggerFactory.getLogger(RecoveryDriver.class);

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long IDLE_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A member that has not answered is asked again after this. */
    private static final long SEAL_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** When one member has everything the others are waited for so long: then the zone has fewer copies at first. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    /** Members that a person has given up have had so long to answer. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long RUN_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A candidate with a lease that is silent for so long is given up. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** A candidate that has begun a zone and has come no further for so long is given up, though it answers. */
    private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** When nobody could recover a zone all are asked again after this. */
    private static final long REFUSED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final int SEALS_PER_CALL = 1024;
    private static final int RUNS_PER_CALL = 64;
    private static final int DECISIONS_PER_COMMAND = 256;
    private static final int SPANS_PER_ZONE = 1024;
    private static final double MAX_FILL = 0.95;

    private final Node node;
    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final ArcCaller arcs;
    private final PeerCatalog catalog;

    /** By zone, what this super-peer knows of its recovery. */
    private final TreeMap<Integer, Attempt> attempts = new TreeMap<>();

    /** By member, since when it is being asked; nobody is asked twice at once. */
    private final Map<Integer, Long> sealing = new TreeMap<>();

    private final Map<Integer, Long> running = new TreeMap<>();
    private boolean committing;
    private long recovered;
    private boolean stopped;
    private final Loop loop;

    /** What is known of the recovery of a zone, at one epoch of its placement. */
    private static final class Attempt {
        private final long beganNanos;
        private long epoch;
        private long sinceNanos;
        private final TreeMap<Integer, SealedCopies.Copy> answers = new TreeMap<>();
        private final TreeMap<Integer, Long> askedNanos = new TreeMap<>();
        private long continuousSinceNanos;
        private boolean continuous;
        private boolean acceptLoss;
        private List<Integer> waitingFor = List.of();
        private long toldNanos;
        private boolean told;
        private boolean accepted;
        private long heardNanos;
        private long movedNanos;
        private long chunks;
        private long bytes;
        private final Set<Integer> refused = new HashSet<>();

        /**
         * Members that could not read their copies: they do not count as long as another may have one that can be read.
         */
        private final Set<Integer> unreadable = new HashSet<>();

        private boolean acceptDamage;
        private long refusedNanos;
        private String note = "";

        private Attempt(long nowNanos, long epoch) {
            this.beganNanos = nowNanos;
            begin(nowNanos, epoch);
        }

        /** Somebody else is to recover the zone. */
        private void refuse(int nid, long nowNanos) {
            refused.add(nid);
            refusedNanos = nowNanos;
        }

        private void begin(long nowNanos, long newEpoch) {
            epoch = newEpoch;
            sinceNanos = nowNanos;
            answers.clear();
            askedNanos.clear();
            continuous = false;
            acceptDamage = false;
            waitingFor = List.of();
            told = false;
            accepted = false;
            heardNanos = nowNanos;
            movedNanos = nowNanos;
            chunks = 0;
            bytes = 0;
        }
    }

    RecoveryDriver(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcCaller arcs,
            PeerCatalog catalog) {
        this.node = node;
        this.state = state;
        this.commit = commit;
        this.arcs = arcs;
        this.catalog = catalog;
        this.loop = Loop.every(
                        node.environment().scheduler(),
                        "recoveries",
                        () -> attempts.isEmpty() ? IDLE_TICK_NANOS : TICK_NANOS,
                        this::look)
                .vital();
    }

    void begin() {
        loop.begin();
    }

    void stop() {
        stopped = true;
        loop.stop();
    }

    /** Does whatever can be done now. */
    public void look() {
        List<ZoneRecord> recovering = new ArrayList<>();
        for (ZoneRecord zone : state.zones()) {
            if (zone.isRecovering() && !state.isMoving(zone.creatorNid())) {
                recovering.add(zone);
            }
        }
        if (recovering.isEmpty() && attempts.isEmpty()) {
            return;
        }
        long nowNanos = node.nanoTime();
        Set<Integer> present = new HashSet<>();
        for (ZoneRecord zone : recovering) {
            present.add(zone.id());
            Attempt attempt = attempts.computeIfAbsent(
                    zone.id(), id -> new Attempt(nowNanos, zone.placement().epoch()));
            if (attempt.epoch != zone.placement().epoch()) {
                attempt.begin(nowNanos, zone.placement().epoch());
                SuperPeerProbe.RECOVERY_ATTEMPT_ANEW.hit();
            }
        }
        attempts.keySet().retainAll(present);
        seal(recovering, nowNanos);
        decide(recovering, nowNanos);
        run(recovering, nowNanos);
    }

    private Attempt attemptOf(ZoneRecord zone) {
        return Objects.requireNonNull(attempts.get(zone.id()));
    }

    private UUID clusterId() {
        return node.rpcIdentity().clusterId();
    }

    // Sealing.

    private void seal(List<ZoneRecord> recovering, long nowNanos) {
        Map<Integer, List<ZoneEpoch>> byMember = new TreeMap<>();
        for (ZoneRecord zone : recovering) {
            Attempt attempt = attemptOf(zone);
            if (zone.recovery() != null) {
                continue;
            }
            for (ZoneMember member : zone.members()) {
                Long asked = attempt.askedNanos.get(member.nid());
                boolean due = asked == null || nowNanos - asked >= SEAL_AGAIN_NANOS;
                if (!attempt.answers.containsKey(member.nid()) && due) {
                    byMember.computeIfAbsent(member.nid(), nid -> new ArrayList<>())
                            .add(new ZoneEpoch(zone.id(), zone.recoveryEpoch()));
                }
            }
        }
        byMember.forEach((nid, zones) -> seal(nid, zones, nowNanos));
    }

    private void seal(int nid, List<ZoneEpoch> zones, long nowNanos) {
        PeerInfo member = catalog.find(nid);
        if (member == null || sealing.putIfAbsent(nid, nowNanos) != null) {
            return;
        }
        List<ZoneEpoch> chosen = zones.subList(0, Math.min(zones.size(), SEALS_PER_CALL));
        for (ZoneEpoch zone : chosen) {
            Objects.requireNonNull(attempts.get(zone.zone())).askedNanos.put(nid, nowNanos);
        }
        SealZones request = new SealZones(clusterId(), chosen);
        arcs.callNode(member.address(), nid, MessageType.SEAL_ZONES, request, (reply, failure) -> {
            sealing.remove(nid);
            if (reply != null && !stopped) {
                sealed(nid, chosen, reply);
                look();
            }
        });
    }

    private void sealed(int nid, List<ZoneEpoch> asked, SealedCopies reply) {
        Map<Integer, Long> epochs = new TreeMap<>();
        asked.forEach(zone -> epochs.put(zone.zone(), zone.epoch()));
        for (SealedCopies.Copy copy : reply.copies()) {
            ZoneRecord zone = state.zone(copy.zone());
            Attempt attempt = attempts.get(copy.zone());
            if (zone == null || attempt == null || !zone.isRecovering()) {
                SuperPeerProbe.SEAL_ANSWER_LATE.hit();
                continue;
            }
            // A higher one than was asked for is of a later recovery: whoever leads that has been told.
            if (!Objects.equals(epochs.get(copy.zone()), zone.recoveryEpoch())
                    || copy.fencedEpoch() > zone.recoveryEpoch()) {
                continue;
            }
            attempt.answers.put(nid, copy);
            boolean counts = copy.held() && copy.filled() && copy.continuous() && !attempt.unreadable.contains(nid);
            if (counts && !attempt.continuous) {
                attempt.continuous = true;
                attempt.continuousSinceNanos = node.nanoTime();
            }
        }
    }

    // Deciding.

    private void decide(List<ZoneRecord> recovering, long nowNanos) {
        if (committing) {
            return;
        }
        Map<Integer, Integer> load = loadOfCandidates(recovering);
        Map<Integer, List<ZoneCommand.Decision>> decisions = new TreeMap<>();
        Map<Integer, List<ZoneCommand.ZoneAt>> lost = new TreeMap<>();
        for (ZoneRecord zone : recovering) {
            if (zone.recovery() == null) {
                decide(zone, nowNanos, load, decisions, lost);
            }
        }
        List<ArcCommand> commands = new ArrayList<>();
        decisions.forEach((creator, list) -> {
            for (int i = 0; i < list.size(); i += DECISIONS_PER_COMMAND) {
                commands.add(new ZoneCommand.DecideRecoveries(
                        creator, list.subList(i, Math.min(list.size(), i + DECISIONS_PER_COMMAND))));
            }
        });
        lost.forEach((creator, list) -> {
            LOG.atError()
                    .addKeyValue("creator", Nid.toHex(creator))
                    .addKeyValue("zones", list.size())
                    .addKeyValue("first", BackupZone.nameOf(list.getFirst().zone()))
                    .log("zones are lost: no copy of them is left");
            commands.add(new ZoneCommand.LoseZones(creator, list));
        });
        commitAll(commands);
    }

    private void commitAll(List<ArcCommand> commands) {
        if (commands.isEmpty()) {
            return;
        }
        committing = true;
        CompletableFuture<?>[] all = commands.stream().map(commit).toArray(CompletableFuture[]::new);
        Async.whenDone(CompletableFuture.allOf(all), (done, failure) -> {
            committing = false;
            if (failure == null && !stopped) {
                look();
            }
        });
    }

    private static Map<Integer, Integer> loadOfCandidates(List<ZoneRecord> recovering) {
        Map<Integer, Integer> load = new TreeMap<>();
        for (ZoneRecord zone : recovering) {
            ZoneRecord.Recovery recovery = zone.recovery();
            if (recovery != null) {
                load.merge(recovery.candidateNid(), 1, Integer::sum);
            }
        }
        return load;
    }

    private void decide(
            ZoneRecord zone,
            long nowNanos,
            Map<Integer, Integer> load,
            Map<Integer, List<ZoneCommand.Decision>> decisions,
            Map<Integer, List<ZoneCommand.ZoneAt>> lost) {
        Attempt attempt = attemptOf(zone);
        boolean graceOver = attempt.continuous && nowNanos - attempt.continuousSinceNanos >= GRACE_NANOS;
        switch (RecoveryDecision.decide(
                zone.members(), attempt.answers, attempt.unreadable, graceOver, givenUp(zone, attempt, nowNanos))) {
            case RecoveryDecision.Wait(List<Integer> missing) -> attempt.waitingFor = missing;
            case RecoveryDecision.Lost _ ->
                lost.computeIfAbsent(zone.creatorNid(), nid -> new ArrayList<>())
                        .add(new ZoneCommand.ZoneAt(zone.id(), zone.placement().epoch()));
            case RecoveryDecision.Recover recover -> {
                attempt.waitingFor = List.of();
                attempt.acceptDamage = recover.acceptDamage();
                PeerInfo candidate = candidate(attempt, recover.kept(), load, nowNanos);
                if (candidate == null) {
                    SuperPeerProbe.RECOVERY_WITHOUT_CANDIDATE.hit();
                    return;
                }
                load.merge(candidate.nid(), 1, Integer::sum);
                SuperPeerProbe.RECOVERY_DECIDED.hit();
                List<ZoneMember> kept = new ArrayList<>();
                for (ZoneMember member : zone.members()) {
                    PeerInfo now = catalog.find(member.nid());
                    if (recover.kept().contains(member.nid())) {
                        kept.add(now == null ? member : ZonePlanner.memberOf(now));
                    }
                }
                decisions
                        .computeIfAbsent(zone.creatorNid(), nid -> new ArrayList<>())
                        .add(new ZoneCommand.Decision(
                                zone.id(),
                                zone.placement().epoch(),
                                new ZoneRecord.Recovery(
                                        candidate.nid(), candidate.epoch(), recover.lastSequence(), kept)));
            }
        }
    }

    /** Members that need not be waited for: a person has said so, they hold no lease, and they were asked just now. */
    private Set<Integer> givenUp(ZoneRecord zone, Attempt attempt, long nowNanos) {
        Set<Integer> given = new HashSet<>();
        if (attempt.acceptLoss && nowNanos - attempt.sinceNanos >= GIVE_UP_NANOS) {
            for (ZoneMember member : zone.members()) {
                PeerInfo peer = catalog.find(member.nid());
                if (peer == null || !peer.live()) {
                    given.add(member.nid());
                }
            }
        }
        return given;
    }

    /**
     * Who is to recover a zone: of those with a copy the one with the least to do, or another one when none has room.
     */
    private @Nullable PeerInfo candidate(
            Attempt attempt, List<Integer> kept, Map<Integer, Integer> load, long nowNanos) {
        PeerInfo best = null;
        boolean waits = false;
        for (int nid : kept) {
            PeerInfo peer = catalog.find(nid);
            if (peer == null || !isThere(peer)) {
                waits = true;
            } else if (!attempt.refused.contains(nid) && (best == null || isLess(load, peer, best))) {
                best = peer;
            }
        }
        if (best == null && !attempt.refused.isEmpty()) {
            for (PeerInfo peer : catalog.all()) {
                boolean can = isThere(peer) && !peer.draining() && hasRoom(peer);
                if (can && !attempt.refused.contains(peer.nid()) && (best == null || roomOf(peer) > roomOf(best))) {
                    best = peer;
                }
            }
        }
        if (best == null) {
            attempt.note = attempt.refused.isEmpty() || waits
                    ? "no storage peer with a copy holds a lease"
                    : "no storage peer has room for it: " + attempt.note;
            if (nowNanos - attempt.refusedNanos >= REFUSED_AGAIN_NANOS) {
                attempt.refused.clear();
            }
        }
        return best;
    }

    /**
     * Whether this arc would take it: it may have heard of a later incarnation before those who tell of the peer did.
     */
    private boolean isThere(PeerInfo peer) {
        return peer.live() && peer.fencedEpoch() < peer.epoch() && state.presentEpoch(peer.nid()) <= peer.epoch();
    }

    private static boolean isLess(Map<Integer, Integer> load, PeerInfo peer, PeerInfo best) {
        if (hasRoom(peer) != hasRoom(best)) {
            return hasRoom(peer);
        }
        return load.getOrDefault(peer.nid(), 0) < load.getOrDefault(best.nid(), 0);
    }

    private static long roomOf(PeerInfo peer) {
        return (long) (peer.statistics().capacityBytes() * MAX_FILL)
                - peer.statistics().usedBytes();
    }

    private static boolean hasRoom(PeerInfo peer) {
        return roomOf(peer) > 0;
    }

    // Carrying out.

    private void run(List<ZoneRecord> recovering, long nowNanos) {
        Map<ZoneMember, List<ZoneRecord>> byCandidate = new LinkedHashMap<>();
        List<ZoneRecord> over = new ArrayList<>();
        for (ZoneRecord zone : recovering) {
            ZoneRecord.Recovery recovery = zone.recovery();
            if (recovery == null) {
                continue;
            }
            Attempt attempt = attemptOf(zone);
            boolean gone = state.presentEpoch(recovery.candidateNid()) > recovery.candidateEpoch();
            boolean silent = nowNanos - attempt.heardNanos > SILENCE_NANOS;
            boolean stalled = attempt.chunks > 0 && nowNanos - attempt.movedNanos > STALL_NANOS;
            if (gone || silent || stalled) {
                String what = " has come no further with it";
                if (gone) {
                    what = " has ended while it recovered the zone";
                    SuperPeerProbe.RECOVERER_ENDED.hit();
                } else if (silent) {
                    what = " does not answer";
                } else {
                    attempt.refuse(recovery.candidateNid(), nowNanos);
                }
                attempt.note = "storage peer " + Nid.toHex(recovery.candidateNid()) + what;
                over.add(zone);
            } else if (!attempt.told || nowNanos - attempt.toldNanos >= RUN_AGAIN_NANOS) {
                byCandidate
                        .computeIfAbsent(
                                new ZoneMember(recovery.candidateNid(), recovery.candidateEpoch()),
                                candidate -> new ArrayList<>())
                        .add(zone);
            }
        }
        restart(over);
        byCandidate.forEach((candidate, zones) -> run(candidate, zones, nowNanos));
    }

    private void restart(List<ZoneRecord> zones) {
        if (zones.isEmpty() || committing) {
            return;
        }
        Map<Integer, List<ZoneCommand.ZoneAt>> byCreator = new TreeMap<>();
        for (ZoneRecord zone : zones) {
            byCreator
                    .computeIfAbsent(zone.creatorNid(), nid -> new ArrayList<>())
                    .add(new ZoneCommand.ZoneAt(zone.id(), zone.placement().epoch()));
            LOG.atWarn()
                    .addKeyValue("zone", BackupZone.nameOf(zone.id()))
                    .log("the recovery of a zone begins afresh: {}", attemptOf(zone).note);
            SuperPeerProbe.RECOVERY_RESTARTED.hit();
        }
        List<ArcCommand> commands = new ArrayList<>();
        byCreator.forEach((creator, list) -> commands.add(new ZoneCommand.RestartRecoveries(creator, list)));
        commitAll(commands);
    }

    private void run(ZoneMember candidate, List<ZoneRecord> zones, long nowNanos) {
        PeerInfo peer = catalog.find(candidate.nid());
        if (peer == null || running.putIfAbsent(candidate.nid(), nowNanos) != null) {
            return;
        }
        // Those that have waited longest go first, so that many zones are all told one after the other.
        List<ZoneRecord> chosen = zones.stream()
                .sorted(Comparator.comparingLong(
                        (ZoneRecord zone) -> attemptOf(zone).told ? attemptOf(zone).toldNanos : Long.MIN_VALUE))
                .limit(RUNS_PER_CALL)
                .toList();
        List<RunRecovery.Task> orders = new ArrayList<>();
        for (ZoneRecord zone : chosen) {
            Attempt attempt = attemptOf(zone);
            attempt.told = true;
            attempt.toldNanos = nowNanos;
            orders.add(orderOf(zone, Objects.requireNonNull(zone.recovery())));
        }
        RunRecovery request = new RunRecovery(candidate.epoch(), orders);
        arcs.callNode(peer.address(), candidate.nid(), MessageType.RUN_RECOVERY, request, (reply, failure) -> {
            running.remove(candidate.nid());
            if (reply != null && !stopped) {
                progressed(candidate, reply);
            }
        });
    }

    private RunRecovery.Task orderOf(ZoneRecord zone, ZoneRecord.Recovery recovery) {
        List<RunRecovery.Member> members = new ArrayList<>();
        for (ZoneMember member : recovery.kept()) {
            PeerInfo peer = catalog.find(member.nid());
            if (peer != null) {
                RunRecovery.Member told = new RunRecovery.Member(member.nid(), peer.address());
                members.add(member.nid() == recovery.candidateNid() ? 0 : members.size(), told);
            }
        }
        // One that has heard of it has the spans already; it could still ask for them.
        boolean accepted = attemptOf(zone).accepted;
        long firstCid = Cid.firstOf(zone.creatorNid());
        List<CidRange> ranges = accepted ? List.of() : state.rangesOfZone(zone.id(), firstCid, SPANS_PER_ZONE);
        long nextCid = accepted ? firstCid : 0;
        if (ranges.size() == SPANS_PER_ZONE && ranges.getLast().endCidInclusive() != Cid.lastOf(zone.creatorNid())) {
            nextCid = ranges.getLast().endCidInclusive() + 1;
        }
        return new RunRecovery.Task(
                zone.id(),
                zone.recoveryEpoch(),
                recovery.lastSequence(),
                members,
                ranges.stream()
                        .map(range -> new RunRecovery.Span(range.startCid(), range.endCidInclusive()))
                        .toList(),
                nextCid,
                attemptOf(zone).acceptDamage && isKept(recovery, recovery.candidateNid()));
    }

    private static boolean isKept(ZoneRecord.Recovery recovery, int nid) {
        return recovery.kept().stream().anyMatch(member -> member.nid() == nid);
    }

    private void progressed(ZoneMember candidate, RunRecoveryReply reply) {
        long nowNanos = node.nanoTime();
        List<ZoneRecord> refused = new ArrayList<>();
        for (RunRecoveryReply.Progress told : reply.zones()) {
            ZoneRecord zone = state.zone(told.zone());
            Attempt attempt = attempts.get(told.zone());
            ZoneRecord.Recovery recovery = zone == null ? null : zone.recovery();
            if (zone == null || attempt == null || recovery == null || zone.recoveryEpoch() != told.epoch()) {
                continue;
            }
            if (!candidate.equals(new ZoneMember(recovery.candidateNid(), recovery.candidateEpoch()))) {
                continue;
            }
            attempt.heardNanos = nowNanos;
            attempt.accepted = true;
            if (attempt.chunks != told.chunks() || attempt.bytes != told.bytes()) {
                attempt.movedNanos = nowNanos;
            }
            attempt.chunks = told.chunks();
            attempt.bytes = told.bytes();
            attempt.note = told.note();
            if (told.state() == RunRecoveryReply.State.DAMAGED && isKept(recovery, candidate.nid())) {
                // Not refused: should no copy be readable, its peer may be the one that recovers what there is.
                attempt.unreadable.add(candidate.nid());
                attempt.note = "storage peer " + Nid.toHex(candidate.nid()) + ": " + told.note();
                refused.add(zone);
            } else if (told.state() == RunRecoveryReply.State.NO_ROOM
                    || told.state() == RunRecoveryReply.State.FAILED
                    || told.state() == RunRecoveryReply.State.DAMAGED) {
                attempt.refuse(candidate.nid(), nowNanos);
                refused.add(zone);
                SuperPeerProbe.RECOVERY_REFUSED.hit();
            }
        }
        restart(refused);
    }

    // For people.

    /** A person has decided not to wait any longer for members of a zone. */
    void acceptLoss(int zone) {
        Attempt attempt = attempts.get(zone);
        if (attempt != null) {
            attempt.acceptLoss = true;
            look();
        }
    }

    /** A zone has got its owner. */
    void ended(ZoneRecord zone) {
        recovered++;
        Attempt attempt = attempts.remove(zone.id());
        node.metrics().countRecovery(attempt == null ? 0 : node.nanoTime() - attempt.beganNanos);
    }

    /** The recoveries that have ended since this super-peer leads. */
    public long recoveredCount() {
        return recovered;
    }

    /** The recoveries that have not. */
    public List<ZoneStatus.Recovery> list() {
        long nowNanos = node.nanoTime();
        List<ZoneStatus.Recovery> list = new ArrayList<>();
        for (ZoneRecord zone : state.zones()) {
            if (!zone.isRecovering() || list.size() == ZoneStatus.MAX_RECOVERIES) {
                continue;
            }
            ZoneRecord.Recovery recovery = zone.recovery();
            Attempt attempt = attempts.get(zone.id());
            list.add(new ZoneStatus.Recovery(
                    zone.id(),
                    zone.recoveryEpoch(),
                    recovery == null ? Nid.NONE : recovery.candidateNid(),
                    attempt == null || recovery != null ? List.of() : attempt.waitingFor,
                    attempt == null ? 0 : attempt.chunks,
                    attempt == null ? 0 : attempt.bytes,
                    attempt == null ? 0 : TimeUnit.NANOSECONDS.toMillis(nowNanos - attempt.beganNanos),
                    attempt == null ? "" : attempt.note));
        }
        return list;
    }
}
