package dev.granary.superpeer.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingEvent;
import dev.granary.superpeer.state.ring.RingOperation;
import dev.granary.superpeer.state.ring.RingView;
import dev.granary.superpeer.state.ring.SuperPeerRecord;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Golden bytes of the ring's view, and bytes that no decoder reads. {@link CommandFormatTest} has those of commands.
 */
class CommandCodecTest {

    private static final ArcState ARC = new ArcState();
    private static final UUID DISK = UUID.fromString("01234567-89ab-4def-8123-456789abcdef");
    private static final String DISK_HEX = "ef4dab8967452301" + "efcdab8967452381";
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final HostAddress HTTP = new HostAddress("p", 7501);
    private static final String ADDRESSES_HEX = "010070" + "4c1d" + "010070" + "4d1d";

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
        assertThatThrownBy(() -> ARC.decode(Unpooled.wrappedBuffer(new byte[] {ArcCommand.VERSION, 9})))
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
