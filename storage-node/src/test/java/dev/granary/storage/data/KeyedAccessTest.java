package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Durability;
import dev.granary.net.message.ErrorCode;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.replicate.ReplicationMetrics;
import io.prometheus.client.CollectorRegistry;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeyedAccessTest {

    private static final int GROUP = SlotGroup.nid(3);
    private static final long EPOCH = 7;

    private final LoneChunks chunks = new LoneChunks();
    private final ChunkService service = new ChunkService(
            chunks.clock,
            chunks.lease,
            chunks.lids,
            chunks.metrics,
            new ReplicationMetrics(new CollectorRegistry()),
            Runnable::run,
            chunks.owner.replication().allocator(),
            Durability.REPLICATED,
            new UnsentAnswers(() -> 0, 1 << 20, 0),
            1 << 20,
            1 << 20);
    private final KeyedAccess access = service.keyed();

    @AfterEach
    void close() {
        chunks.close();
    }

    private KeyedAccess.Inside enter() {
        service.serve(
                chunks.memory, chunks.ownership, chunks.owner.replication().zones(), 1);
        return Objects.requireNonNull(access.enter());
    }

    private static CidRange range() {
        return new CidRange(Cid.firstOf(GROUP), Cid.of(GROUP, 100), Placement.unreplicated(LoneChunks.NID, EPOCH));
    }

    @Test
    void enter_beforeItServesAndAfterTheEnd_isRefused() {
        assertThat(access.enter()).isNull();
        enter().close();
        assertThat(service.close()).isCompleted();
        assertThat(access.enter()).isNull();
    }

    @Test
    void group_isOwnedOnceItsRangeIsLearnt() {
        try (KeyedAccess.Inside inside = enter()) {
            assertThat(inside.owned(GROUP)).isEmpty();
            assertThat(inside.ownedEpoch(GROUP)).isZero();
            assertThat(inside.zone(GROUP)).isNull();
            inside.learn(range());
            assertThat(inside.owned(GROUP)).contains(range());
            assertThat(inside.ownedEpoch(GROUP)).isEqualTo(EPOCH);
            assertThat(inside.refusal(GROUP, true)).isNull();
            assertThat(inside.isReadTooLate(GROUP)).isFalse();
        }
    }

    @Test
    void refusal_putToSleep_isForChangesOnlyOrForAll() {
        try (KeyedAccess.Inside inside = enter()) {
            inside.learn(range());
            service.refuse(ChunkService.Refused.CHANGES);
            assertThat(Objects.requireNonNull(inside.refusal(GROUP, true)).isRetryable())
                    .isTrue();
            assertThat(inside.refusal(GROUP, false)).isNull();
            service.refuse(ChunkService.Refused.EVERYTHING);
            assertThat(inside.refusal(GROUP, false)).isNotNull();
        }
    }

    @Test
    void refusal_leaseIsOver_isForAll() {
        try (KeyedAccess.Inside inside = enter()) {
            inside.learn(range());
            assertThat(access.hasLease()).isTrue();
            chunks.owner.world.runFor(LoneChunks.LEASE_NANOS);
            assertThat(access.hasLease()).isFalse();
            assertThat(Objects.requireNonNull(inside.refusal(GROUP, false)).code())
                    .isEqualTo(ErrorCode.NO_LEASE);
        }
    }
}
