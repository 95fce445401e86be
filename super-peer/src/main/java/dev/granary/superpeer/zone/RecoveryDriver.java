package dev.granary.superpeer.zone;

import dev.granary.env.Loop;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.BackupZone;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives zones of an arc another owner when theirs has ended (ADR 0104). Tells the members to seal their copies, decides
 * from which copies a zone is recovered, chooses the recovery candidate, and tells it to recover the zone. Commits each
 * decision before anybody is told of it, so the next leader of the arc goes on from there. Runs as tasks of the node's
 * scheduler.
 */
public final class RecoveryDriver {

    private static final Logger LOG = LoggerFactory.getLogger(RecoveryDriver.class);

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long IDLE_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int DECISIONS_PER_COMMAND = 256;

    private final Node node;
    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final PeerCatalog catalog;
    private final CopySealer sealer;
    private final RecoveryOrders orders;

    /** By zone, what this super-peer knows of its recovery. */
    private final TreeMap<Integer, RecoveryAttempt> attempts = new TreeMap<>();

    private final RecoveryRound round = new RecoveryRound();
    private final RoomShortage shortage = new RoomShortage();
    private boolean committing;
    private long recovered;
    private boolean stopped;
    private final Loop loop;

    RecoveryDriver(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            ArcCaller arcs,
            PeerCatalog catalog) {
        this.node = node;
        this.state = state;
        this.commit = commit;
        this.catalog = catalog;
        this.sealer = new CopySealer(node.rpcIdentity().clusterId(), arcs, catalog, this::attemptOf, this::sealed);
        this.orders = new RecoveryOrders(state, arcs, catalog, this::attemptOf, this::progressed);
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

    /** Looks at all zones without an owner and does what can be done now: seals, decides, orders. */
    public void look() {
        List<ZoneRecord> recovering = new ArrayList<>();
        for (ZoneRecord zone : state.zones()) {
            if (zone.isRecovering() && !state.isMoving(zone.creatorNid())) {
                recovering.add(zone);
            }
        }
        long nowNanos = node.nanoTime();
        round.look(recovering, nowNanos);
        if (recovering.isEmpty() && attempts.isEmpty()) {
            return;
        }
        Set<Integer> present = new HashSet<>();
        for (ZoneRecord zone : recovering) {
            present.add(zone.id());
            RecoveryAttempt attempt = attempts.computeIfAbsent(
                    zone.id(),
                    id -> new RecoveryAttempt(nowNanos, zone.placement().epoch()));
            if (attempt.epoch() != zone.placement().epoch()) {
                attempt.begin(nowNanos, zone.placement().epoch());
                SuperPeerProbe.RECOVERY_ATTEMPT_ANEW.hit();
            }
        }
        attempts.keySet().retainAll(present);
        sealer.ask(recovering, nowNanos);
        decide(recovering, nowNanos);
        run(recovering, nowNanos);
    }

    private RecoveryAttempt attemptOf(ZoneRecord zone) {
        return Objects.requireNonNull(attempts.get(zone.id()));
    }

    private void sealed(int nid, Map<Integer, Long> asked, SealedCopies reply) {
        if (stopped) {
            return;
        }
        for (SealedCopies.Copy copy : reply.copies()) {
            ZoneRecord zone = state.zone(copy.zone());
            RecoveryAttempt attempt = attempts.get(copy.zone());
            if (zone == null || attempt == null || !zone.isRecovering()) {
                SuperPeerProbe.SEAL_ANSWER_LATE.hit();
                continue;
            }
            // An epoch above the requested one belongs to a later recovery, whose leader has the answer.
            if (Objects.equals(asked.get(copy.zone()), zone.recoveryEpoch())
                    && copy.fencedEpoch() <= zone.recoveryEpoch()) {
                boolean member = zone.members().stream().anyMatch(each -> each.nid() == nid);
                attempt.sealed(nid, copy, member, node.nanoTime());
            }
        }
        look();
    }

    // Deciding.

    private void decide(List<ZoneRecord> recovering, long nowNanos) {
        if (committing) {
            return;
        }
        RecoveryCandidates candidates = new RecoveryCandidates(state, catalog, shortage, recovering, this::attemptOf);
        Map<Integer, List<ZoneCommand.Decision>> decisions = new TreeMap<>();
        Map<Integer, List<ZoneCommand.ZoneAt>> lost = new TreeMap<>();
        // The largest first: it decides how long something is not served, and small ones even the candidates out.
        recovering.stream()
                .filter(zone -> zone.recovery() == null)
                .sorted(Comparator.comparingLong(zone -> -attemptOf(zone).copyBytes()))
                .forEach(zone -> decide(zone, nowNanos, candidates, decisions, lost));
        shortage.tell(nowNanos);
        List<ArcCommand> commands = new ArrayList<>();
        decisions.forEach((creator, list) -> {
            for (int i = 0; i < list.size(); i += DECISIONS_PER_COMMAND) {
                commands.add(new ZoneCommand.DecideRecoveries(
                        creator, list.subList(i, Math.min(list.size(), i + DECISIONS_PER_COMMAND))));
            }
        });
        lost.forEach((creator, list) -> {
            LOG.atError()
                    .addKeyValue("creatorNid", Nid.toHex(creator))
                    .addKeyValue("zones", list.size())
                    .addKeyValue("firstZone", BackupZone.nameOf(list.getFirst().zone()))
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

    private void decide(
            ZoneRecord zone,
            long nowNanos,
            RecoveryCandidates candidates,
            Map<Integer, List<ZoneCommand.Decision>> decisions,
            Map<Integer, List<ZoneCommand.ZoneAt>> lost) {
        RecoveryAttempt attempt = attemptOf(zone);
        switch (RecoveryDecision.decide(
                zone.members(),
                zone.spares(),
                attempt.answers(),
                attempt.unreadable(),
                attempt.isGraceOver(nowNanos),
                givenUp(zone, attempt, nowNanos))) {
            case RecoveryDecision.Wait(List<Integer> missing) -> attempt.waitFor(missing);
            case RecoveryDecision.Lost _ ->
                lost.computeIfAbsent(zone.creatorNid(), nid -> new ArrayList<>())
                        .add(new ZoneCommand.ZoneAt(zone.id(), zone.placement().epoch()));
            case RecoveryDecision.Recover recover -> {
                attempt.decided(recover.acceptDamage());
                PeerInfo candidate = candidates.choose(attempt, recover.kept(), nowNanos);
                if (candidate == null) {
                    SuperPeerProbe.RECOVERY_WITHOUT_CANDIDATE.hit();
                    return;
                }
                SuperPeerProbe.RECOVERY_DECIDED.hit();
                List<ZoneMember> kept = recover.kept().stream()
                        .map(nid -> keptMember(zone, nid))
                        .toList();
                long leastEpoch = recover.kept().stream()
                        .mapToLong(
                                nid -> Objects.requireNonNull(attempt.answers().get(nid))
                                        .epoch())
                        .min()
                        .orElseThrow();
                decisions
                        .computeIfAbsent(zone.creatorNid(), nid -> new ArrayList<>())
                        .add(new ZoneCommand.Decision(
                                zone.id(),
                                zone.placement().epoch(),
                                new ZoneRecord.Recovery(
                                        candidate.nid(), candidate.epoch(), recover.lastSequence(), leastEpoch, kept)));
            }
        }
    }

    /** Returns a storage peer whose copy counts, in its present incarnation as far as that is known. */
    private ZoneMember keptMember(ZoneRecord zone, int nid) {
        PeerInfo now = catalog.find(nid);
        return now != null
                ? ZonePlanner.memberOf(now)
                : zone.members().stream()
                        .filter(member -> member.nid() == nid)
                        .findFirst()
                        .orElse(new ZoneMember(nid, 0));
    }

    /**
     * Returns the storage peers for which the recovery need not wait: a person has given them up, they have no lease,
     * and they have had {@link RecoveryAttempt#mayGiveUpMembers time to answer}.
     */
    private Set<Integer> givenUp(ZoneRecord zone, RecoveryAttempt attempt, long nowNanos) {
        Set<Integer> given = new HashSet<>();
        if (attempt.mayGiveUpMembers(nowNanos)) {
            for (int nid : attempt.counting(zone)) {
                PeerInfo peer = catalog.find(nid);
                if (peer == null || !peer.live()) {
                    given.add(nid);
                }
            }
        }
        return given;
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
            RecoveryAttempt attempt = attemptOf(zone);
            ZoneMember candidate = new ZoneMember(recovery.candidateNid(), recovery.candidateEpoch());
            boolean gone = state.presentEpoch(recovery.candidateNid()) > recovery.candidateEpoch();
            if (gone) {
                SuperPeerProbe.RECOVERER_ENDED.hit();
                attempt.giveUp(candidate, " has ended while it recovered the zone");
                over.add(zone);
            } else if (attempt.isSilent(nowNanos)) {
                attempt.giveUp(candidate, " does not answer");
                over.add(zone);
            } else if (attempt.isStalled(nowNanos)) {
                attempt.refuse(candidate.nid(), nowNanos);
                attempt.giveUp(candidate, " has come no further with it");
                over.add(zone);
            } else if (attempt.isOrderDue(nowNanos)) {
                byCandidate
                        .computeIfAbsent(candidate, told -> new ArrayList<>())
                        .add(zone);
            }
        }
        restart(over);
        byCandidate.forEach((candidate, zones) -> orders.send(candidate, zones, nowNanos));
    }

    private void restart(List<ZoneRecord> zones) {
        if (zones.isEmpty() || committing) {
            return;
        }
        Map<Integer, List<ZoneCommand.ZoneAt>> byCreator = new TreeMap<>();
        Map<String, List<ZoneRecord>> byReason = new TreeMap<>();
        for (ZoneRecord zone : zones) {
            byCreator
                    .computeIfAbsent(zone.creatorNid(), nid -> new ArrayList<>())
                    .add(new ZoneCommand.ZoneAt(zone.id(), zone.placement().epoch()));
            byReason.computeIfAbsent(attemptOf(zone).note(), note -> new ArrayList<>())
                    .add(zone);
            SuperPeerProbe.RECOVERY_RESTARTED.hit();
        }
        byReason.forEach((note, restarted) -> LOG.atWarn()
                .addKeyValue("zones", restarted.size())
                .addKeyValue("firstZone", BackupZone.nameOf(restarted.getFirst().id()))
                .log("restarting the recovery of zones: {}", note));
        List<ArcCommand> commands = new ArrayList<>();
        byCreator.forEach((creator, list) -> commands.add(new ZoneCommand.RestartRecoveries(creator, list)));
        commitAll(commands);
    }

    private void progressed(ZoneMember candidate, RunRecoveryReply reply) {
        if (stopped) {
            return;
        }
        long nowNanos = node.nanoTime();
        List<ZoneRecord> refused = new ArrayList<>();
        for (RunRecoveryReply.Progress told : reply.zones()) {
            ZoneRecord zone = state.zone(told.zone());
            RecoveryAttempt attempt = attempts.get(told.zone());
            ZoneRecord.Recovery recovery = zone == null ? null : zone.recovery();
            if (zone == null || attempt == null || recovery == null || zone.recoveryEpoch() != told.epoch()) {
                continue;
            }
            if (!candidate.equals(new ZoneMember(recovery.candidateNid(), recovery.candidateEpoch()))) {
                continue;
            }
            attempt.heard(told, nowNanos);
            if (told.state() == RunRecoveryReply.State.DAMAGED && RecoveryOrders.isKept(recovery, candidate.nid())) {
                attempt.cannotRead(candidate.nid(), told.note());
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

    /** Ends the wait for members of a zone that have no lease, because a person says so. */
    void acceptLoss(int zone) {
        RecoveryAttempt attempt = attempts.get(zone);
        if (attempt != null) {
            attempt.acceptLoss();
            look();
        }
    }

    /** Counts a recovery that has given a zone its owner. */
    void ended(Recovered done) {
        recovered++;
        RecoveryAttempt attempt = attempts.remove(done.zone());
        long nowNanos = node.nanoTime();
        long nanos = attempt == null ? 0 : nowNanos - attempt.beganNanos();
        node.metrics().countRecovery(nanos);
        round.recovered(done, nowNanos, nanos);
    }

    /** Returns how many recoveries have ended since this super-peer leads. */
    public long recoveredCount() {
        return recovered;
    }

    /** Returns the recoveries that have not ended, at most {@link ZoneStatus#MAX_RECOVERIES}. */
    public List<ZoneStatus.Recovery> list() {
        long nowNanos = node.nanoTime();
        List<ZoneStatus.Recovery> list = new ArrayList<>();
        for (ZoneRecord zone : state.zones()) {
            if (!zone.isRecovering() || list.size() == ZoneStatus.MAX_RECOVERIES) {
                continue;
            }
            ZoneRecord.Recovery recovery = zone.recovery();
            RecoveryAttempt attempt = attempts.get(zone.id());
            list.add(new ZoneStatus.Recovery(
                    zone.id(),
                    zone.recoveryEpoch(),
                    recovery == null ? Nid.NONE : recovery.candidateNid(),
                    attempt == null || recovery != null ? List.of() : attempt.waitingFor(),
                    attempt == null ? 0 : attempt.chunks(),
                    attempt == null ? 0 : attempt.bytes(),
                    attempt == null ? 0 : TimeUnit.NANOSECONDS.toMillis(nowNanos - attempt.beganNanos()),
                    attempt == null ? "" : attempt.note()));
        }
        return list;
    }
}
