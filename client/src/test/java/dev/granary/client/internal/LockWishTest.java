package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockWishTest {

    private static final long CID = Cid.of(ScriptedCluster.STORAGE_NID, 5);

    private final ScriptedCluster cluster = new ScriptedCluster();
    private final List<Long> wishes = new ArrayList<>();

    /** The answers to the first lock request were lost until its lease had ended; the second one is granted. */
    private boolean answer(RpcRequest request) {
        if (request.type() != MessageType.ACQUIRE_LOCK.code()) {
            return false;
        }
        wishes.add(request.read(MessageType.ACQUIRE_LOCK).lockId());
        if (wishes.size() == 1) {
            request.fail(ErrorCode.UNKNOWN_LEASE, "the lock has ended");
        } else {
            request.reply(new AcquireLockReply(7, 0));
        }
        return true;
    }

    @Test
    void lock_whatWasGrantedHasEndedUnheard_isWishedForAnew() {
        cluster.superPeer = this::answer;
        AsyncGranaryClient client = cluster.client(ScriptedCluster.options());
        AsyncChunkLock lock =
                cluster.await(client.lock(CID, Duration.ofNanos(10 * AcquireLock.MIN_LEASE_NANOS), Duration.ZERO));
        assertThat(lock.token()).isEqualTo(7);
        assertThat(wishes).hasSize(2).doesNotHaveDuplicates();
    }
}
