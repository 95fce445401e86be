package dev.granary.superpeer.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Blob;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LeaseMessages.AskPeer;
import dev.granary.net.message.LeaseMessages.OpenLease;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.ArcPart;
import dev.granary.net.message.RingMessages.ArcPartReply;
import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.LoneNode;
import dev.granary.superpeer.LoneNode.Answers;
import dev.granary.superpeer.ring.LoneRing;
import dev.granary.superpeer.state.PeerCommand;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.ring.RingCommand;
import dev.granary.superpeer.state.ring.RingOperation;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@link ArcTransfers} move a part of the only arc to a super-peer that comes, or take it from one that goes. */
class ArcTransfersTest {

    private static final int OTHER = LoneRing.SECOND;

    /** Storage peers of the part that moves, and of the rest. */
    private static final int THERE = 0x4000;

    private static final int HERE = 0xC000;
    private static final int PIECE_BYTES = 100;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final HostAddress PEER = new HostAddress("p", 7500);

    private final LoneRing ring = new LoneRing(1).begin();
    private final ArcReplica arc = ring.arc(LoneNode.NID);

    /** What the other super-peer hands out of its arc, null when it is silent. */
    private byte @Nullable [] handedOut;

    private int wrongBit;
    private int pieces;
    private int operation;

    ArcTransfersTest() {
        ring.lone.answer(MessageType.ARC_PART, ring.arcs::sendPart);
        ring.lone.answer(
                MessageType.ASK_PEER,
                (request, ask) -> ring.arcs.atLeader(
                        request, ask.nid(), services -> services.migrations().askPeer(request, ask)));
        ring.lone.answer(
                MessageType.OPEN_LEASE,
                (request, open) -> ring.arcs.atLeader(
                        request, open.nid(), services -> services.peers().openLease(request, open)));
        for (int nid : new int[] {THERE, HERE}) {
            ring.lone.reply(
                    MessageType.OPEN_LEASE,
                    new OpenLease(nid, new UUID(1, nid), 7, "p", PEER, PEER, 4096, "", "", 0, null));
        }
        ring.admit("s1", new Answers().to(MessageType.ARC_PART, this::piece));
    }

