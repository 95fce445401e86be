package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingDriverTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LoneRing ring = new LoneRing(1).begin();

    /** The versions that each other super-peer was told, in this order. */
    private final List<Long> pushed = new ArrayList<>();

    @AfterEach
    void nothingFailed() {
        assertThat(ring.lone.failures).isEmpty();
    }

    private RingDriver driver() {
        return ring.membership.group().driver();
    }

    private int candidate(String name) {
        return ring.admit(name, new Answers().to(MessageType.RING_VIEW, message -> {
                    pushed.add(RingView.read(message.view().bytes()).version());
                    return new Empty();
                }));
    }

    /** A super-peer that was put on the ring; it was not heard of. */
    private int member(String name) {
        int nid = candidate(name);
        resize(ring.view().size() + 1);
        ring.finish(ring.begin(RingOperation.Kind.PROMOTE, nid));
        return nid;
    }

    private void resize(int size) {
        ring.commit(new RingCommand.Resize(0, size, true));
    }

    /** Lets time pass in which some super-peers show themselves. */
    private void pass(long seconds, int... heard) {
        for (long i = 0; i < 4 * seconds; i++) {
            ring.lone.run(() -> {
                for (int nid : heard) {
                    driver().heard(nid);
                }
            });
            ring.lone.runFor(SECOND / 4);
        }
    }

    private RingOperation operation() {
        return Objects.requireNonNull(ring.view().operation());
    }

    @Test
    void look_ringIsTooSmall_promotesTheCandidateThatCameFirst() {
        int first = candidate("s1");
        int second = candidate("s2");
        assertThat(second).as("its NID is the lower one").isLessThan(first);
        resize(3);
        pass(2, second, first);
        RingOperation begun = operation();
        assertThat(begun.kind()).isEqualTo(RingOperation.Kind.PROMOTE);
        assertThat(begun.nid()).isEqualTo(first);
        pass(15, second, first);
        assertThat(operation()).as("one after the other, and while it lives").isEqualTo(begun);
    }

    @Test
    void look_candidateWasNotHeardOfLately_isNotPromoted() {
        int nid = candidate("s1");
        pass(1, nid);
        pass(6);
        resize(2);
        pass(2);
        assertThat(ring.view().operation()).isNull();
        pass(2, nid);
        assertThat(operation().nid()).isEqualTo(nid);
    }

    @Test
    void look_promotedCandidateIsSilent_isCancelledAfterTenSeconds() {
        int nid = candidate("s1");
        resize(2);
        pass(2, nid);
        int id = operation().id();
        pass(9);
        assertThat(operation().id()).isEqualTo(id);
        pass(2);
        assertThat(ring.view().operation()).isNull();
        assertThat(ring.view().isMember(nid)).isFalse();
    }

    @Test
    void begin_anotherLeadership_silenceCountsFromItsBeginning() {
        int nid = candidate("s1");
        resize(2);
        pass(2, nid);
        pass(8);
        ring.lone.run(driver()::begin);
        pass(9);
        assertThat(operation().nid()).isEqualTo(nid);
        pass(2);
        assertThat(ring.view().operation()).isNull();
    }

    @Test
    void look_ringIsTooLarge_theOneThatCameLastLeaves() {
        int first = member("s1");
        int second = member("s2");
        resize(2);
        pass(2, first, second);
        assertThat(operation().kind()).isEqualTo(RingOperation.Kind.DEMOTE);
        assertThat(operation().nid()).isEqualTo(second);
    }

    @Test
    void look_ringIsTooLargeAndOneMayBeGone_waitsUntilItSurelyIs() {
        int first = member("s1");
        int second = member("s2");
        pass(1, first, second);
        pass(6, second);
        resize(2);
        pass(2, second);
        assertThat(ring.view().operation())
                .as("without it an arc may lose its majority")
                .isNull();
        pass(3, second);
        assertThat(operation().kind()).isEqualTo(RingOperation.Kind.DEMOTE);
        assertThat(operation().nid()).as("the one that is gone").isEqualTo(first);
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "12,1", "13,2", "24,2", "25,3"})
    void recommendedSize_storagePeers_oneForEachTwelve(int storagePeers, int size) {
        assertThat(RingDriver.recommendedSize(storagePeers)).isEqualTo(size);
    }

    private void assign(int storagePeers) {
        for (int i = 0; i < storagePeers; i++) {
            ring.commit(new RingCommand.AssignNid(new UUID(9, i)));
        }
    }

    @Test
    void look_manyStoragePeers_ringGrowsAsFarAsThereAreCandidates() {
        int nid = candidate("s1");
        assign(12);
        pass(2, nid);
        assertThat(ring.view().expectedSize()).isEqualTo(1);
        assign(25);
        pass(2, nid);
        assertThat(ring.view().expectedSize())
                .as("three are needed, two are there")
                .isEqualTo(2);
        assertThat(operation().nid()).isEqualTo(nid);
        assertThat(ring.view().sizeChosen()).isFalse();
    }

    @Test
    void look_aPersonHasSetTheSize_ringDoesNotGrowByItself() {
        int nid = candidate("s1");
        resize(1);
        assign(25);
        pass(3, nid);
        assertThat(ring.view().expectedSize()).isEqualTo(1);
        assertThat(ring.view().operation()).isNull();
    }

    @Test
    void push_viewChanges_othersAreToldEachVersionOnce() {
        candidate("s1");
        pass(2);
        pushed.clear();
        long before = ring.view().version();
        resize(1);
        resize(2);
        pass(3);
        assertThat(pushed).containsExactly(before + 1, before + 2);
    }
}
