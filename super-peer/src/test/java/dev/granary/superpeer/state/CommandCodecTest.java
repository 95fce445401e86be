package dev.granary.superpeer.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.NidAllocator;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.name.LockCommand;
import dev.granary.superpeer.state.name.NameCommand;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingEvent;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Golden bytes: what is on somebody's disk must be read for ever. */
class CommandCodecTest {

    private static final ArcState ARC = new ArcState();
    private static final UUID DISK = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");
    private static final String DISK_HEX = "ef4dab8967452301" + "efcdab8967452381";
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final HostAddress HTTP = new HostAddress("p", 7501);
    private static final String ADDRESSES_HEX = "010070" + "4c1d" + "010070" + "4d1d";

    private static void check(ArcCommand command, String hex) {
        ByteBuf out = Unpooled.buffer();
        ARC.encode(command, out);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex);
        assertThat(ARC.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex))))
                .isEqualTo(command);
    }

    private static void check(RingCommand command, String hex) {
        ByteBuf out = Unpooled.buffer();
        RingCommand.write(out, command);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(hex);
        assertThat(RingCommand.read(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex))))
                .isEqualTo(command);
    }

    @Test
    void openPeer_written_goldenBytes() {
        check(
                new PeerCommand.OpenPeer(
                        0x8000,
                        DISK,
                        0x1122334455667788L,
                        "né",
                        ADDRESS,
                        HTTP,
                        4096,
                        256,
                        "m",
                        "z",
                        List.of(new NewZone(0x0102, List.of(new ZoneMember(0x4000, 3)), 2)),
                        0x21),
                "0310" + "0080" + DISK_HEX + "8877665544332211" + "03006ec3a9" + ADDRESSES_HEX + "0010000000000000"
                        + "0001000000000000" + "01006d" + "01007a" + "01000000" + "0201000000000000" + "02" + "01000000"
                        + "0040" + "0300000000000000" + "2100000000000000");
    }

    @Test
    void park_written_goldenBytes() {
        check(new PeerCommand.Park(0xC000, 5, 6), "031400c0" + "0500000000000000" + "0600000000000000");
    }

    @Test
    void restoreCreator_written_goldenBytes() {
        check(
                new PeerCommand.RestoreCreator(0xC000, 5, 0x0102, 7),
                "031500c0" + "0500000000000000" + "0201000000000000" + "0700000000000000");
        check(new PeerCommand.EndRestore(0xC000), "031600c0");
    }

    @Test
    void rebuildRing_written_goldenBytes() {
        check(
                new RingCommand.RebuildRing(
                        2,
                        DISK,
                        0x0102,
                        3,
                        DISK,
                        "s",
                        ADDRESS,
                        HTTP,
                        List.of(new NidAllocator.Assignment(DISK, 0x8000))),
                "0208" + "0200000000000000" + DISK_HEX + "0201000000000000" + "0300" + DISK_HEX + "010073"
                        + ADDRESSES_HEX + "01000000" + DISK_HEX + "0080");
    }

    @Test
    void reserveLids_written_goldenBytes() {
        check(
                new PeerCommand.ReserveLids(0xC000, -2, 0x03, 0x0102, List.of()),
                "0311" + "00c0" + "feffffffffffffff" + "0300000000000000" + "0201000000000000" + "00000000");
    }

    @Test
    void changeName_written_goldenBytes() {
        check(
                new NameCommand(0x0102, 3, 2, true, "né", 0x8000000000000005L, NameCondition.IF_EXPECTED, 7),
                "0330" + "0201000000000000" + "0300000000000000" + "0200000000000000" + "01" + "03006ec3a9"
                        + "0500000000000080" + "02" + "0700000000000000");
    }

    @Test
    void locks_written_goldenBytes() {
        check(
                new LockCommand.Acquire(0x8000000000000005L, 6, 0x0708),
                "0334" + "0500000000000080" + "0600000000000000" + "0807000000000000");
        check(new LockCommand.Release(0x8000000000000005L, 9), "0335" + "0500000000000080" + "0900000000000000");
    }

    @Test
    void closeLease_written_goldenBytes() {
        check(new PeerCommand.CloseLease(0x4000, 5), "0312" + "0040" + "0500000000000000");
    }

    @Test
    void setLeaseLength_written_goldenBytes() {
        check(new PeerCommand.SetLeaseLength(0x10), "0313" + "1000000000000000");
    }

    @Test
    void foundRing_written_goldenBytes() {
        check(
                new RingCommand.FoundRing(7, DISK, 3, DISK, "s", ADDRESS, HTTP),
                "0201" + "0700000000000000" + DISK_HEX + "0300" + DISK_HEX + "010073" + ADDRESSES_HEX);
    }

    @Test
    void admit_written_goldenBytes() {
        check(
                new RingCommand.Admit(8, DISK, "s", ADDRESS, HTTP),
                "0202" + "0800000000000000" + DISK_HEX + "010073" + ADDRESSES_HEX);
    }

    @Test
    void assignNid_written_goldenBytes() {
        check(new RingCommand.AssignNid(DISK), "0203" + DISK_HEX);
    }

    @Test
    void resizeBeginSwitchCancel_written_goldenBytes() {
        check(new RingCommand.Resize(9, 5, true), "0204" + "0900000000000000" + "0500" + "01");
        check(new RingCommand.Begin(9, RingOperation.Kind.DEMOTE, 0x8001), "0205" + "0900000000000000" + "01" + "0180");
        check(new RingCommand.Switch(9, 3), "0206" + "0900000000000000" + "03000000");
        check(new RingCommand.Cancel(9, 3), "0207" + "0900000000000000" + "03000000");
    }

    @Test
    void transfers_written_goldenBytes() {
        Arc arc = new Arc(0x0001, 0x8001);
        check(new ArcTransfer.Seal(3, arc, 4), "0318" + "03000000" + "01000180" + "0400000000000000");
        check(new ArcTransfer.Unseal(3), "0319" + "03000000");
        check(new ArcTransfer.Drop(3), "031a" + "03000000");
        check(
                new ArcTransfer.Import(3, arc, 4, 5, 6, new byte[] {7}),
                "031b" + "03000000" + "01000180" + "0400000000000000" + "05000000" + "06000000" + "01000000" + "07");
        check(new ArcTransfer.Accept(3), "031c" + "03000000");
        check(new ArcTransfer.Discard(3), "031d" + "03000000");
    }

    @Test
    void ringView_written_goldenBytes() {
        SuperPeerRecord superPeer = new SuperPeerRecord(0x8001, DISK, "s", ADDRESS, HTTP, 3);
        RingView view = new RingView(
                5,
                DISK,
                4,
                3,
                true,
                false,
                List.of(superPeer),
                new RingOperation(6, RingOperation.Kind.DEMOTE, 0x8001, 4),
                List.of(new RingEvent(1, 2, RingEvent.Kind.JOINED, 0x8001)));
        String hex = "02" + "0500000000000000" + DISK_HEX + "0400000000000000" + "0300" + "01" + "00" + "01000000"
                + "0180" + DISK_HEX + "010073" + ADDRESSES_HEX + "03000000" + "01" + "06000000" + "01" + "0180"
                + "0400000000000000" + "01000000" + "0100000000000000" + "0200000000000000" + "01" + "0180";
        assertThat(ByteBufUtil.hexDump(view.toBytes())).isEqualTo(hex);
        assertThat(RingView.read(ByteBufUtil.decodeHexDump(hex))).isEqualTo(view);
    }

    @Test
    void read_unknownVersionOrType_refused() {
        assertThatThrownBy(() -> ARC.decode(Unpooled.wrappedBuffer(new byte[] {1, 1})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 1");
        assertThatThrownBy(() -> ARC.decode(Unpooled.wrappedBuffer(new byte[] {3, 9})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("type 9");
        assertThatThrownBy(() -> RingCommand.read(Unpooled.wrappedBuffer(new byte[] {1, 1})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("version 1");
        assertThatThrownBy(() -> RingCommand.read(Unpooled.wrappedBuffer(new byte[] {2, 9})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("type 9");
    }
}
