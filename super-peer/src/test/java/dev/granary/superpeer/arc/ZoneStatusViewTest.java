package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.Arc;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.NewZone;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.ZoneMember;
import dev.granary.superpeer.state.ZoneRecord;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.arc.RangeCommand;
import dev.granary.superpeer.state.arc.ZoneCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Compares the counts of zones in metrics with a walk over all zones. */
class ZoneStatusViewTest {

    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final int PEERS = 6;
    private static final int WANTED = 2;

    private final long seed = new Random().nextLong();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final long[] epochs = new long[PEERS];
    private ArcState state = new ArcState();
    private int asked;

    private static int nid(int peer) {
        return Nid.storageNid(peer + 1);
    }

    private List<ZoneMember> members(int owner) {
        List<ZoneMember> members = new ArrayList<>();
        for (int i = 1 + random.nextInt(PEERS); i < PEERS; i++) {
            if (i != owner && epochs[i] > 0 && members.size() < 3) {
                members.add(new ZoneMember(nid(i), epochs[i]));
            }
        }
        return members;
    }

    private void open(int peer) {
        epochs[peer]++;
        List<NewZone> zones = List.of(new NewZone(1000, members(peer), WANTED));
        state.apply(new PeerCommand.OpenPeer(
                nid(peer), new UUID(1, peer), epochs[peer], "p", ADDRESS, ADDRESS, 1, 1000, "", "", zones, 0, null));
    }

    private void step() {
        int peer = random.nextInt(PEERS);
        List<ZoneRecord> zones = List.copyOf(state.zones());
        ZoneRecord zone = zones.isEmpty() ? null : zones.get(random.nextInt(zones.size()));
        int kind = random.nextInt(8);
        if (kind == 0 || zone == null) {
            open(peer);
        } else if (kind == 1 && epochs[peer] > 0) {
            state.apply(new PeerCommand.CloseLease(nid(peer), epochs[peer]));
        } else if (kind == 2) {
            state.apply(new RangeCommand.FencePeer(nid(peer), epochs[peer] + 1));
        } else if (kind == 3 && epochs[peer] > 0) {
            state.apply(new ZoneCommand.OpenZone(zone.creatorNid(), nid(peer), epochs[peer], members(peer), WANTED));
        } else if (kind == 4) {
            state.apply(new ZoneCommand.ChangeCopies(
                    zone.id(),
                    zone.placement().owner(),
                    zone.ownerEpoch(),
                    zone.placement().epoch(),
                    zone.members().stream().map(ZoneMember::nid).limit(1).toList(),
                    members(peer),
                    WANTED));
        } else if (kind == 5 && epochs[peer] > 0) {
            ZoneRecord.Recovery recovery = new ZoneRecord.Recovery(nid(peer), epochs[peer], 1, 1, members(peer));
            long epoch = zone.placement().epoch();
            state.apply(new ZoneCommand.DecideRecoveries(
                    zone.creatorNid(), List.of(new ZoneCommand.Decision(zone.id(), epoch, recovery))));
            state.apply(new ZoneCommand.EndRecovery(zone.id(), epoch + 1, nid(peer), epochs[peer], WANTED));
        } else if (kind == 6) {
            ZoneCommand.ZoneAt at =
                    new ZoneCommand.ZoneAt(zone.id(), zone.placement().epoch());
            state.apply(new ZoneCommand.LoseZones(zone.creatorNid(), List.of(at)));
            state.apply(new ZoneCommand.CloseZones(zone.creatorNid(), List.of(at)));
        } else if (kind == 7 && random.nextInt(10) == 0) {
            moveAway();
        }
    }

    /** Passes the state through a snapshot, or a piece of it through another arc. */
    private void moveAway() {
        Arc piece = new Arc(1 + random.nextInt(Nid.MAX), 1 + random.nextInt(Nid.MAX));
        ByteBuf bytes = Unpooled.buffer();
        if (random.nextBoolean()) {
            state.writeSnapshot(bytes);
            state = new ArcState();
            state.readSnapshot(bytes);
        } else {
            int operation = 1 + random.nextInt(1 << 20);
            state.apply(new ArcTransfer.Seal(operation, piece, 1));
            state.apply(new ArcTransfer.Drop(operation));
        }
    }

    private int wanted(int owner) {
        asked++;
        return owner % 3;
    }

    private void compare(int step) {
        ZoneStatusView view = new ZoneStatusView();
        view.add(state.zoneCounts(), this::wanted);
        ZoneStatus status = view.status();
        int inSync = 0;
        int degraded = 0;
        int recovering = 0;
        int lost = 0;
        int copies = 0;
        for (ZoneRecord zone : state.zones()) {
            copies += zone.members().size();
            switch (zone.placement().state()) {
                case IN_SYNC, DEGRADED -> {
                    boolean enough = zone.members().size() >= zone.placement().owner() % 3;
                    inSync += enough ? 1 : 0;
                    degraded += enough ? 0 : 1;
                }
                case RECOVERING -> recovering++;
                case LOST -> lost++;
            }
        }
        assertThat(List.of(status.inSync(), status.degraded(), status.recovering(), status.lost()))
                .as("seed %d, step %d", seed, step)
                .containsExactly(inSync, degraded, recovering, lost);
        assertThat(status.peers().stream().mapToInt(ZoneStatus.Holding::copies).sum())
                .isEqualTo(copies);
        assertThat(status.peers().stream().mapToInt(ZoneStatus.Holding::zones).sum())
                .isEqualTo(inSync + degraded);
    }

    @Test
    void add_zonesChangeAtRandom_countsAreThoseOfAWalk() {
        for (int step = 0; step < 3000; step++) {
            step();
            compare(step);
        }
    }

    @Test
    void add_manyZonesOfFewOwners_asksOnceForEachOwnerWhatIsWanted() {
        for (int peer = 0; peer < 3; peer++) {
            open(peer);
            List<NewZone> zones = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                zones.add(new NewZone(10, List.of(), WANTED));
            }
            state.apply(new PeerCommand.ReserveLids(nid(peer), epochs[peer], 1001, 11_001, zones));
        }
        ZoneStatusView view = new ZoneStatusView();
        view.add(state.zoneCounts(), this::wanted);
        ZoneStatus status = view.status();
        assertThat(status.inSync() + status.degraded()).isEqualTo(3 * 1001);
        assertThat(asked).isEqualTo(3);
        assertThat(state.zone(BackupZone.id(nid(0), 1001))).isNotNull();
    }
}
