package dev.granary.superpeer.name;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.net.message.NameMessages.NameEntry;
import dev.granary.net.message.NameMessages.NamesSaved;
import dev.granary.net.message.NameMessages.SaveNames;
import dev.granary.net.message.NameMessages.SaveNames.Step;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.name.NameCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NameSaverTest {

    private static final int A = 0x8000;
    private static final int B = 0x4000;
    private static final long RING_EPOCH = 6;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneNode lone = new LoneNode();
    private final ArcState state = new ArcState();
    private final TreeMap<Integer, PeerInfo> peers = new TreeMap<>();
    private final Map<Integer, Copy> copies = new TreeMap<>();
    private final HostAddress self = LoneNode.address("s0");
    private final Ring ring =
            new Ring(LoneNode.CLUSTER, RING_EPOCH, 1, true, List.of(new RingMember(LoneNode.NID, "s0", self, self)));
    private final ArcCaller arcs = new ArcCaller(lone.node(), () -> ring);
    private final NameSaver saver = new NameSaver(
            lone.node(),
            LoneNode.NID,
            state,
            arcs,
            new PeerCatalog(
                    lone.node(),
                    arcs,
                    () -> ring,
                    () -> List.copyOf(peers.values()),
                    nid -> peers.get(nid),
                    () -> List.of(LoneNode.NID)),
            () -> ring);
    private long sequence;

    /** The copy of a storage peer, by the rules of the real one. */
    private static final class Copy {
        private final List<SaveNames> requests = new ArrayList<>();
        private Map<String, Long> names = new TreeMap<>();
        private Map<String, Long> filling = new TreeMap<>();
        private long version;
        private long fillingVersion;

        /** The steps that were asked for since this was called last. */
        private List<Step> steps() {
            List<Step> steps = requests.stream().map(SaveNames::step).toList();
            requests.clear();
            return steps;
        }

        private NamesSaved save(SaveNames save) {
            requests.add(save);
            boolean whole = save.step() == Step.CHANGE;
            if (save.step() == Step.BEGIN) {
                filling = new TreeMap<>();
            } else if (save.baseVersion() != (whole ? version : fillingVersion)) {
                return new NamesSaved(false, version);
            }
            for (NameEntry change : save.changes()) {
                if (change.cid() == Cid.NONE) {
                    (whole ? names : filling).remove(change.name());
                } else {
                    (whole ? names : filling).put(change.name(), change.cid());
                }
            }
            if (whole) {
                version = save.version();
            } else {
                fillingVersion = save.version();
            }
            if (save.step() == Step.FINISH) {
                names = filling;
                version = fillingVersion;
            }
            return new NamesSaved(true, version);
        }
    }

    private Copy copy(int nid) {
        return Objects.requireNonNull(copies.get(nid));
    }

    private Answers serve(int nid, String machine, boolean live, PeerInfo.Drain drain) {
        Copy copy = new Copy();
        copies.put(nid, copy);
        Answers answers = new Answers().to(MessageType.SAVE_NAMES, copy::save);
        HostAddress address = lone.serve("p" + nid, nid, answers);
        PeerStatistics nothing = new PeerStatistics(0, 0, 0, 0, 1, 0, 0);
        peers.put(
                nid,
                new PeerInfo(
                        nid, "p", address, address, live, 0, 1, 1, 0, drain, 0, nothing, 0, machine, "", false, null));
        return answers;
    }

    private Answers serve(int nid) {
        return serve(nid, "", true, PeerInfo.Drain.NONE);
    }

    /** Changes a name; without a CID it is removed. */
    private void change(String name, long cid) {
        sequence++;
        state.apply(new NameCommand(1, sequence, sequence - 1, false, name, cid, NameCondition.ALWAYS, 0));
    }

    private void changeMany(int count) {
        for (int i = 0; i < count; i++) {
            change("name-" + i, Cid.of(A, 1 + i));
        }
    }

    private void begin() {
        lone.run(saver::begin);
        lone.runFor(100 * MILLI);
    }

    @AfterEach
    void nothingFailed() {
        lone.run(saver::stop);
        assertThat(lone.failures).isEmpty();
    }

    @Test
    void begin_noNames_nothingIsSent() {
        serve(A);
        begin();
        lone.runFor(10 * SECOND);
        assertThat(copy(A).requests).isEmpty();
        assertThat(saver.unsavedChanges()).isZero();
    }

    @Test
    void begin_peerWithoutACopy_isFilledInPages() {
        serve(A);
        changeMany(SaveNames.MAX_CHANGES + 10);
        assertThat(saver.unsavedChanges()).isEqualTo(SaveNames.MAX_CHANGES + 10);
        begin();
        assertThat(copy(A).requests.getLast().arc()).isEqualTo(ring.arcOf(LoneNode.NID));
        assertThat(copy(A).requests.getLast().ringEpoch()).isEqualTo(RING_EPOCH);
        assertThat(copy(A).steps()).containsExactly(Step.CHANGE, Step.BEGIN, Step.FILL, Step.FILL, Step.FINISH);
        assertThat(copy(A).names).hasSize(SaveNames.MAX_CHANGES + 10).containsEntry("name-7", Cid.of(A, 8));
        assertThat(saver.unsavedChanges()).isZero();
    }

    @Test
    void changed_copyIsWhole_onlyTheChangeFollowsAtOnce() {
        serve(A);
        change("a", Cid.of(A, 1));
        begin();
        copy(A).steps();
        change("b", Cid.of(A, 2));
        change("a", Cid.NONE);
        assertThat(saver.unsavedChanges()).isEqualTo(2);
        lone.run(saver::changed);
        lone.runFor(20 * MILLI);
        assertThat(copy(A).requests).hasSize(1);
        assertThat(copy(A).requests.getFirst().changes())
                .containsExactly(new NameEntry("b", Cid.of(A, 2)), new NameEntry("a", Cid.NONE));
        assertThat(copy(A).names).containsOnlyKeys("b");
        assertThat(saver.unsavedChanges()).isZero();
    }

    @Test
    void changed_whileACopyIsFilled_isInItAsWell() {
        serve(A);
        changeMany(3 * SaveNames.MAX_CHANGES);
        lone.run(() -> {
            saver.begin();
            change("name-0", Cid.NONE);
            change("zzz", Cid.of(A, 9));
        });
        lone.run(saver::changed);
        lone.runFor(100 * MILLI);
        assertThat(copy(A).names)
                .hasSize(3 * SaveNames.MAX_CHANGES)
                .doesNotContainKey("name-0")
                .containsKey("zzz");
    }

    @Test
    void begin_peerHasACopyOfAnEarlierLeader_getsWhatItLacks() {
        serve(A);
        change("a", Cid.of(A, 1));
        change("b", Cid.of(A, 2));
        copy(A).names.put("a", Cid.of(A, 1));
        copy(A).version = 1;
        begin();
        assertThat(copy(A).steps()).containsExactly(Step.CHANGE, Step.CHANGE);
        assertThat(copy(A).names).containsOnlyKeys("a", "b");
    }

    @Test
    void begin_manyPeers_threeOnDifferentMachinesHaveACopy() {
        for (int i = 1; i <= 4; i++) {
            serve(0x1000 * i, "same", true, PeerInfo.Drain.NONE);
        }
        serve(0x6000, "second", true, PeerInfo.Drain.NONE);
        serve(0x7000, "third", true, PeerInfo.Drain.NONE);
        serve(0x9000, "fourth", false, PeerInfo.Drain.NONE);
        serve(0xA000, "fifth", true, PeerInfo.Drain.RUNNING);
        change("a", Cid.of(A, 1));
        begin();
        List<Integer> saved = copies.entrySet().stream()
                .filter(each -> !each.getValue().names.isEmpty())
                .map(Map.Entry::getKey)
                .toList();
        assertThat(saved).hasSize(3).contains(0x6000, 0x7000).doesNotContain(0x9000, 0xA000);
    }

    @Test
    void begin_twoMachinesOnly_threePeersHaveACopyAllTheSame() {
        for (int i = 1; i <= 4; i++) {
            serve(0x1000 * i, i < 4 ? "one" : "two", true, PeerInfo.Drain.NONE);
        }
        change("a", Cid.of(A, 1));
        begin();
        assertThat(copies.values().stream().filter(copy -> !copy.names.isEmpty()))
                .hasSize(3);
        assertThat(copy(0x4000).names).isNotEmpty();
    }

    @Test
    void look_peerIsSilentForAWhile_isAskedAgainAndFilled() {
        Answers answers = serve(A);
        answers.to(MessageType.SAVE_NAMES, save -> null);
        serve(B);
        change("a", Cid.of(A, 1));
        begin();
        assertThat(copy(B).names).as("the other one does not wait").isNotEmpty();
        lone.runFor(5 * SECOND);
        assertThat(answers.asked).hasSizeBetween(3, 6);
        answers.to(MessageType.SAVE_NAMES, copy(A)::save);
        lone.runFor(3 * SECOND);
        assertThat(copy(A).names).containsOnlyKeys("a");
    }

    @Test
    void look_peerHasLostItsCopy_isFoundOutWithinSecondsAndFilledAgain() {
        serve(A);
        change("a", Cid.of(A, 1));
        begin();
        copy(A).steps();
        lone.runFor(4 * SECOND);
        assertThat(copy(A).requests).isEmpty();
        copy(A).names.clear();
        copy(A).version = 0;
        lone.runFor(3 * SECOND);
        assertThat(copy(A).steps()).startsWith(Step.CHANGE, Step.BEGIN);
        assertThat(copy(A).names).containsOnlyKeys("a");
    }

    @Test
    void stop_namesChange_nothingIsSent() {
        serve(A);
        change("a", Cid.of(A, 1));
        begin();
        copy(A).steps();
        lone.run(saver::stop);
        change("b", Cid.of(A, 2));
        lone.run(saver::changed);
        lone.runFor(10 * SECOND);
        assertThat(copy(A).requests).isEmpty();
        assertThat(saver.unsavedChanges()).isEqualTo(1);
    }
}
