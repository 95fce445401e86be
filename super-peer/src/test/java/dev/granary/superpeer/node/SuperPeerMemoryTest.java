package dev.granary.superpeer.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NameMessages.ChangeName;
import dev.granary.net.message.NameMessages.GetName;
import dev.granary.net.message.NameMessages.ListNames;
import dev.granary.net.message.NameMessages.NameCondition;
import dev.granary.overlay.Cid;
import dev.granary.overlay.name.NamePosition;
import dev.granary.overlay.name.NameTrie;
import dev.granary.process.MemoryPlan.Area;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.process.MemoryPlan.Share;
import dev.granary.process.MemoryPlanException;
import dev.granary.raft.RaftGroup;
import dev.granary.superpeer.OtherClient;
import dev.granary.superpeer.SimulatedRing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SuperPeerMemoryTest {

    private static final long MIB = 1 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long CID = Cid.of(0x8000, 5);

    /** The limits of the smallest pod of a super-peer, which gets 384 MiB from the operator. */
    private static final Limits SMALLEST_POD = new Limits(64 * MIB, 112 * MIB);

    /** The lowest limits with which a super-peer starts. */
    private static final Limits LEAST = new Limits(64 * MIB, 56 * MIB);

    private final SimulatedRing ring = new SimulatedRing();

    private static long sum(SuperPeerMemory memory, Area area) {
        return memory.plan().shares().stream()
                .filter(share -> share.area() == area)
                .mapToLong(Share::limitBytes)
                .sum();
    }

    private void startScarce() {
        ring.start(SimulatedRing.withMemory(SimulatedRing.founder("s0", 1), SuperPeerMemory.of(LEAST)));
        ring.awaitReady("s0");
    }

    @Test
    void of_theSmallestPod_sharesFitIntoIt() {
        SuperPeerMemory memory = SuperPeerMemory.of(SMALLEST_POD);

        assertThat(sum(memory, Area.DIRECT)).isLessThanOrEqualTo(56 * MIB);
        assertThat(sum(memory, Area.HEAP)).isLessThanOrEqualTo(56 * MIB);
        assertThat(memory.arcBytes(1)).isEqualTo(memory.plan().bytes(SuperPeerMemory.ARC_STATE));
        assertThat(3 * memory.arcBytes(5)).isLessThanOrEqualTo(memory.arcBytes(1));
        assertThat(memory.plan().bytes(SuperPeerMemory.ARC_PARTS))
                .as("one arc that moves as a whole")
                .isGreaterThanOrEqualTo(memory.arcBytes(3) - 1);
        assertThat(memory.plan().bytes(SuperPeerMemory.RAFT_MESSAGES))
                .as("one message of the largest size to each of eight others")
                .isGreaterThanOrEqualTo(8L * RaftGroup.MAX_MESSAGE_BYTES);
    }

    @Test
    void of_aLargeProcess_boundsAreAsLargeAsTheyEverNeedToBe() {
        SuperPeerMemory memory = SuperPeerMemory.ample();

        assertThat(memory.plan().bytes(SuperPeerMemory.OWNER_WAITERS)).isEqualTo(16 * MIB);
        assertThat(memory.plan().bytes(SuperPeerMemory.LOCK_WAITERS)).isEqualTo(64 * MIB);
        assertThat(memory.plan().bytes(SuperPeerMemory.RAFT_MESSAGES)).isEqualTo(64 * MIB);
    }

    @Test
    void of_tooLittle_saysWhatToChange() {
        assertThatThrownBy(() -> SuperPeerMemory.of(new Limits(64 * MIB, 48 * MIB)))
                .isInstanceOf(MemoryPlanException.class)
                .hasMessageContaining("set -Xmx");
    }

    @Test
    void bytesUsed_aSuperPeerThatServes_areKnownOfEachShare() {
        ring.startRing(1);
        ring.call("s0", MessageType.CHANGE_NAME, put(1, "a", CID));
        ring.runFor(SECOND);

        assertThat(SuperPeerMemory.ample().plan().shares())
                .allSatisfy(share -> assertThat(ring.usedBytes("s0", share.name()))
                        .as(share.name())
                        .isNotNegative());
        assertThat(ring.usedBytes("s0", SuperPeerMemory.ARC_STATE)).isPositive();
        assertThat(ring.status("s0")).contains("\"lock-waiters\":{\"limitBytes\":67108864,\"usedBytes\":0}");
    }

    @Test
    void acquire_moreWaitThanThereIsRoomFor_refusedWithoutAPlaceUntilOthersAreGone() {
        startScarce();
        ring.call("s0", MessageType.ACQUIRE_LOCK, new AcquireLock(CID, 1, 3600 * SECOND, 0));
        int room = (int)
                (SuperPeerMemory.of(LEAST).plan().bytes(SuperPeerMemory.LOCK_WAITERS) / SuperPeerMemory.WAITER_BYTES);
        OtherClient other = new OtherClient(ring, "other");
        for (int i = 0; i < room; i++) {
            other.tell("s0", MessageType.ACQUIRE_LOCK, new AcquireLock(CID, 2 + i, SECOND, 30 * SECOND));
        }
        ring.runFor(SECOND);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.LOCK_WAITERS)).isEqualTo(room * SuperPeerMemory.WAITER_BYTES);

        long next = 2L + room;
        AcquireLock more = new AcquireLock(CID, next, SECOND, 30 * SECOND);
        AcquireLockReply refused = ring.call("s0", MessageType.ACQUIRE_LOCK, more);
        assertThat(refused.token()).isZero();
        assertThat(refused.remainingNanos()).as("the client asks again by then").isPositive();
        assertThat(ring.call("s0", MessageType.SHOW_LOCK, new ShowLock(CID)).waiting())
                .isEqualTo(room);

        other.kill();
        ring.runFor(2 * SECOND);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.LOCK_WAITERS)).isZero();
        CompletableFuture<AcquireLockReply> waits =
                new OtherClient(ring, "third").begin("s0", MessageType.ACQUIRE_LOCK, more);
        ring.runFor(SECOND);
        assertThat(waits).isNotDone();
        ring.call("s0", MessageType.RELEASE_LOCK, new ReleaseLock(CID, 1));
        ring.runFor(SECOND / 2);
        assertThat(waits.join().token()).isEqualTo(2);
    }

    private static ChangeName put(long sequence, String name, long cid) {
        return new ChangeName(1, sequence, sequence - 1, false, name, cid, NameCondition.ALWAYS, 0);
    }

    private static String name(long number) {
        String text = "name-" + number + "-";
        return text + "x".repeat(NameTrie.MAX_NAME_BYTES - text.getBytes(UTF_8).length);
    }

    /**
     * Answers with lists wait in this process until they are read: a reader that stands still must not fill its memory.
     */
    @Test
    void list_muchIsUnsent_refusedUntilItIsTakenWhileSmallAnswersGoOn() {
        startScarce();
        List<ChangeName> changes = new ArrayList<>();
        for (int i = 1; i <= 400; i++) {
            changes.add(put(i, name(i), CID));
        }
        ring.sendTogether("s0", MessageType.CHANGE_NAME, changes).forEach(CompletableFuture::join);
        ListNames list = new ListNames(1, 1, "", "", ListNames.MAX_NAMES);
        ring.call("s0", MessageType.LIST_NAMES, list);
        long share = SuperPeerMemory.of(LEAST).plan().bytes(SuperPeerMemory.OUTBOUND);
        OtherClient reader = new OtherClient(ring, "reader");
        reader.tell("s0", MessageType.LIST_NAMES, list);
        ring.runFor(SECOND);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.OUTBOUND)).isZero();

        ring.node("reader").pause(20 * SECOND);
        for (int i = 0; i < share / (400 * NameTrie.MAX_NAME_BYTES) + 10; i++) {
            reader.tell("s0", MessageType.LIST_NAMES, list);
        }
        ring.runFor(SECOND);

        assertThat(ring.usedBytes("s0", SuperPeerMemory.OUTBOUND))
                .as("the last answer may exceed the share")
                .isBetween(share, share + 2L * 400 * NameTrie.MAX_NAME_BYTES);
        ErrorReply refused = ring.refusal("s0", MessageType.LIST_NAMES, list);
        assertThat(refused.code()).isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(refused.message()).contains(share + " bytes");
        assertThat(ring.call("s0", MessageType.GET_NAME, new GetName(name(1))).cid())
                .isEqualTo(CID);

        ring.runFor(20 * SECOND);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.OUTBOUND)).isZero();
        assertThat(ring.call("s0", MessageType.LIST_NAMES, list).entries()).hasSize(400);
    }

    /** While others of its arc stand still, clients ask a leader for more than it may have proposed at once. */
    @Test
    void change_moreAreUnderWayThanThereIsRoomFor_refusedBeforeAnythingIsDone() {
        ring.start(SimulatedRing.withMemory(SimulatedRing.founder("s0", 3), SuperPeerMemory.of(LEAST)));
        List.of("s1", "s2").forEach(name -> ring.start(SimulatedRing.config(name)));
        List.of("s0", "s1", "s2").forEach(ring::awaitReady);
        ring.runFor(SECOND);
        long room = SuperPeerMemory.of(LEAST).plan().bytes(SuperPeerMemory.COMMANDS);
        long each = NameTrie.MAX_NAME_BYTES + SuperPeerMemory.COMMAND_BYTES;
        int count = (int) (2 * room / each);
        List<ChangeName> changes = new ArrayList<>();
        for (int i = 1; changes.size() < count; i++) {
            String owner = ring.superPeer("s0")
                    .ring()
                    .ownerOf(NamePosition.of(name(i)))
                    .name();
            if (owner.equals("s0")) {
                changes.add(new ChangeName(i, 1, 0, false, name(i), CID, NameCondition.ALWAYS, 0));
            }
        }
        List.of("s1", "s2").forEach(name -> ring.node(name).pause(SECOND / 5));

        List<? extends CompletableFuture<?>> replies = ring.sendTogether("s0", MessageType.CHANGE_NAME, changes);

        long refused = 0;
        for (int i = 0; i < count; i++) {
            CompletableFuture<?> reply = replies.get(i);
            boolean failed = reply.isCompletedExceptionally();
            if (failed) {
                ErrorReply error = SimulatedRing.errorOf(reply);
                assertThat(error.code()).isEqualTo(ErrorCode.RETRY_LATER);
                assertThat(error.message()).contains("BUSY").contains("of at most " + room + " bytes");
                refused++;
            }
            assertThat(ring.call(
                                    "s0",
                                    MessageType.GET_NAME,
                                    new GetName(changes.get(i).name()))
                            .cid())
                    .isEqualTo(failed ? Cid.NONE : CID);
        }
        assertThat(refused).isBetween((long) count / 3, count / 2L + count / 10);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.COMMANDS)).isZero();
        assertThat(ring.call("s0", MessageType.CHANGE_NAME, changes.getLast()).done())
                .isTrue();
    }

    /** Puts names until one is refused; returns the sequence of the refused one. */
    private long fill() {
        long sequence = 1;
        while (sequence < 100_000) {
            List<ChangeName> changes = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                changes.add(put(sequence + i, name(sequence + i), CID));
            }
            List<? extends CompletableFuture<?>> replies = ring.sendTogether("s0", MessageType.CHANGE_NAME, changes);
            for (CompletableFuture<?> reply : replies) {
                if (reply.isCompletedExceptionally()) {
                    ErrorReply error = SimulatedRing.errorOf(reply);
                    assertThat(error.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY);
                    return sequence + changes.size();
                }
                sequence++;
            }
        }
        throw new AssertionError("nothing was refused");
    }

    @Test
    void change_arcIsAsLargeAsItMayBe_newNamesAndLocksAreRefusedAndOldOnesServed() {
        startScarce();
        long sequence = fill();
        // The arc also holds the last 4,096 changes, of a kibibyte each.
        ring.runFor(SECOND);
        double names = ring.metric("s0", "granary_superpeer_names");
        assertThat(names).isGreaterThan(1000);
        long limitBytes = SuperPeerMemory.of(LEAST).plan().bytes(SuperPeerMemory.ARC_STATE);
        assertThat(ring.usedBytes("s0", SuperPeerMemory.ARC_STATE)).isBetween(limitBytes / 2, limitBytes + 5 * MIB);

        assertThat(ring.refusal("s0", MessageType.CHANGE_NAME, put(sequence, "another", CID))
                        .code())
                .isEqualTo(ErrorCode.OUT_OF_MEMORY);
        ChangeName again = new ChangeName(1, sequence, sequence - 1, true, "another", CID, NameCondition.ALWAYS, 0);
        assertThat(ring.refusal("s0", MessageType.CHANGE_NAME, again).code())
                .as("it may have been carried out when it came first")
                .isEqualTo(ErrorCode.RETRY_LATER);
        assertThat(ring.call("s0", MessageType.GET_NAME, new GetName("another")).cid())
                .isZero();
        AcquireLock acquire = new AcquireLock(CID, 1, SECOND, 0);
        assertThat(ring.call("s0", MessageType.ACQUIRE_LOCK, acquire).token()).isZero();
        assertThat(ring.metric("s0", "granary_superpeer_locks")).isZero();

        assertThat(ring.call("s0", MessageType.GET_NAME, new GetName(name(7))).cid())
                .isEqualTo(CID);
        assertThat(ring.call("s0", MessageType.CHANGE_NAME, put(sequence, name(7), CID + 1))
                        .done())
                .isTrue();
        // The bytes of names are compacted when a third of them is free.
        int removed = (int) names / 2;
        for (int i = 1; i <= removed; i++) {
            ring.call("s0", MessageType.CHANGE_NAME, put(sequence + i, name(i), Cid.NONE));
        }
        assertThat(ring.call("s0", MessageType.CHANGE_NAME, put(sequence + removed + 1, "another", CID))
                        .done())
                .as("there is room again")
                .isTrue();
    }
}