    @AfterEach
    void nothingFailed() {
        assertThat(ring.lone.failures).isEmpty();
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** A piece from the other super-peer, of which one bit may be wrong on its way. */
    private @Nullable ArcPartReply piece(ArcPart wanted) {
        byte[] bytes = handedOut;
        if (bytes == null) {
            return null;
        }
        assertThat(wanted.operation()).isEqualTo(operation);
        pieces++;
        int from = wanted.offset();
        byte[] piece = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + PIECE_BYTES));
        piece[0] ^= (byte) wrongBit;
        return new ArcPartReply(bytes.length, checksum(bytes), new Blob(piece));
    }

    private void promote() {
        operation = ring.begin(RingOperation.Kind.PROMOTE, OTHER);
    }

    private ArcPart wanted(int offset) {
        RingOperation present = Objects.requireNonNull(ring.view().operation());
        return new ArcPart(LoneNode.NID, operation, present.version(), offset);
    }

    /** The part as the coming super-peer gets it. */
    private ArcState fetched() {
        ByteBuf bytes = Unpooled.buffer();
        ArcPartReply reply;
        do {
            reply = ring.lone.reply(MessageType.ARC_PART, wanted(bytes.readableBytes()));
            bytes.writeBytes(reply.piece().bytes());
        } while (bytes.readableBytes() < reply.totalBytes());
        assertThat(checksum(ByteBufUtil.getBytes(bytes))).isEqualTo(reply.checksum());
        ArcState part = new ArcState();
        part.readPart(bytes);
        return part;
    }

    private ErrorCode refused(int nid) {
        return ring.lone.refusal(MessageType.ASK_PEER, new AskPeer(nid)).code();
    }

    @Test
    void send_partOfAComingSuperPeer_isSealedFirstAndComplete() {
        promote();
        assertThat(arc.state().leavingBy()).as("before anybody has asked").isZero();
        ArcState part = fetched();
        assertThat(part.peer(THERE)).isEqualTo(arc.state().peer(THERE)).isNotNull();
        assertThat(part.peer(HERE)).isNull();
        assertThat(arc.state().leavingBy()).isEqualTo(operation);
        assertThat(refused(THERE)).as("of the sealed part").isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(ring.lone.reply(MessageType.ASK_PEER, new AskPeer(HERE)).live())
                .isTrue();
        assertThat(arc.partBytes()).isPositive();
        assertThat(fetched().peer(THERE)).as("once more").isEqualTo(part.peer(THERE));
    }

    @Test
    void send_notOfTheOperationUnderWayOrBehindTheEnd_isRefused() {
        promote();
        ArcPart other = new ArcPart(LoneNode.NID, operation + 1, ring.view().version(), 0);
        assertThat(ring.lone.refusal(MessageType.ARC_PART, other).code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(arc.state().leavingBy()).as("nothing is sealed").isZero();
        int totalBytes = ring.lone.reply(MessageType.ARC_PART, wanted(0)).totalBytes();
        for (int offset : new int[] {-1, totalBytes}) {
            assertThat(ring.lone.refusal(MessageType.ARC_PART, wanted(offset)).message())
                    .isEqualTo("the part has " + totalBytes + " bytes");
        }
    }

    @Test
    void look_operationWasCancelled_partIsAnsweredForAgain() {
        promote();
        fetched();
        ring.commit(new RingCommand.Cancel(0, operation));
        ring.await(() -> arc.state().leavingBy() == 0 && arc.serves());
        assertThat(ring.lone.reply(MessageType.ASK_PEER, new AskPeer(THERE)).nid())
                .isEqualTo(THERE);
        assertThat(arc.partBytes()).isZero();
    }

    @Test
    void look_ringHasSwitched_partIsForgottenHere() {
        promote();
        fetched();
        ring.finish(operation);
        ring.await(() -> arc.state().leavingBy() == 0 && arc.serves());
        assertThat(arc.state().peer(THERE)).isNull();
        assertThat(arc.state().peer(HERE)).isNotNull();
        assertThat(refused(THERE)).isEqualTo(ErrorCode.REDIRECT);
        assertThat(arc.partBytes()).isZero();
    }

    /** The other super-peer goes, with a storage peer in its arc. */
    private void demote() {
        promote();
        fetched();
        ring.finish(operation);
        ring.await(() -> arc.state().leavingBy() == 0 && arc.serves());
        assertThat(arc.state().peer(THERE)).isNull();
        Arc part = ring.view().ring().arcOf(OTHER);
        ArcState others = new ArcState();
        others.apply(new PeerCommand.OpenPeer(
                THERE, new UUID(1, THERE), 7, "p", PEER, PEER, 4096, 100, "", "", List.of(), 0, null));
        ByteBuf bytes = Unpooled.buffer();
        others.writePart(part, bytes);
        handedOut = ByteBufUtil.getBytes(bytes);
        assertThat(handedOut.length).as("several pieces").isGreaterThan(PIECE_BYTES);
        operation = ring.begin(RingOperation.Kind.DEMOTE, OTHER);
    }

    @Test
    void look_superPeerGoes_itsPartIsFetchedBeforeTheRingSwitchesAndServedOnceItIsAccepted() {
        demote();
        ring.await(() -> arc.state().hasArrived());
        assertThat(ring.view().isMember(OTHER))
                .as("the ring switches when all is here")
                .isTrue();
        assertThat(arc.state().peer(THERE)).as("not part of the arc yet").isNull();
        assertThat(arc.serves()).isTrue();
        ring.await(() -> !ring.view().isMember(OTHER));
        assertThat(arc.serves())
                .as("the part is its own, and it does not know it")
                .isFalse();
        ring.await(arc::serves);
        assertThat(arc.state().peer(THERE)).isNotNull();
        assertThat(arc.state().comingBy()).isZero();
        assertThat(ring.lone.reply(MessageType.ASK_PEER, new AskPeer(THERE)).nid())
                .isEqualTo(THERE);
        assertThat(arc.services().peers().isLive(THERE))
                .as("its lease counts as granted now")
                .isTrue();
    }

    @Test
    void look_pieceArrivesDamaged_isFetchedAgainAndNothingOfItIsTaken() {
        wrongBit = 4;
        demote();
        ring.await(() -> pieces > 2 * (Objects.requireNonNull(handedOut).length / PIECE_BYTES + 1));
        assertThat(arc.state().comingBy()).isZero();
        assertThat(ring.view().isMember(OTHER)).isTrue();
        wrongBit = 0;
        ring.await(() -> !ring.view().isMember(OTHER) && arc.serves());
        assertThat(arc.state().peer(THERE)).isNotNull();
    }

    @Test
    void look_otherIsSilent_waitsAndServesWhatItHas() {
        demote();
        byte[] bytes = handedOut;
        handedOut = null;
        ring.lone.runFor(20 * SECOND);
        assertThat(arc.serves()).isTrue();
        assertThat(ring.view().isMember(OTHER)).isTrue();
        assertThat(ring.lone.reply(MessageType.ASK_PEER, new AskPeer(HERE)).nid())
                .isEqualTo(HERE);
        handedOut = bytes;
        ring.await(() -> !ring.view().isMember(OTHER) && arc.serves());
    }

    @Test
    void partToRebuild_noRebuildIsUnderWay_isNoneAndNothingIsTaken() {
        demote();
        assertThat(arc.transfers().partToRebuild()).isNull();
        boolean[] taken = new boolean[1];
        ring.lone.run(() -> taken[0] = arc.transfers().takeRebuilt(new ArcState()));
        assertThat(taken[0]).isFalse();
    }

    @Test
    void takeRebuilt_arcOfALostSuperPeer_isTakenOnceAndTheRingSwitches() {
        promote();
        ring.finish(operation);
        operation = ring.begin(RingOperation.Kind.REBUILD, OTHER);
        Arc part = ring.view().ring().arcOf(OTHER);
        assertThat(arc.transfers().partToRebuild()).isEqualTo(part);
        ArcState rebuilt = new ArcState();
        rebuilt.apply(new PeerCommand.OpenPeer(
                THERE, new UUID(1, THERE), 7, "p", PEER, PEER, 4096, 100, "", "", List.of(), 0, null));
        boolean[] taken = new boolean[2];
        ring.await(arc::isComplete);
        ring.lone.run(() -> {
            taken[0] = arc.transfers().takeRebuilt(rebuilt);
            taken[1] = arc.transfers().takeRebuilt(rebuilt);
        });
        assertThat(taken).containsExactly(true, false);
        ring.await(() -> !ring.view().isMember(OTHER) && arc.serves());
        assertThat(arc.state().peer(THERE)).isNotNull();
        assertThat(pieces).as("of a super-peer that is lost").isZero();
    }
}
