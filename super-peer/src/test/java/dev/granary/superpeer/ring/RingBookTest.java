package dev.granary.superpeer.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.RingMessages.Announce;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingBookTest {

    private static final String FILE = "ring-view";
    private static final int OTHER = 0x8001;
    private static final int CANDIDATE = 0x4001;

    private final LoneNode lone = new LoneNode();
    private final List<Long> told = new ArrayList<>();
    private RingBook book = opened();

    private static HostAddress at(String host) {
        return new HostAddress(host, 7400);
    }

    private static SuperPeerRecord superPeer(int nid, HostAddress address, int generation) {
        return new SuperPeerRecord(nid, new UUID(3, nid), "s", address, address, generation);
    }

    private static RingView view(long version, HostAddress other) {
        return new RingView(
                version,
                LoneNode.CLUSTER,
                version,
                2,
                true,
                false,
                List.of(
                        superPeer(LoneNode.NID, at("s0"), 1),
                        superPeer(CANDIDATE, at("c"), SuperPeerRecord.OUTSIDE),
                        superPeer(OTHER, other, 2)),
                null,
                List.of());
    }

    private RingBook opened() {
        RingBook made = new RingBook(lone.node());
        made.whenChanged(() -> told.add(Objects.requireNonNull(made.view()).version()));
        lone.run(() -> {
            try {
                made.open();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        return made;
    }

    private void learn(RingView view) {
        lone.run(() -> book.learn(view));
    }

    private void announce(int nid, HostAddress address) {
        lone.run(() -> book.announced(nid, address));
    }

    private void assertAddressOf(int nid, HostAddress expected) {
        lone.run(() -> assertThat(book.addressOf(nid)).isEqualTo(expected));
    }

    private void restart() {
        lone.restart();
        book = opened();
    }

    @Test
    void open_newDisk_knowsNoRing() {
        assertThat(book.view()).isNull();
        assertThat(book.ring()).isNull();
        assertThat(book.addresses()).isEmpty();
        lone.run(() -> assertThat(book.addressOf(OTHER)).isNull());
    }

    @Test
    void learn_thenRestart_theViewIsKnownAgain() {
        learn(view(5, at("s1")));
        assertThat(told).containsExactly(5L);

        restart();

        assertThat(book.view()).isEqualTo(view(5, at("s1")));
        assertThat(Objects.requireNonNull(book.ring()).members())
                .as("candidates are not on the ring")
                .hasSize(2);
        assertThat(told).as("nothing has changed").containsExactly(5L);
    }

    @Test
    void learn_sameOrOlderVersion_isIgnored() {
        learn(view(5, at("s1")));
        learn(view(5, at("elsewhere")));
        learn(view(4, at("elsewhere")));
        assertThat(book.view()).isEqualTo(view(5, at("s1")));
        assertThat(told).containsExactly(5L);
        restart();
        assertThat(book.view()).isEqualTo(view(5, at("s1")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4, 20, 60})
    void open_damagedFile_isLeftAloneAndTheNextViewIsTaken(int damagedByte) {
        learn(view(5, at("s1")));
        lone.machine().disk().flipBit(FILE, damagedByte, 1);
        restart();
        assertThat(book.view()).isNull();
        assertThat(lone.failures).isEmpty();

        learn(view(2, at("s1")));

        restart();
        assertThat(book.view()).isEqualTo(view(2, at("s1")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4})
    void open_fileWithoutAView_knowsNoRing(int bytes) {
        lone.run(() -> {
            try {
                lone.node().environment().disk().writeAtomically(FILE, new byte[bytes]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        restart();
        assertThat(book.view()).isNull();
    }

    @Test
    void learn_diskFails_theProcessEndsAndNobodyIsTold() {
        lone.machine().disk().failSyncAfter(0);
        learn(view(5, at("s1")));
        assertThat(lone.failures).hasSize(1).first().asString().contains("the disk has failed");
        assertThat(book.view()).isNull();
        assertThat(told).isEmpty();
    }

    @Test
    void announced_addressSinceTheView_countsUntilALaterOneIsCommitted() {
        learn(view(5, at("s1")));
        announce(OTHER, at("moved"));
        assertAddressOf(OTHER, at("moved"));

        learn(view(6, at("s1")));
        assertAddressOf(OTHER, at("moved"));

        learn(view(7, at("committed")));
        assertAddressOf(OTHER, at("committed"));
        assertAddressOf(CANDIDATE, at("c"));
    }

    @Test
    void announced_beforeAnyView_isKnownAndKeptWithTheFirstOne() {
        announce(OTHER, at("moved"));
        assertAddressOf(OTHER, at("moved"));
        learn(view(5, at("s1")));
        assertAddressOf(OTHER, at("moved"));
    }

    @Test
    void addresses_viewAndAnnouncements_allOthersByNid() {
        learn(view(5, at("s1")));
        announce(LoneNode.NID, at("self"));
        announce(OTHER, at("moved"));
        announce(0xC001, at("new"));
        assertThat(book.addresses())
                .containsExactly(
                        new Announce(CANDIDATE, at("c")),
                        new Announce(OTHER, at("moved")),
                        new Announce(0xC001, at("new")));
        assertAddressOf(LoneNode.NID, at("s0"));
    }
}
