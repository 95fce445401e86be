package dev.granary.superpeer.name;

import dev.granary.env.Loop;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NameList;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.UnderWay;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.arc.ArcState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps copies of the names of an arc on a few storage peers, for when all super-peers that have them are lost (ADR
 * 0150). Changes follow at once, and nobody waits for them; a storage peer that has no copy, or one that is too old, is
 * sent all names. Nothing is sent before the arc gets its first name. Tasks of the node's scheduler.
 */
public final class NameSaver {

    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The time between two questions to a storage peer that has all names, whether it still has them. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int COPIES = 3;

    /** A limit for calls without an answer or a failure. Calls end much earlier. */
    private static final int MAX_TICKS_OF_A_CALL = 30;

    private final Node node;
    private final int ownerNid;
    private final ArcState state;
    private final ArcCaller arcs;
    private final PeerCatalog catalog;
    private final Supplier<@Nullable Ring> ring;
    private final Map<Integer, Target> targets = new TreeMap<>();
    private final Loop loop;
    private boolean stopped;

    /** What this super-peer knows of one storage peer. */
    private static final class Target {
        private final int nid;
        private final long epoch;
        private HostAddress address;

        /** The arc whose names the peer has, null while it is not known. */
        private @Nullable Arc arc;

        /** The version of the names that the peer has, or up to which it is being filled; 0 for none. */
        private long version;

        /** While the peer is being filled, the name up to which it has the names, or that it has them all. */
        private @Nullable String filledTo;

        private boolean filled;
        private final UnderWay sending = new UnderWay(MAX_TICKS_OF_A_CALL);
        private long nextNanos = Long.MIN_VALUE;

        private Target(PeerInfo peer) {
            this.nid = peer.nid();
            this.epoch = peer.epoch();
            this.address = peer.address();
        }

        private boolean isFilling() {
            return filledTo != null;
        }

        private boolean isWhole(Arc wanted) {
            return wanted.equals(arc) && !isFilling();
        }
    }

    public NameSaver(
            Node node,
            int ownerNid,
            ArcState state,
            ArcCaller arcs,
            PeerCatalog catalog,
            Supplier<@Nullable Ring> ring) {
        this.node = node;
        this.ownerNid = ownerNid;
        this.state = state;
        this.arcs = arcs;
        this.catalog = catalog;
        this.ring = ring;
        this.loop = Loop.every(node.environment().scheduler(), "name-copies", TICK_NANOS, this::tick)
                .vital();
    }

    public void begin() {
        loop.begin();
    }

    private void tick() {
        chooseTargets();
        look();
        giveUpSilent();
    }

    /**
     * Gives up calls that have ended with neither an answer nor a failure. Their storage peers are sent all names
     * again.
     */
    private void giveUpSilent() {
        int silent = 0;
        for (Target target : targets.values()) {
            if (target.sending.givesUp()) {
                target.arc = null;
                silent++;
            }
        }
        if (silent > 0) {
            throw new IllegalStateException(silent + " calls for copies of names have not ended");
        }
    }

    public void stop() {
        stopped = true;
        loop.stop();
    }

    /** The number of the last changes that no storage peer has yet. */
    public long unsavedChanges() {
        Arc arc = arc();
        long saved = 0;
        for (Target target : targets.values()) {
            saved = arc != null && target.isWhole(arc) ? Math.max(saved, target.version) : saved;
        }
        return Math.max(0, state.nameVersion() - saved);
    }

    /** Sends the missing changes to each storage peer to which no call is under way. */
    void look() {
        Arc arc = arc();
        if (stopped || arc == null || state.nameVersion() == 0 || state.isAnyMoving(arc)) {
            return;
        }
        // Answers may come at once and look again.
        for (Target target : List.copyOf(targets.values())) {
            if (!target.sending.isBusy() && target.nextNanos <= node.nanoTime()) {
                goOn(target, arc);
            }
        }
    }

    /** The arc, null while it is not on the ring that is known here. */
    private @Nullable Arc arc() {
        Ring current = ring.get();
        return current == null || current.member(ownerNid).isEmpty() ? null : current.arcOf(ownerNid);
    }

    private void goOn(Target target, Arc arc) {
        if (!arc.equals(target.arc)) {
            target.arc = arc;
            target.filledTo = null;
            target.version = 0;
            // The peer may have the names from an earlier leader.
            send(target, arc, SaveNames.Step.CHANGE, state.nameVersion(), state.nameVersion(), List.of());
        } else if (target.isFilling()) {
            fill(target, arc);
        } else {
            List<NameEntry> changes = state.nameChangesSince(target.version, SaveNames.MAX_CHANGES);
            if (target.version == 0 || changes == null) {
                target.filledTo = "";
                target.filled = false;
                long version = state.nameVersion();
                send(target, arc, SaveNames.Step.BEGIN, 0, version, List.of());
            } else {
                long version = target.version + changes.size();
                send(target, arc, SaveNames.Step.CHANGE, target.version, version, changes);
            }
        }
    }

