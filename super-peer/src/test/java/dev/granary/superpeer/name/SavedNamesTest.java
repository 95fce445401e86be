package dev.granary.superpeer.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.overlay.Cid;
import dev.granary.superpeer.ScriptedPeer;
import dev.granary.superpeer.SimulatedRing;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Copies of names on storage peers follow the names of an arc. */
class SavedNamesTest {

    private static final long SECOND = 1_000_000_000;
    private static final int NAMES = 3_000;

    private final SimulatedRing ring = new SimulatedRing();
    private final ScriptedPeer peer = new ScriptedPeer(ring, 0, new TreeMap<>());
    private final TreeMap<String, Long> expected = new TreeMap<>();
    private final Random random = new Random(1);
    private long sequence;

    /** Changes names at random, all at one moment. */
    private void change(int count) {
        List<ChangeName> changes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = "name-" + random.nextInt(NAMES);
            long cid = random.nextInt(4) == 0 ? Cid.NONE : Cid.of(0x8000, 1 + random.nextInt(1 << 20));
            sequence++;
            changes.add(new ChangeName(1, sequence, 0, false, name, cid, NameCondition.ALWAYS, 0));
            if (cid == Cid.NONE) {
                expected.remove(name);
            } else {
                expected.put(name, cid);
            }
        }
        ring.sendTogether("s0", MessageType.CHANGE_NAME, changes)
                .forEach(reply -> assertThat(reply).isCompleted());
    }

    private double unsaved() {
        return ring.metric("s0", "granary_superpeer_name_changes_unsaved");
    }

    @Test
    void names_changedWhileACopyIsFilled_areAllInTheCopy() {
        ring.startRing(1);
        for (int i = 0; i < 12; i++) {
            change(500);
        }
        ring.runFor(SECOND);
        assertThat(unsaved()).as("nobody has a copy").isEqualTo(6_000);
        peer.start();
        while (peer.namesBegun == 0) {
            ring.runFor(SECOND / 1000);
        }
        for (int i = 0; i < 20; i++) {
            change(300);
        }
        ring.runFor(2 * SECOND);
        assertThat(peer.names).isEqualTo(expected);
        assertThat(unsaved()).isZero();
        assertThat(peer.namesBegun).isEqualTo(1);
    }

    @Test
    void names_changed_reachTheCopyAtOnce() {
        ring.startRing(1);
        change(10);
        peer.start();
        ring.runFor(5 * SECOND);
        assertThat(peer.names).isEqualTo(expected);
        change(10);
        ring.runFor(SECOND / 50);
        assertThat(peer.names).isEqualTo(expected);
        assertThat(peer.namesBegun).isEqualTo(1);
    }

    @Test
    void names_storagePeerStartedAgain_isFilledAgain() {
        ring.startRing(1);
        change(10);
        peer.start();
        ring.runFor(5 * SECOND);
        peer.kill();
        peer.start();
        ring.runFor(SimulatedRing.LEASE_NANOS + 10 * SECOND);
        assertThat(peer.names).isEqualTo(expected);
        assertThat(peer.namesBegun).isEqualTo(2);
        assertThat(unsaved()).isZero();
    }
}
