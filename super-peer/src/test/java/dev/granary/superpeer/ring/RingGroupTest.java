package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.Empty;
import dev.granary.net.message.LeaseMessages.PeerList.GroupVoters;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Nid;
import dev.granary.raft.MemberId;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.SimulatedRing;
import dev.granary.superpeer.node.GroupId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingGroupTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Test
    void newGroup_noPartInIt_leadsNothingAndCommitsNothing() {
        RingGroup group = new LoneRing(1).membership.group();
        assertThat(group.leads()).isFalse();
        assertThat(group.leaderNid()).isEqualTo(Nid.NONE);
        assertThat(group.voters()).isEmpty();
        assertThat(group.state().view()).isNull();
        assertThatThrownBy(group::committer)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no part in the ring's group");
    }

    @Test
    void open_founder_leadsAndItsViewIsThatOfTheBook() {
        LoneRing ring = new LoneRing(1).begin();
        RingGroup group = ring.membership.group();
        assertThat(group.leaderNid()).isEqualTo(LoneNode.NID);
        assertThat(group.state().view()).isEqualTo(ring.view());
        ring.await(() -> group.voters().equals(List.of(LoneNode.NID)));
        assertThat(ring.lone.failures).isEmpty();
    }

    @Test
    void open_nextProcess_knowsWhatWasCommitted() {
        LoneRing ring = new LoneRing(1).begin();
        int nid = ring.admit("s1", new LoneNode.Answers());
        LoneRing next = ring.restarted().begin();
        next.await(() -> next.membership.group().state().view() != null);
        assertThat(next.membership.group().state().view()).isEqualTo(next.view());
        assertThat(next.view().superPeer(nid)).isPresent();
    }

    /** A super-peer that was removed and added again is another member: its earlier votes and log count for nothing. */
    @Test
    void open_asALaterMember_beginsWithoutAnythingAndDoesNotLead() {
        LoneRing ring = new LoneRing(1).begin();
        RingGroup group = ring.membership.group();
        MemberId later = GroupId.member(3, LoneNode.NID);
        ring.lone.run(() -> {
            try {
                group.open(later);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        ring.lone.runFor(20 * SECOND);
        assertThat(group.leads()).isFalse();
        assertThat(group.voters()).isEmpty();
        assertThat(group.state().view()).isNull();
        assertThat(group.committer()).as("it takes part").isNotNull();
        assertThat(ring.book.view()).as("what it knew of the ring").isNotNull();
        String former = GroupId.logName(GroupId.RING, GroupId.member(0, LoneNode.NID));
        assertThat(ring.lone.machine().disk().fileNames()).noneMatch(name -> name.startsWith(former + "-"));
    }

    /** SAFETY rule 15: an odd number of voters, at most seven. */
    @ParameterizedTest
    @CsvSource({"1,1", "2,1", "3,3", "4,3", "5,5", "9,7"})
    void voters_ringOfASize_areAnOddNumberAndAtMostSeven(int size, int voters) {
        SimulatedRing ring = new SimulatedRing();
        ring.startRing(size);
        ring.runFor(20 * SECOND);
        List<GroupVoters> groups =
                ring.call("s0", MessageType.LIST_PEERS, new Empty()).groups();
        assertThat(groups)
                .as("%s", ring)
                .filteredOn(group -> group.nid() == Nid.NONE)
                .singleElement()
                .satisfies(group -> assertThat(group.voters())
                        .hasSize(voters)
                        .contains(LoneNode.NID)
                        .doesNotHaveDuplicates());
        assertThat(ring.failures()).isEmpty();
    }
}