    /**
     * Sends the names in their order, each with its present CID, and all changes since the first name was sent, in
     * their order. The last change of a name counts, whichever arrives first. Changes are sent before they are
     * forgotten.
     */
    private void fill(Target target, Arc arc) {
        String after = target.filledTo == null ? "" : target.filledTo;
        if (!target.filled && state.nameVersion() - target.version < SaveNames.MAX_CHANGES) {
            NameList page = state.names(arc, "", after, SaveNames.MAX_CHANGES);
            target.filled = !page.more();
            target.filledTo =
                    page.entries().isEmpty() ? after : page.entries().getLast().name();
            send(target, arc, SaveNames.Step.FILL, target.version, target.version, page.entries());
            return;
        }
        List<NameEntry> changes = state.nameChangesSince(target.version, SaveNames.MAX_CHANGES);
        if (changes == null) {
            target.filledTo = null;
            target.version = 0;
            goOn(target, arc);
            return;
        }
        long version = target.version + changes.size();
        boolean last = target.filled && version == state.nameVersion();
        send(target, arc, last ? SaveNames.Step.FINISH : SaveNames.Step.FILL, target.version, version, changes);
    }

    private void send(
            Target target, Arc arc, SaveNames.Step step, long baseVersion, long version, List<NameEntry> changes) {
        Ring current = ring.get();
        SaveNames request = new SaveNames(
                node.rpcIdentity().clusterId(),
                ownerNid,
                arc.fromExclusive(),
                arc.toInclusive(),
                current == null ? 0 : current.epoch(),
                step,
                baseVersion,
                version,
                changes);
        long piece = target.sending.begin();
        arcs.callNode(target.address, target.nid, MessageType.SAVE_NAMES, request, (saved, failure) -> {
            if (!target.sending.end(piece)) {
                return;
            }
            if (saved == null) {
                // The peer may have taken the changes, or may have lost all names.
                target.arc = null;
                target.nextNanos = node.nanoTime() + RETRY_NANOS;
            } else {
                answered(target, step, version, saved);
            }
            look();
        });
    }

    private void answered(Target target, SaveNames.Step step, long version, NamesSaved saved) {
        if (!saved.taken()) {
            boolean older = saved.version() != 0 && saved.version() < state.nameVersion();
            target.filledTo = null;
            // If the fill was refused, another super-peer leads by now.
            target.nextNanos = step == SaveNames.Step.CHANGE ? Long.MIN_VALUE : node.nanoTime() + RETRY_NANOS;
            target.version = older && step == SaveNames.Step.CHANGE ? saved.version() : 0;
            return;
        }
        target.version = version;
        if (step == SaveNames.Step.FINISH) {
            target.filledTo = null;
        }
        boolean all = !target.isFilling() && version == state.nameVersion();
        target.nextNanos = all ? node.nanoTime() + LOOK_NANOS : Long.MIN_VALUE;
    }

    /** Notes that a name has changed: storage peers that had all names lack one change now. */
    public void changed() {
        targets.values().stream()
                .filter(target -> !target.sending.isBusy() && target.arc != null && !target.isFilling())
                .forEach(target -> target.nextNanos = Long.MIN_VALUE);
        look();
    }

    // Who has a copy.

    /**
     * Chooses the storage peers that come first in this arc's own order, on different machines if there are enough.
     */
    private void chooseTargets() {
        List<PeerInfo> peers = new ArrayList<>();
        catalog.all().stream().filter(peer -> peer.live() && !peer.draining()).forEach(peers::add);
        peers.sort(
                Comparator.comparingLong((PeerInfo peer) -> rankOf(peer.nid())).thenComparing(PeerInfo::nid));
        List<PeerInfo> chosen = new ArrayList<>();
        Set<String> machines = new HashSet<>();
        for (PeerInfo peer : peers) {
            if (chosen.size() < COPIES && (peer.machine().isEmpty() || machines.add(peer.machine()))) {
                chosen.add(peer);
            }
        }
        peers.stream()
                .filter(peer -> !chosen.contains(peer))
                .limit(COPIES - chosen.size())
                .forEach(chosen::add);
        targets.keySet().removeIf(nid -> chosen.stream().noneMatch(peer -> peer.nid() == nid));
        for (PeerInfo peer : chosen) {
            Target known = targets.get(peer.nid());
            if (known == null || known.epoch != peer.epoch()) {
                targets.put(peer.nid(), new Target(peer));
            } else {
                known.address = peer.address();
            }
        }
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood 2014): every arc has an order of its own. */
    private long rankOf(int nid) {
        long mixed = (((long) ownerNid << 16) | nid) * 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
